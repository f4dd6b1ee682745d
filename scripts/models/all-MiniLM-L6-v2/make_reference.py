"""
Writes models/all-MiniLM-L6-v2/reference.json: texts, their float32 vectors, and how close the int8 file comes.

    python make_reference.py WORK_FOLDER ../../../models/all-MiniLM-L6-v2
"""

import json
import sys
from pathlib import Path

from embed import embed_rows, open_session, open_tokenizer, token_ids
from fetch import fetch

TEXTS = [
    '',
    'x',
    'The warranty covers repairs for two years from the date of purchase.',
    'How long is the warranty?',
    'Unused points expire twelve months after they were earned, unless the account is a family account.',
    'Error E1043: connection refused by host 10.0.0.7 after 30 seconds (attempt 3 of 5)',
    'export function add(a: number, b: number): number {\n  return a + b;\n}',
    '<|endoftext|> [CLS] </s> <pad> [SEP] are plain words in this sentence.',
    'Die Lieferung dauert höchstens drei Werktage; Überweisungen müßen nicht bestätigt werden.',
    'Le café naïve coûte 3,50 € — déjà vu?',
    '退款通常在四十八小时内到账。',
    'Ежедневные отчёты хранятся девяносто дней.',
    'A B C D E F G H I J K L M N O P Q R S T U V W X Y Z 0 1 2 3 4 5 6 7 8 9',
    'Photosynthesis turns light, water and carbon dioxide into sugar and oxygen. ' * 8,
    'The pump starts when the pressure falls below two bar and stops at four bar. ' * 14,
]


def main() -> None:
    work, target = Path(sys.argv[1]), Path(sys.argv[2])
    work.mkdir(parents=True, exist_ok=True)
    files = fetch(work)
    rows = token_ids(open_tokenizer(files['tokenizer']), TEXTS)
    exact = embed_rows(open_session(files['fp32']), rows)
    cosines = (embed_rows(open_session(target / 'model.onnx'), rows) * exact).sum(axis=1)
    references = [
        {
            'text': text,
            'tokens': len(row),
            'int8Cosine': round(float(cosine), 5),
            'fp32': [round(float(value), 5) for value in vector],
        }
        for text, row, vector, cosine in zip(TEXTS, rows, exact, cosines)
    ]
    lines = ',\n'.join(json.dumps(reference, ensure_ascii=False) for reference in references)
    (target / 'reference.json').write_text(f'[\n{lines}\n]\n')
    for reference in references:
        print(reference['tokens'], reference['int8Cosine'], reference['text'][:50])


main()
