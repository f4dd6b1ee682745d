import { makeDocument } from '../../../dist/documents/index.js';
import { moved } from '../../../dist/threads/transfer.js';
import { chunkerOf } from '../../lib/chunkers.mjs';

let chunker;

/** The columns of each text, handed over. */
export default function cut({ texts, settings: { tokens, options, format } }) {
  chunker ??= chunkerOf(tokens, options);
  return moved(
    texts.map((text, i) => {
      const { start, end, embeddingText } = chunker.chunk(
        makeDocument({ id: `${i}`, text, title: ' ', format }),
      );
      return { start, end, embeddingText };
    }),
  );
}
