import type { DecodedText } from './decoded-text.js';

/** Characters judged: what they say about a page's encoding, they say early. */
const SAMPLE_LENGTH = 64 * 1024;
/** Broken bytes that UTF-8 may have among its longer sequences, and among all bytes. */
const MAX_BROKEN_OF_SEQUENCES = 0.1;
const MAX_BROKEN_OF_TEXT = 0.001;

/** UTF-8 with a few broken bytes (a file that was cut or glued together); each becomes U+FFFD. */
export function decodeMostlyUtf8(bytes: Uint8Array): DecodedText | undefined {
  const text = new TextDecoder('utf-8').decode(bytes);
  const broken = text.match(/\ufffd/g)?.length ?? 0;
  const longer = text.match(/[\u0080-\ufffc]/g)?.length ?? 0;
  // A cut at the end breaks one sequence, however short the file is.
  const cutAtEnd = broken === 1 && text.endsWith('\ufffd') && longer >= 2;
  const few = broken <= longer * MAX_BROKEN_OF_SEQUENCES && broken <= text.length * MAX_BROKEN_OF_TEXT;
  return cutAtEnd || few ? { text, encoding: 'utf-8', confidence: 0.8 } : undefined;
}

/** GB18030 or windows-1252, whichever makes plausible text of bytes that aren't UTF-8; else undefined. */
export function decodeLegacy(bytes: Uint8Array): DecodedText | undefined {
  return decodeChinese(bytes) ?? decodeWestern(bytes);
}

/** The most frequent Chinese characters: about a third of any modern text. */
const FREQUENT_HAN = new Set(
  '的一是不了在人有我他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后小么心多天而能好都然没日于起还发成事只作当想看文无开手十用主行方又如前所本见经头面公同三已老从动两长知民样现分将外但身些与高意进把法此实回二理美点月明其种声全工己话儿者向情部正名定女问力机给等几很业最间新什打便位因重被走电四第门相次东政海口使教西再平真听世气信北少关并内加化由却代军产入先山五太水万市处数表系',
);
const MIN_FREQUENT_SHARE = 0.12;
/** In GB2312 the 3,755 characters of everyday use have lead bytes B0 to D7. */
const MIN_EVERYDAY_SHARE = 0.85;

function decodeChinese(bytes: Uint8Array): DecodedText | undefined {
  let text: string;
  try {
    text = new TextDecoder('gb18030', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
  const sample = text.slice(0, SAMPLE_LENGTH);
  const han = sample.match(/\p{Script=Han}/gu) ?? [];
  const wide = sample.match(/[\u{80}-\u{10ffff}]/gu)?.length ?? 0;
  const kana = sample.match(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0;
  // EUC-JP passes as GB18030 too, with its kana in place.
  if (han.length < 2 || kana > han.length * 0.05 || han.length < wide * 0.6) return undefined;
  const frequent = han.filter((character) => FREQUENT_HAN.has(character)).length / han.length;
  const everyday = everydayShare(bytes);
  if (frequent < MIN_FREQUENT_SHARE || everyday < MIN_EVERYDAY_SHARE) return undefined;
  return { text, encoding: 'gb18030', confidence: Math.min(0.95, 0.5 + frequent) };
}

/** Share of the two-byte characters above the symbol rows that are of everyday use. */
function everydayShare(bytes: Uint8Array): number {
  let everyday = 0;
  let all = 0;
  for (let i = 0; i + 1 < bytes.length && i < SAMPLE_LENGTH; i++) {
    const lead = bytes[i]!;
    if (lead < 0x81) continue;
    const trail = bytes[++i]!;
    if (lead >= 0xa1 && lead < 0xb0) continue;
    all++;
    if (lead >= 0xb0 && lead <= 0xd7 && trail >= 0xa1) everyday++;
  }
  return all === 0 ? 0 : everyday / all;
}

/** What windows-1252 has at 0x80 to 0x9f; the five bytes that it leaves open are U+FFFD. */
const WESTERN_80_9F =
  '\u20ac\ufffd\u201a\u0192\u201e\u2026\u2020\u2021\u02c6\u2030\u0160\u2039\u0152\ufffd\u017d\ufffd' +
  '\ufffd\u2018\u2019\u201c\u201d\u2022\u2013\u2014\u02dc\u2122\u0161\u203a\u0153\ufffd\u017e\u0178';
/** Accented letters stand alone among plain ones in western text; other alphabets come in runs. */
const MIN_SHORT_RUNS = 0.9;
const MAX_HIGH_SHARE = 0.25;

function decodeWestern(bytes: Uint8Array): DecodedText | undefined {
  const latin1 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const text = latin1.replace(/[\x80-\x9f]/g, (c) => WESTERN_80_9F[c.charCodeAt(0) - 0x80]!);
  if (text.includes('\ufffd')) return undefined;
  const sample = text.slice(0, SAMPLE_LENGTH);
  const high = sample.match(/[\x80-\uffff]/g)?.length ?? 0;
  const long =
    sample.match(/[\x80-\x9f\xa1-\xaa\xac-\xba\xbc-\u200f\u2027-\uffff]{3,}/g)?.join('').length ?? 0;
  const letters = sample.match(/[A-Za-z]/g)?.length ?? 0;
  const likely = sample.match(
    /[\xc0-\xff\u0152-\u017e\u2010-\u2026\u20ac\u2122\xa0\xa3\xa7\xa9\xab\xae\xb0\xb4\xb7\xba\xbb\xbf\xa1]/g,
  );
  if (letters === 0 || high > (letters + high) * MAX_HIGH_SHARE) return undefined;
  if (long > high * (1 - MIN_SHORT_RUNS) || (likely?.length ?? 0) < high * 0.9) return undefined;
  return { text, encoding: 'windows-1252', confidence: 0.6 };
}
