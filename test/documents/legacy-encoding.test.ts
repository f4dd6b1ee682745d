import { describe, expect, it } from 'vitest';
import { decode } from '../../src/documents/decode.js';
import { decodeLegacy } from '../../src/documents/legacy-encoding.js';
import { cpuMs } from '../cpu-time.js';

const SAMPLES: Readonly<Record<string, string>> = {
  chinese: '我们的船在早上离开港口，风从北方来。潮水表说明了每天的水位，船长应当先看它再决定是否出海。',
  traditional: '我們的船在早上離開港口，風從北方來。潮水表說明了每天的水位，船長應當先看它再決定是否出海。',
  japanese: '私たちの船は朝に港を出ました。風は北から吹いています。潮の表を見てから出発してください。',
  korean: '우리 배는 아침에 항구를 떠났습니다. 바람은 북쪽에서 불어옵니다. 물때표를 보고 나서 출발하십시오.',
  russian:
    'Наш корабль вышел из порта утром. Ветер дует с севера, и капитан сначала смотрит таблицу приливов.',
  polish:
    'Nasz statek wypłynął z portu rano. Wiatr wieje z północy, więc kapitan najpierw ogląda tabelę pływów. Później żeglarze będą mogli zająć się resztą zadań.',
  german:
    'Unser Schiff verließ früh den Hafen. Der Wind weht aus Norden, und der Kapitän prüft zunächst die Höhe der Flut für den nächsten Tag. Später dürfen alle Matrosen schlafen.',
  french:
    'Notre bateau a quitté le port très tôt. Le vent souffle du nord, et le capitaine vérifie d’abord la marée prévue à l’entrée. L’équipage s’est déjà préparé à naviguer.',
};

/** Bytes of a text in an encoding, by looking up what the decoder makes of each byte and pair of bytes. */
function encode(text: string, encoding: string): Buffer {
  const table = tables.get(encoding) ?? tableOf(encoding);
  tables.set(encoding, table);
  return Buffer.from([...text].flatMap((character) => table.get(character) ?? [0x3f]));
}

const tables = new Map<string, Map<string, number[]>>();

function tableOf(encoding: string): Map<string, number[]> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  const table = new Map<string, number[]>();
  const learn = (bytes: number[]) => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if ([...character].length === 1 && !table.has(character)) table.set(character, bytes);
    } catch {
      // No character.
    }
  };
  for (let byte = 0; byte < 256; byte++) learn([byte]);
  if (encoding === 'windows-1252') table.set('’', [0x92]);
  else if (!/^(?:windows|iso|koi8)/.test(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead++)
      for (let trail = 0x40; trail < 0xff; trail++) learn([lead, trail]);
  }
  return table;
}

describe('decodeLegacy', () => {
  it.each([
    ['chinese', 'gb18030'],
    ['traditional', 'big5'],
    ['japanese', 'shift_jis'],
    ['japanese', 'euc-jp'],
    ['korean', 'euc-kr'],
    ['russian', 'windows-1251'],
    ['russian', 'koi8-r'],
    ['polish', 'windows-1250'],
    ['polish', 'iso-8859-2'],
    ['german', 'windows-1252'],
    ['french', 'windows-1252'],
  ])('tells %s in %s', (language, encoding) => {
    const text = SAMPLES[language]!;
    const bytes = encode(text, encoding);
    expect(bytes.includes(0x3f)).toBe(false);
    expect(decode(bytes, { source: 'a.txt' })).toMatchObject({ text, encoding });
    // The sample begins where the letters do, however much ASCII comes before.
    const late = Buffer.concat([Buffer.from('log line\n'.repeat(20_000)), bytes]);
    expect(decode(late, { source: 'a.txt' }).encoding).toBe(encoding);
  });

  it('has each text right or refuses it, however short it is', () => {
    let right = 0;
    for (const [language, encoding] of [
      ['chinese', 'gb18030'],
      ['japanese', 'shift_jis'],
      ['korean', 'euc-kr'],
      ['russian', 'windows-1251'],
      ['russian', 'koi8-r'],
    ] as const) {
      for (let length = 8; length < SAMPLES[language]!.length; length += 4) {
        const text = SAMPLES[language]!.slice(0, length);
        const found = decodeLegacy(encode(text, encoding));
        if (found) expect(found.text).toBe(text);
        if (found) right++;
      }
    }
    expect(right).toBeGreaterThan(40);
  });

  it('makes no text of noise', () => {
    let state = 1;
    const random = () => {
      state = (state * 48_271) % 2_147_483_647;
      return state / 2_147_483_647;
    };
    const noise = [
      () => 32 + Math.floor(random() * 224),
      () => 128 + Math.floor(random() * 128),
      () => (random() < 0.6 ? 97 + Math.floor(random() * 26) : 128 + Math.floor(random() * 128)),
    ];
    let taken = 0;
    for (const next of noise) {
      for (let i = 0; i < 200; i++) {
        const bytes = Buffer.from(Array.from({ length: 24 + 10 * i }, next));
        if (decodeLegacy(bytes)) taken++;
      }
    }
    expect(taken).toBe(0);
  });

  it('takes a sample of a big file', () => {
    const bytes = Buffer.concat(Array<Buffer>(2000).fill(encode(SAMPLES.russian!, 'windows-1251')));
    const before = cpuMs();
    expect(decodeLegacy(bytes)?.encoding).toBe('windows-1251');
    expect(cpuMs() - before).toBeLessThan(300);
  });
});
