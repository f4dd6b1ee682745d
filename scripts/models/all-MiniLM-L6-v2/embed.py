"""Sentence vectors the plain way: one text a run, no padding, mean over the tokens, length 1."""

import gzip
import json
from pathlib import Path

import numpy as np
import onnxruntime as ort
from tokenizers import Tokenizer

WINDOW_TOKENS = 256


def open_session(model: Path, threads: int = 1) -> ort.InferenceSession:
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads
    options.log_severity_level = 3
    return ort.InferenceSession(str(model), options, providers=['CPUExecutionProvider'])


def open_tokenizer(path: Path) -> Tokenizer:
    """The file carries truncation and padding at 128; both go. Text that looks like a special token stays text."""
    tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    tokenizer.encode_special_tokens = True
    return tokenizer


def token_ids(tokenizer: Tokenizer, texts: list[str]) -> list[list[int]]:
    """Ids with special tokens; a text over the window is cut, as only its head is compared."""
    rows = [encoding.ids for encoding in tokenizer.encode_batch(texts)]
    return [row if len(row) <= WINDOW_TOKENS else [*row[: WINDOW_TOKENS - 1], row[-1]] for row in rows]


def embed_rows(session: ort.InferenceSession, rows: list[list[int]]) -> np.ndarray:
    vectors = []
    for row in rows:
        ids = np.array([row], dtype=np.int64)
        feeds = {'input_ids': ids, 'attention_mask': np.ones_like(ids), 'token_type_ids': np.zeros_like(ids)}
        mean = session.run(None, feeds)[0][0].mean(axis=0)
        vectors.append(mean / np.linalg.norm(mean))
    return np.array(vectors, dtype=np.float32)


def read_passages(path: Path, limit: int) -> list[str]:
    """Passages of a JSONL file (may be gzipped) with `title` and `text`, evenly spread over the file."""
    opened = gzip.open(path, 'rt') if path.suffix == '.gz' else open(path)
    with opened as lines:
        records = [json.loads(line) for line in lines]
    step = max(1, len(records) // limit)
    return [f'{r.get("title") or ""} {r["text"]}'.strip() for r in records[::step][:limit]]
