/**
 * Does a query ask something? Decides whether a reranker that was trained on questions is worth its time. The rule:
 *  1. a question mark of any script that ends a word (not the one inside a link's `?key=value`);
 *  2. English: it opens with a question word, or with an auxiliary that has a subject and a verb behind it, after at
 *     most one preposition and a few words of greeting; a final full stop makes a statement of the weaker openings
 *     ("When the kiln is cold, open it.");
 *  3. Chinese, Japanese, Korean: a question word or particle of that language, wherever it stands.
 * A wrong yes costs a rerank, a wrong no leaves the fused order: both are cheap, so the rule stays simple.
 */
export function isQuestion(query: string): boolean {
  // The Greek mark becomes a semicolon under NFC, so marks are looked for before.
  if (QUESTION_MARK.test(query)) return true;
  const text = query.normalize('NFC').trim().toLowerCase();
  return asksInEnglish(text) || asksInCjk(text);
}

// Latin, full width, Arabic, Greek, Armenian, Ethiopic, reversed and doubled marks; '¿' opens one.
const QUESTION_MARK = /¿|[?？؟\u037e՞፧⸮⁇⁈⁉﹖︖](?=$|[\s\p{P}\p{Lo}])/u;

const STRONG = new Set(['what', 'who', 'whom', 'whose', 'why', 'how']);
const WEAK = new Set(['when', 'where', 'which']);
const AUXILIARY = new Set(
  'is are am was were do does did can could should would has have isn aren wasn weren don doesn didn won wouldn couldn shouldn hasn haven'.split(
    ' ',
  ),
);
/** Auxiliaries that are names, months and nouns as well: they need a subject behind them. */
const AMBIGUOUS = new Set(['will', 'may', 'might', 'must', 'shall', 'had']);
const SUBJECT = new Set(
  'i you he she it we they there the a an this that these those my your our their his her its any anyone all some someone one people'.split(
    ' ',
  ),
);
const PREPOSITION = new Set(
  'in on at to for from by with of about under after before since until during'.split(' '),
);
const FILLER = new Set('and but so or ok okay hi hello hey please then now well also exactly'.split(' '));

function asksInEnglish(text: string): boolean {
  const words = (text.slice(0, 400).match(/[\p{L}\p{N}]+/gu) ?? []).slice(0, 12);
  let at = 0;
  while (at < 3 && FILLER.has(words[at] ?? '')) at++;
  // "whats", "whos", "hows": the apostrophe is often left out.
  const opening = (words[at] ?? '').replace(/^(what|who|how|why|where|when)s$/, '$1');
  if (PREPOSITION.has(opening)) return STRONG.has(words[at + 1] ?? '') || words[at + 1] === 'which';
  if (STRONG.has(opening)) return words.length > at + 1 || text.length > opening.length + 2;
  const second = words[at + 1] ?? '';
  const stated = /[.。!]["')\]]*$/u.test(text);
  if (WEAK.has(opening)) return words.length > at + 1 && (!stated || AUXILIARY.has(second));
  if (stated || words.length < at + 3 || second === 'not') return false;
  return AUXILIARY.has(opening) || (AMBIGUOUS.has(opening) && SUBJECT.has(second));
}

const CHINESE =
  /什么|什麼|甚麼|怎么|怎麼|怎样|怎樣|怎能|如何|为何|為何|为啥|哪(?![怕吒])|谁|誰|多少|多久|多大|多长|多長|多高|多远|多遠|几(?=[个個年次天岁歲种種位点點月号號])|幾(?=[個年次天歲種位點月號])|是否|能否|可否|何时|何時|何地|何处|何處|何人|[吗嗎呢]$|[吗嗎呢](?=[\p{P}\s])/u;
const KANA = /[\p{Script=Hiragana}\p{Script=Katakana}]/u;
const JAPANESE =
  /何(?=[がをのでにはもか人時年月日個回歳処故とだ])|なに|なぜ|誰|だれ|どこ|どう(?=[やしすなのいで])|どの|どれ|どんな|どちら|いつ(?![もか])|いくら|いくつ|[すたるいうん]か[。\s]*$/u;
const KOREAN = /무엇|무슨|뭐|뭔|누구|누가|어디|언제|어떻게|어떤|얼마|몇|왜\s|[까나니가]요?\s*$/u;
const HANGUL = /\p{Script=Hangul}/u;

function asksInCjk(text: string): boolean {
  if (KANA.test(text)) return JAPANESE.test(text);
  if (HANGUL.test(text)) return KOREAN.test(text);
  return CHINESE.test(text);
}
