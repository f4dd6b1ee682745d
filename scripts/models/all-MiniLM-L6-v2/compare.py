"""
Which int8 file is the one to ship? Makes int8 variants of the float32 model, and compares each with the one from the
Maven artifact: cosine to float32 on real passages, and tokens per second on one thread, interleaved.

    python compare.py WORK_FOLDER passages.jsonl[.gz]...

What a CPU without VNNI makes of the same files is told by cpu_drift.py, over the folder that this script leaves.
"""

import sys
import time
from pathlib import Path

import numpy as np
from onnx import TensorProto
from onnxruntime.quantization import QuantType, quantize_dynamic
from onnxruntime.transformers import optimizer
from onnxruntime.transformers.fusion_options import FusionOptions

from embed import embed_rows, open_session, open_tokenizer, read_passages, token_ids
from fetch import fetch

PASSAGES_PER_FILE = 150
ROUNDS = 5


def make_fused(fp32: Path, work: Path, attention: bool) -> Path:
    """Fused by ONNX Runtime's transformer optimizer, then dynamic int8 per channel."""
    name = 'fused' if attention else 'fused-no-attention'
    options = FusionOptions('bert')
    options.enable_attention = attention
    # Level 0: only the graph fusions written in Python; the others would want PyTorch and happen at load anyway.
    fused = optimizer.optimize_model(
        str(fp32), 'bert', num_heads=12, hidden_size=384, optimization_options=options, opt_level=0
    )
    fused.save_model_to_file(str(work / f'{name}.onnx'))
    return quantize(work / f'{name}.onnx', work / f'{name}-int8.onnx')


def quantize(source: Path, target: Path, reduce_range: bool = False) -> Path:
    """Reduced range means 7 bits a weight: x86 CPUs without VNNI add products in 16 bits, and 8-bit weights overflow."""
    extra = {'MatMulConstBOnly': True, 'DefaultTensorType': TensorProto.FLOAT}
    quantize_dynamic(
        source, target, weight_type=QuantType.QInt8, per_channel=True, reduce_range=reduce_range, extra_options=extra
    )
    return target


def speeds(sessions: dict, rows: list[list[int]]) -> dict[str, float]:
    """Median tokens per second; the models take turns, so that noise of the machine meets all alike."""
    tokens = sum(map(len, rows))
    seen: dict[str, list[float]] = {name: [] for name in sessions}
    for _ in range(ROUNDS):
        for name, session in sessions.items():
            started = time.perf_counter()
            embed_rows(session, rows)
            seen[name].append(tokens / (time.perf_counter() - started))
    return {name: float(np.median(values)) for name, values in seen.items()}


def main() -> None:
    work = Path(sys.argv[1])
    work.mkdir(parents=True, exist_ok=True)
    files = fetch(work)
    models = {
        'fp32': files['fp32'],
        'q': files['q'],
        'plain-int8': quantize(files['fp32'], work / 'plain-int8.onnx'),
        'plain-int7': quantize(files['fp32'], work / 'plain-int7.onnx', reduce_range=True),
        'fused-int8': make_fused(files['fp32'], work, attention=True),
        'fused-no-attention-int8': make_fused(files['fp32'], work, attention=False),
    }
    tokenizer = open_tokenizer(files['tokenizer'])
    texts = [text for path in sys.argv[2:] for text in read_passages(Path(path), PASSAGES_PER_FILE)]
    rows = token_ids(tokenizer, texts)
    sessions = {name: open_session(path) for name, path in models.items()}
    exact = embed_rows(sessions['fp32'], rows)
    tokens_per_second = speeds(sessions, rows[:: max(1, len(rows) // 100)])
    print(f'{len(rows)} passages, {np.mean([len(r) for r in rows]):.0f} tokens on average')
    for name, session in sessions.items():
        cosines = (embed_rows(session, rows) * exact).sum(axis=1)
        size = models[name].stat().st_size / 1e6
        print(
            f'{name:24} {size:5.1f} MB  cosine mean {cosines.mean():.4f} p5 {np.quantile(cosines, 0.05):.4f} '
            f'min {cosines.min():.4f}  {tokens_per_second[name]:6.0f} tokens/s'
        )


main()
