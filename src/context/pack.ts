import { SluiceError } from '../errors.js';
import { type Citation, citationLine, toCitation } from './citation.js';
import { addPassage, type Block, type Passage, sameDocument, toBlock } from './passage.js';

export interface PackOptions {
  /** Most tokens of the whole text, citation lines and separators included; 0 or more. */
  readonly budgetTokens: number;
  /** Tokens of a text in the reading model's encoding. Asynchronous where counting is off the main thread. */
  readonly countTokens: (text: string) => number | Promise<number>;
  /** Stands between passages. Default: an empty line. */
  readonly separator?: string | undefined;
}

/** What a model gets to read, and what of the hits that is. */
export interface Context {
  readonly text: string;
  /** What stands in the text, by number: one a passage, merged passages as one. */
  readonly used: readonly Citation[];
  /** One a hit, in the order of the hits; `number` says which passage it went into, null that it didn't fit. */
  readonly retrieved: readonly Citation[];
  /** Tokens of `text`, never over the budget. */
  readonly tokens: number;
}

const DEFAULT_SEPARATOR = '\n\n';

/**
 * Packs hits into a budget, best first and whole: a passage that doesn't fit is skipped, and smaller ones behind it may
 * still go in. Overlapping and adjoining passages of a document become one, in document order. Passages stand in the
 * order of their best hit, each under its citation line.
 * Throws SLUICE_USAGE without options, for a wrong budget, and without a counter or for one that returns no count.
 */
export async function packContext(hits: readonly Passage[], options: PackOptions): Promise<Context> {
  if (typeof options !== 'object' || options === null) {
    throw new SluiceError('SLUICE_USAGE', `the options of packContext must be an object, not ${options}`, {
      hint: 'write packContext(hits, { budgetTokens: 2_000, countTokens })',
    });
  }
  const { budgetTokens } = options;
  if (!Number.isSafeInteger(budgetTokens) || budgetTokens < 0) {
    throw new SluiceError(
      'SLUICE_USAGE',
      `budgetTokens must be a whole number of 0 or more, not ${budgetTokens}`,
    );
  }
  if (typeof options.countTokens !== 'function') {
    throw new SluiceError(
      'SLUICE_USAGE',
      `countTokens must be a function from a text to its number of tokens, not ${String(options.countTokens)}`,
      {
        hint: 'give the counter of the model that reads the text, or countTokens of this package for cl100k',
      },
    );
  }
  const separator = options.separator ?? DEFAULT_SEPARATOR;
  const count = countOnce(options.countTokens);
  let taken: Passage[] = [];
  let blocks: Block[] = [];
  for (const hit of hits) {
    const grown = addPassage(blocks, hit);
    if ((await sumTokens(grown, separator, count)) > budgetTokens) continue;
    blocks = grown;
    taken.push(hit);
  }
  // Token counts of parts need not add up to that of the whole: only the whole text's count is trusted.
  let text = render(blocks, separator);
  let tokens = text === '' ? 0 : await count(text);
  while (tokens > budgetTokens) {
    taken = taken.slice(0, -1);
    blocks = taken.reduce(addPassage, [] as Block[]);
    text = render(blocks, separator);
    tokens = text === '' ? 0 : await count(text);
  }
  return {
    text,
    used: blocks.map((block, at) => toCitation(block, at + 1)),
    retrieved: cite(hits, blocks),
    tokens,
  };
}

type CountTokens = (text: string) => Promise<number>;

/** Upper bound in practice: blocks counted alone, so that each is counted once and not again with every next hit. */
async function sumTokens(blocks: readonly Block[], separator: string, count: CountTokens): Promise<number> {
  let sum = 0;
  for (let at = 0; at < blocks.length; at++) {
    sum += await count(`${at === 0 ? '' : separator}${renderBlock(blocks[at]!, at + 1)}`);
  }
  return sum;
}

function countOnce(countTokens: PackOptions['countTokens']): CountTokens {
  const known = new Map<string, number>();
  return async (text) => {
    const tokens = known.get(text) ?? (await countTokens(text));
    if (!Number.isFinite(tokens) || tokens < 0) {
      throw new SluiceError('SLUICE_USAGE', `countTokens must return a number of tokens, not ${tokens}`);
    }
    known.set(text, tokens);
    return tokens;
  };
}

function render(blocks: readonly Block[], separator: string): string {
  return blocks.map((block, at) => renderBlock(block, at + 1)).join(separator);
}

function renderBlock(block: Block, number: number): string {
  return `${citationLine(block, number)}\n${block.text}`;
}

/** A hit is used if its span lies in a passage of the text, also where its own turn came too late for the budget. */
function cite(hits: readonly Passage[], blocks: readonly Block[]): Citation[] {
  return hits.map((hit) => {
    const at = blocks.findIndex(
      (block) => sameDocument(block, hit) && block.start <= hit.start && hit.end <= block.end,
    );
    return toCitation(toBlock(hit), at === -1 ? null : at + 1);
  });
}
