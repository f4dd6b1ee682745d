/** Documents with metadata as real collections have it: few languages, many tags, every id and time its own. */
import { uniform } from './random.mjs';

const LANGUAGES = ['en', 'en', 'en', 'en', 'de', 'de', 'fr', 'zh', 'es', 'ja'];
const STATUS = [true, true, true, false, null];
const DAY_MS = 86_400_000;
export const FIRST_MS = Date.UTC(2015, 0, 1);
export const DAYS = 3_650;

const TAGS = 500;
export const AUTHORS = 20_000;

/** Metadata of the next document from a generator: about 200 bytes of JSON in nine fields. */
export function metadataOf(next) {
  const whole = (count) => Math.floor(next() * count);
  const created = FIRST_MS + Math.floor(next() * DAYS * DAY_MS);
  const metadata = {
    lang: LANGUAGES[whole(LANGUAGES.length)],
    year: new Date(created).getUTCFullYear(),
    created: new Date(created).toISOString(),
    tags: Array.from({ length: 1 + whole(4) }, () => `tag-${Math.floor(TAGS * next() ** 3)}`),
    author: { name: `author ${whole(AUTHORS)}`, team: `team ${whole(40)}` },
    price: Math.round(next() * 1e7) / 100,
    public: STATUS[whole(STATUS.length)],
  };
  if (next() < 0.3) {
    metadata.valid_from = new Date(created).toISOString().slice(0, 10);
    metadata.valid_until = next() < 0.5 ? null : new Date(created + whole(2_000) * DAY_MS).toISOString();
  }
  return metadata;
}

export function idOf(i) {
  return `docs/${i % 97}/${i % 1_009}/page-${i}.md`;
}

/** Rows of a `documents` table, chunk counts around three. */
export function* documentRows(documents, seed = 1) {
  const next = uniform(seed);
  for (let i = 0, label = 1; i < documents; i++) {
    const chunks = 1 + Math.floor(next() * 5);
    yield {
      id: idOf(i),
      title: `Page ${i} of the handbook`,
      firstLabel: label,
      chunks,
      metadata: metadataOf(next),
    };
    label += chunks;
  }
}
