// Vectors that depend on the text and the model's name alone, for children and parents of one test.
export function toyVector(model, text, dims) {
  let state = 7;
  for (const character of `${model}: ${text}`)
    state = (Math.imul(state, 31) + character.codePointAt(0)) >>> 0;
  return Array.from({ length: dims }, () => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) >>> 0;
    return state / 2 ** 32 - 0.5;
  });
}

export const MODELS = { first: 16, second: 24, third: 16 };
