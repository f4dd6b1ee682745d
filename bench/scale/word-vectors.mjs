/**
 * Vectors that follow from the text alone, so that a hybrid search over a million real chunks means something without
 * a day of inference: texts that share words are near, a question is near the passage it was taken from, and the same
 * text has the same vector in every process.
 *
 *     vector = unit( unit(words) + TOPIC_SHARE × topic )
 *
 * words: a sparse random projection of the words, long ones weighing more. topic: the corner of a hypercube with
 * TOPIC_BITS axes that the words point to. Embeddings vary in few directions strongly and in many weakly, and it is the
 * few that make neighbourhoods; a projection of words alone has none, and a graph over it says little about real ones.
 */
import { gaussian } from '../lib/random.mjs';

export const DIMS = 384;

/** Coordinates that one word touches. */
const TAPS = 16;
const TOPIC_BITS = 16;
const TOPIC_SHARE = 1;
/** Longer words weigh no more than this many letters. */
const MAX_WEIGHT = 10;
const SEED = 11;

const AXES = topicAxes();

/**
 * @param {Uint8Array} bytes UTF-8 of all texts, one after another
 * @param {Uint32Array} offsets rows + 1 positions in bytes
 * @returns {Float32Array} rows × DIMS, each row of length 1; a text without words is a unit vector too
 */
export function wordVectors(bytes, offsets) {
  const rows = offsets.length - 1;
  const data = new Float32Array(rows * DIMS);
  const topic = new Float64Array(TOPIC_BITS);
  for (let row = 0; row < rows; row++) {
    const vector = data.subarray(row * DIMS, (row + 1) * DIMS);
    topic.fill(0);
    addWords(vector, topic, bytes, offsets[row], offsets[row + 1]);
    scaleToUnit(vector);
    addTopic(vector, topic);
    scaleToUnit(vector);
  }
  return data;
}

/** ASCII letters and digits make words; every other character that is not ASCII is a word of its own. */
function addWords(vector, topic, bytes, from, to) {
  let hash = 0;
  let length = 0;
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    const lower = byte >= 65 && byte <= 90 ? byte + 32 : byte;
    const continues = byte >= 128 ? byte < 192 : isWordByte(lower) && !(length > 0 && bytes[at - 1] >= 128);
    if (!continues) {
      if (length > 1) addWord(vector, topic, hash, length);
      hash = 0x811c9dc5;
      length = 0;
    }
    if (byte < 128 && !isWordByte(lower)) continue;
    if (length === 0) hash = 0x811c9dc5;
    hash = Math.imul(hash ^ lower, 0x01000193);
    length++;
  }
  if (length > 1) addWord(vector, topic, hash, length);
}

function isWordByte(lower) {
  return (lower >= 97 && lower <= 122) || (lower >= 48 && lower <= 57);
}

function addWord(vector, topic, hash, length) {
  const weight = Math.min(length, MAX_WEIGHT);
  let state = mix(hash);
  for (let bit = 0; bit < TOPIC_BITS; bit++) topic[bit] += signed(state >>> bit, weight);
  for (let tap = 0; tap < TAPS; tap++) {
    state = mix(state + 0x9e3779b9);
    const at = (state >>> 1) % DIMS;
    vector[at] += signed(state, weight);
  }
}

/** Plus or minus by the last bit; without a branch, which would be foreseen half of the time. */
function signed(bits, weight) {
  return ((bits & 1) * 2 - 1) * weight;
}

function addTopic(vector, topic) {
  for (let bit = 0; bit < TOPIC_BITS; bit++) {
    const scale = (topic[bit] >= 0 ? TOPIC_SHARE : -TOPIC_SHARE) / Math.sqrt(TOPIC_BITS);
    const axis = bit * DIMS;
    for (let i = 0; i < DIMS; i++) vector[i] += scale * AXES[axis + i];
  }
}

function topicAxes() {
  const normal = gaussian(SEED);
  const axes = new Float32Array(TOPIC_BITS * DIMS);
  for (let bit = 0; bit < TOPIC_BITS; bit++) {
    const axis = axes.subarray(bit * DIMS, (bit + 1) * DIMS);
    for (let i = 0; i < DIMS; i++) axis[i] = normal();
    scaleToUnit(axis);
  }
  return axes;
}

function scaleToUnit(vector) {
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return;
  const scale = 1 / Math.sqrt(squares);
  for (let i = 0; i < vector.length; i++) vector[i] *= scale;
}

function mix(value) {
  let mixed = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return (mixed ^ (mixed >>> 16)) >>> 0;
}
