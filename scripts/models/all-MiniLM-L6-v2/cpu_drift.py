"""
Do the vectors of an int8 file depend on the CPU? Run `save` on both machines, or once natively and once under an
emulator (`qemu-x86_64 -cpu Haswell python cpu_drift.py save ...` has AVX2 but no VNNI), then `compare`.

    python cpu_drift.py save VECTORS.npz WORK_FOLDER passages.jsonl[.gz]...
    python cpu_drift.py compare A.npz B.npz

WORK_FOLDER is the one that compare.py filled. An emulator is slow: 8 passages a file, cut to 96 tokens.
"""

import sys
from pathlib import Path

import numpy as np

from embed import embed_rows, open_session, open_tokenizer, read_passages, token_ids
from fetch import ARTIFACTS, TOKENIZER

FILES = {name: file for name, (_, file) in ARTIFACTS.items()} | {
    'plain-int8': 'plain-int8.onnx',
    'plain-int7': 'plain-int7.onnx',
}


def save(target: str, work: str, *passages: str) -> None:
    tokenizer = open_tokenizer(Path(work) / TOKENIZER)
    texts = [text for path in passages for text in read_passages(Path(path), 8)]
    rows = [row[:96] for row in token_ids(tokenizer, texts)]
    np.savez(target, **{name: embed_rows(open_session(Path(work) / file), rows) for name, file in FILES.items()})


def compare(a: str, b: str) -> None:
    here, there = np.load(a), np.load(b)
    for name in here:
        cosines = (here[name] * there[name]).sum(axis=1)
        print(f'{name:12} cosine to itself on the other CPU: mean {cosines.mean():.5f} min {cosines.min():.5f}')


{'save': save, 'compare': compare}[sys.argv[1]](*sys.argv[2:])
