/** Puts strategy, meter, prefix and columns together. */

import type { ChunkColumns } from '../model/chunk.js';
import type { Chunker, ResolvedChunkOptions } from '../model/chunker.js';
import type { Document } from '../model/document.js';
import { hasStructure, plainOutline } from './auto.js';
import { findClauses } from './clauses.js';
import { toColumns } from './columns.js';
import { findPairs } from './faq.js';
import { findFreeBorders } from './free-borders.js';
import { Meter } from './meter.js';
import { cutParentsAndChildren, holdToWindow } from './parent-child.js';
import type { Piece, PlacedPiece } from './piece.js';
import { Prefixes } from './prefix.js';
import { type Outlined, reoutline } from './reoutline.js';
import { chunkedSpans, type Span } from './scope.js';
import { sectionAt } from './sections.js';
import { cutSemantically } from './semantic.js';
import { compileSeparators, cutRecursively } from './separators.js';
import { cutByStructure } from './structure.js';
import { cutWhole } from './whole.js';
import { cutWindows, type LeadAt } from './windows.js';
import { cutWords } from './words.js';

/** Raised whenever the same document and options would give other chunks than before. */
const ALGORITHM_VERSION = 3;

/**
 * A chunker for options that `resolveChunkOptions` made. Synchronous, but for 'semantic': about a second per 2 MB of
 * text with WordPiece and per 4 MB with cl100k, so call it in a worker.
 */
export function createChunker(options: ResolvedChunkOptions): Chunker {
  const cutter = new Cutter(options);
  return {
    fingerprint: fingerprintOf(options),
    parents: options.parents !== undefined,
    chunk: (document) => cutter.chunk(document),
  };
}

function fingerprintOf(options: ResolvedChunkOptions): string {
  const { strategy, limitTokens, overlapTokens, tokenizer, words, separators, parents, semantic } = options;
  const fields = [
    `limit=${limitTokens}`,
    `overlap=${overlapTokens}`,
    `tokenizer=${tokenizer.name}`,
    ...(words ? [`words=${words.limit}/${words.overlap}`] : []),
    ...(separators ? [`separators=${JSON.stringify(separators)}`] : []),
    ...(parents
      ? [
          `parents=${parents.limitTokens}`,
          `window=${parents.window.limitTokens} ${parents.window.tokenizer.name}`,
        ]
      : []),
    ...(semantic
      ? [`percentile=${semantic.percentile}`, `buffer=${semantic.buffer}`, `model=${semantic.model}`]
      : []),
    `v${ALGORITHM_VERSION}`,
  ];
  return `${strategy}(${fields.join(',')})`;
}

/** What all strategies work with: a document, its tokens, and what stands before each chunk. */
interface Job {
  readonly document: Document;
  readonly spans: readonly Span[];
  readonly meter: Meter;
  readonly prefixes: Prefixes;
  readonly leadAt: LeadAt;
}

class Cutter {
  readonly #options: ResolvedChunkOptions;
  readonly #borders;
  readonly #separators;

  constructor(options: ResolvedChunkOptions) {
    this.#options = options;
    this.#borders = findFreeBorders(options.tokenizer);
    this.#separators = compileSeparators(options.separators ?? []);
  }

  chunk(document: Document): ChunkColumns | Promise<ChunkColumns> {
    const { strategy, overlapTokens, semantic } = this.#options;
    const outlined = outlineFor(strategy, document);
    const job = this.#job(outlined?.document ?? document);
    const { meter, prefixes } = job;
    const finish = (pieces: readonly PlacedPiece[]) =>
      toColumns(job.document, pieces, (piece) => prefixes.headingPath(piece));
    if (semantic) {
      return cutSemantically(document, meter, prefixes, overlapTokens, semantic).then(finish);
    }
    if (outlined) {
      return finish(cutByStructure(job.document, meter, prefixes, overlapTokens, outlined.companies));
    }
    return finish(this.#cut(job));
  }

  #job(document: Document): Job {
    const { tokenizer, limitTokens } = this.#options;
    const spans = chunkedSpans(document);
    const meter = Meter.over(document.text, ...extent(spans), tokenizer, limitTokens, this.#borders);
    const prefixes = new Prefixes(document, meter);
    const { sections } = document;
    const leadAt = (start: number) => prefixes.leadAt(sectionAt(sections, start), start);
    return { document, spans, meter, prefixes, leadAt };
  }

  #cut(job: Job): PlacedPiece[] {
    const { document, meter, prefixes, leadAt } = job;
    const { strategy, overlapTokens, words, parents } = this.#options;
    if (strategy === 'whole') return cutWhole(document, meter, prefixes);
    if (parents) return this.#cutChildren(job, parents);
    if (words) return cutSpans(job, ({ start, end }) => cutWords(meter, start, end, words, leadAt));
    if (strategy === 'recursive') {
      const separators = this.#separators;
      return cutSpans(job, ({ start, end }) =>
        cutRecursively(meter, start, end, separators, overlapTokens, leadAt),
      );
    }
    if (strategy !== 'window' && (strategy !== 'auto' || hasStructure(document))) {
      return cutByStructure(document, meter, prefixes, overlapTokens);
    }
    return cutSpans(job, ({ start, end }) => cutWindows(meter, start, end, overlapTokens, leadAt));
  }

  #cutChildren(job: Job, parents: NonNullable<ResolvedChunkOptions['parents']>): PlacedPiece[] {
    const { document, meter, spans } = job;
    const { overlapTokens, tokenizer } = this.#options;
    const children = cutParentsAndChildren(document, meter, overlapTokens, parents.limitTokens);
    const { window } = parents;
    if (window.tokenizer === tokenizer) return children;
    const borders = findFreeBorders(window.tokenizer);
    const windowMeter = Meter.over(
      document.text,
      ...extent(spans),
      window.tokenizer,
      window.limitTokens,
      borders,
    );
    return holdToWindow(document, children, meter, windowMeter, overlapTokens);
  }
}

/** The outline that the text gives itself, where the strategy asks for it. */
function outlineFor(strategy: ResolvedChunkOptions['strategy'], document: Document): Outlined | undefined {
  if (strategy === 'auto') return plainOutline(document);
  if (strategy === 'clauses') return reoutline(document, findClauses(document).marks);
  if (strategy === 'faq') return reoutline(document, findPairs(document).marks);
  return undefined;
}

function cutSpans({ document, spans }: Job, cut: (span: Span) => Piece[]): PlacedPiece[] {
  const { sections } = document;
  return spans.flatMap(cut).map(({ start, end, lead, tokens, overLimit }) => {
    return { start, end, lead, tokens, overLimit, section: sectionAt(sections, start) };
  });
}

function extent(spans: readonly Span[]): [from: number, to: number] {
  return [spans[0]?.start ?? 0, spans.at(-1)?.end ?? 0];
}
