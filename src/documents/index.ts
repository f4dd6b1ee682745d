/**
 * documents/: from folders and bytes to Documents.
 *
 * Answers: which files under these roots are documents (`walkFolders`), what is the text of these bytes (`decode`),
 * what are its sections, blocks, title and metadata (`readFileDocument`, `makeDocument`, `readJsonlBlock`), and has it
 * changed (`contentHash`).
 *
 * Costs: the walk streams, and its memory doesn't grow with the number of files. A file is read whole (64 MiB at most
 * by default), JSONL in blocks of whole lines. Parsing is synchronous and belongs off the main thread; the walk and
 * `jsonlBlocks` are made for it.
 *
 * Not for: cutting text into chunks, and formats that are not in formats.ts: give a DocumentReader.
 */
export { contentHash } from './content-hash.js';
export { type DecodeOptions, decode } from './decode.js';
export type { DecodedText } from './decoded-text.js';
export { type FileFormat, formatOf } from './formats.js';
export { type JsonlBlockOrigin, type JsonlDocuments, readJsonlBlock } from './jsonl.js';
export { type JsonlBlock, type JsonlBlockOptions, jsonlBlocks, type RecordSkip } from './jsonl-blocks.js';
export { noFilesHint } from './no-files.js';
export { makeDocument, type ReadOptions, readFileDocument } from './read.js';
export type { DocumentReader, ReadResult } from './reader.js';
export type { SelectionOptions } from './selection.js';
export { walkFolders } from './walk.js';
export {
  DEFAULT_MAX_FILE_BYTES,
  type FileEntry,
  type SkippedEntry,
  type WalkEntry,
  type WalkRoot,
} from './walk-entry.js';
export type { WalkOptions } from './walk-options.js';
