/** Worker thread of word-embedder.mjs. */
import { move } from 'piscina';
import { wordVectors } from './word-vectors.mjs';

export default function embed({ bytes, offsets }) {
  return move(wordVectors(bytes, offsets));
}
