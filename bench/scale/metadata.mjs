/**
 * The metadata of the documents, and the filters that are asked of them. `draw` is a number from 0 to DRAWS - 1 that
 * has nothing to do with the text; `collection` has everything to do with it.
 */
import { drawAt } from './passages.mjs';

export const DRAWS = 10_000;

const LANGUAGES = ['en', 'en', 'en', 'de', 'fr', 'zh'];
const TAGS = [
  'api',
  'guide',
  'internals',
  'legacy',
  'draft',
  'security',
  'performance',
  'howto',
  'faq',
  'beta',
];

export function metadataAt(position, collection, file) {
  const draw = (salt, range) => drawAt(position, salt, range);
  const year = 2005 + draw('year', 20);
  return {
    draw: draw('draw', DRAWS),
    collection,
    package: file.split(/[\\/]/)[0],
    language: LANGUAGES[draw('language', LANGUAGES.length)],
    year,
    published: `${year}-${twoDigits(1 + draw('month', 12))}-${twoDigits(1 + draw('day', 28))}`,
    rating: draw('rating', 500) / 100,
    tags: TAGS.filter((tag) => draw(tag, 5) === 0),
    author: { name: `author ${draw('author', 2_000)}`, verified: draw('verified', 2) === 0 },
    // Missing for some, null for others: both are kept apart by filters.
    ...(draw('reviewer', 3) > 0 && {
      reviewer: draw('reviewer', 3) === 1 ? null : `reviewer ${draw('who', 50)}`,
    }),
  };
}

function twoDigits(number) {
  return String(number).padStart(2, '0');
}

/**
 * Each kind makes a filter for the question at a position. With `fresh` no two positions share one, though all of a
 * kind allow the same share; without, they do as far as the kind can.
 * `allows` is the slow twin: whether a document's metadata passes.
 */
export const FILTER_KINDS = [
  ...[0.5, 0.1, 0.01, 0.001, 0.0001].map((share) => ({
    name: `${share * 100}%`,
    ...drawRange(Math.round(share * DRAWS)),
  })),
  {
    name: 'nothing',
    filter: (_, at, fresh) => ({ draw: { gte: DRAWS + (fresh ? at : 0) } }),
    allows: () => false,
  },
  collectionKind('own collection', ({ collection }) => collection),
  collectionKind('another collection', ({ otherCollection }) => otherCollection),
];

function drawRange(width) {
  const from = (at, fresh) => (fresh ? (at * 37) % (DRAWS - width + 1) : 0);
  return {
    filter: (_, at, fresh) => ({ draw: { gte: from(at, fresh), lt: from(at, fresh) + width } }),
    allows: ({ draw }, _, at) => draw >= from(at, true) && draw < from(at, true) + width,
  };
}

/** Filters that agree, or disagree, with what the question is about. */
function collectionKind(name, collectionOf) {
  return {
    name,
    filter: (question, at, fresh) => ({
      collection: collectionOf(question),
      ...(fresh && { draw: { lt: DRAWS + at } }),
    }),
    allows: ({ collection }, question) => collection === collectionOf(question),
  };
}
