import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createChunker } from '../../src/chunking/index.js';
import { readCode } from '../../src/documents/code.js';
import { makeDocument } from '../../src/documents/index.js';
import { loadBpe } from '../../src/tokens/index.js';
import { blockTexts, expectSound, outlineOf, uncovered } from './structure.js';

const SAMPLES = join(import.meta.dirname, 'code-samples');
const samples = readdirSync(SAMPLES).map((name) => {
  const extension = extname(name.replace(/\.txt$/, '')).slice(1);
  return { extension, text: readFileSync(join(SAMPLES, name), 'utf8') };
});
const sample = (extension: string) => samples.find((one) => one.extension === extension)!.text;

const OUTLINES: Record<string, string[]> = {
  ts: [
    '# interface Meal',
    '# enum Kind',
    '# class Nest<T extends Owl> extends Tree implements Home',
    '## constructor(private readonly size: number)',
    '## describe(prefix: string): string',
    '## get size2(): number',
    '## grow = async (by: number): Promise<void>',
    '# namespace Inner',
    '## class Egg',
    '### hatch(): void',
    '# async function fly(from: string, to: string): Promise<string>',
    '# glide = (height: number): number',
    '# menu',
    '## mice(count: number)',
    '# abstract class Hidden',
    '## abstract seen(): boolean',
  ],
  tsx: [
    '# function Button<T>({ label }: { label: string })',
    '# Panel = ({ children }: Props)',
    '# class Page extends Component<Props>',
    '## render()',
  ],
  js: [
    '# function add(a, b)',
    '# function* walk(tree)',
    '# class Shape extends Base',
    '## area()',
    '## static async make(w, h)',
    '# Outer = class',
    '## inner()',
    '# Shape.prototype.scale = function (by)',
    '# module.exports',
    '## subtract(a, b)',
    '## multiply: function (a, b)',
    '# exports.divide = (a, b)',
    "# describe('shapes')",
  ],
  py: [
    '# def fly(start: str, end: str = "{") -> str',
    '# class Nest(Tree, metaclass=Meta)',
    '## def __init__(self, size: int) -> None',
    '## def owls(self) -> list[str]',
    '## class Egg',
    '### def hatch(self)',
    '# async def main(*args: Any, **kwargs: Any) -> None',
  ],
  go: [
    '# type Nest[T any] struct',
    '# Kind int',
    '# Flier interface',
    '# func New[T any](size int) *Nest[T]',
    '# func (n *Nest[T]) Describe(prefix string) (string, error)',
    '# handler = func(x int) int',
  ],
  c: [
    '# struct nest',
    '# typedef struct pair_t',
    '# enum kind',
    '# static int add(int a, int b)',
    '# struct nest *nest_new(int size)',
    '# int main(int argc, char **argv)',
  ],
  sh: ['# describe()', '# function fly'],
  lua: [
    '# function Nest.new(size)',
    '# function Nest:describe(prefix)',
    '# local function helper(x)',
    '# fly = function(from, to)',
  ],
};

/** Of languages that are not spelled out above: one heading that only a true reading gives, by level. */
const HEADINGS: Record<string, string[]> = {
  rs: [
    "# impl<'a, T: Owl> Flies for Nest<'a, T> where T: Clone",
    '## pub fn new(size: usize) -> Self',
    '# mod tests',
  ],
  java: [
    '## public String describe(String prefix) throws IOException',
    '### void hatch()',
    '### Kind next()',
  ],
  cpp: ['## class Nest : public Tree', '### explicit Nest(int size)', '## void Nest<T>::grow(int by)'],
  cs: [
    '## public class Nest<T> : Tree where T : Owl',
    '### public Nest(int size) : base(size)',
    '#### void Hatch()',
  ],
  rb: ['## class Nest < Tree', '### def self.build(*args, **options, &block)', '#### def count'],
  php: [
    '# final class Nest extends Tree implements Home',
    '## public function describe(string $prefix): string',
  ],
  kt: [
    '## override suspend fun describe(prefix: String): String',
    '### fun build(size: Int)',
    '# fun String.fly(to: String): String',
  ],
};

/** The comment that belongs to a definition, by language, and words of the definition. */
const TOGETHER: Record<string, [string, string]> = {
  ts: ['// Says who lives here.', 'describe(prefix'],
  tsx: ['/** 🦉 A button', 'function Button'],
  js: ['Adds up 🦉.', 'function add'],
  py: ['# Makes one.', 'def __init__'],
  rs: ['/// Makes a nest.', 'pub fn new'],
  go: ['Describe says }', 'func (n *Nest[T]) Describe'],
  java: ['// Says who lives here.', 'String describe'],
  c: ['* Adds up.', 'add(int a'],
  cpp: ['// Says who lives here.', 'describe(const'],
  cs: ['// Says who lives here.', 'Describe(string'],
  rb: ['# Makes a nest.', 'def initialize'],
  php: ['// Says who lives here.', 'function describe'],
  kt: ['// Says who lives here.', 'fun describe'],
  sh: ['# Says who } lives here.', 'describe()'],
  lua: ['--- Makes a nest.', 'function Nest.new'],
};

describe('readCode', () => {
  it.each(Object.keys(OUTLINES))('outlines %s', (extension) => {
    const page = readCode(sample(extension), extension);
    expectSound(page);
    expect(outlineOf(page)).toEqual(OUTLINES[extension]);
  });

  it.each(Object.keys(HEADINGS))('finds what a sample of %s defines', (extension) => {
    const page = readCode(sample(extension), extension);
    expectSound(page);
    expect(outlineOf(page)).toEqual(expect.arrayContaining(HEADINGS[extension]!));
  });

  it.each(Object.keys(TOGETHER))('keeps a comment and its definition in one block of %s', (extension) => {
    const [comment, words] = TOGETHER[extension]!;
    const texts = blockTexts(readCode(sample(extension), extension)).map(([, text]) => text);
    expect(texts.some((text) => text.includes(comment) && text.includes(words))).toBe(true);
  });

  it.each(samples)('says the same of $extension with CRLF', ({ text, extension }) => {
    const crlf = readCode(text.replaceAll('\n', '\r\n'), extension);
    expectSound(crlf);
    expect(outlineOf(crlf)).toEqual(outlineOf(readCode(text, extension)));
    const normal = blockTexts(crlf).map(([kind, block]) => [kind, block.replaceAll('\r\n', '\n')]);
    expect(normal).toEqual(blockTexts(readCode(text, extension)));
  });

  it('takes banners for headings of what follows, and not for comments of one definition', () => {
    const python = [
      'import x',
      '# ------ Lists ------',
      'def a(x):  # why\n    return x',
      'def b(x):\n    return x',
      '# ------ Trees ------',
      'class Tree:\n    # --- Leaves ---\n\n    def leaf(self):\n        return 1',
      '    # --- Roots ---\n\n    def root(self):\n        return 1',
    ].join('\n\n');
    const page = readCode(python, 'py');
    expectSound(page);
    expect(outlineOf(page)).toEqual([
      '# Lists',
      '## def a(x)',
      '## def b(x)',
      '# Trees',
      '## class Tree',
      '### Leaves',
      '#### def leaf(self)',
      '### Roots',
      '#### def root(self)',
    ]);
  });

  it('does not take for a banner what heads one definition, or the file', () => {
    const text =
      '// Owls.\n\n// ---- nest.ts ----\n\nimport x from "x";\n\n// ---- fly ----\nfunction fly() {}\n\n// Explains.\n\nfunction rest() {}\n';
    const page = readCode(text, 'ts');
    expect(outlineOf(page)).toEqual(['# function fly()', '# function rest()']);
    expect(blockTexts(page)).toContainEqual(['code', '// ---- fly ----\nfunction fly() {}']);
  });

  it('shortens a signature by its parameters, and leaves comments out', () => {
    const parameters = Array.from({ length: 9 }, (_, i) => `  parameter${i}: string, // of note ${i}`);
    const text = `export async function fly(\n${parameters.join('\n')}\n): Promise<void> {\n  return;\n}\n`;
    expect(outlineOf(readCode(text, 'ts'))).toEqual(['# async function fly(…): Promise<void>']);
    const python = 'def fly(a,  # from\n        b):  # to\n    # Flies.\n    return a\n';
    expect(outlineOf(readCode(python, 'py'))).toEqual(['# def fly(a, b)']);
    const rust = `fn process_one<F: FnMut(&mut T) -> bool, T, const DELETED: bool>(f: &mut F, ${'g: &mut G, '.repeat(5)}) -> bool where F: Owl {\n}\n`;
    expect(outlineOf(readCode(rust, 'rs'))).toEqual([
      '# fn process_one<F: FnMut(&mut T) -> bool, T, const DELETED: bool>(…) -> bool',
    ]);
    const macro = '#define FLY(from, to) \\\n  do { fly(from, to); } while (0)\n';
    expect(outlineOf(readCode(macro, 'c'))).toEqual(['# #define FLY(from, to)']);
  });

  it('looks for the name in a macro, or has its parameters for one', () => {
    const wrapped =
      'extern char *__NTH (argz_next (const char *argz, unsigned long argz_len, const char *entry, int and_more))\n{\n  return 0;\n}';
    const c = readCode(wrapped, 'c').sections;
    expect([c.heading[1], c.name![1]]).toEqual(['extern char *__NTH (argz_next (…))', 'argz_next()']);
    expect(readCode('TEST(Owls, Fly) {\n  fly();\n}', 'cc').sections.name![1]).toBe('TEST(Owls, Fly)');
    const rust = readCode(
      "impl<'a, T: Owl<U>> Flies for Nest<'a, T> where T: Clone {\n  fn f() {}\n}\n",
      'rs',
    );
    expect(rust.sections.name![1]).toBe('impl Flies for Nest');
  });

  it('names each section in a word', () => {
    const names = (extension: string) => readCode(sample(extension), extension).sections.name!.slice(1, 6);
    expect(names('ts')).toEqual(['Meal', 'Kind', 'Nest', 'constructor()', 'describe()']);
    expect(names('go')).toEqual(['Nest', 'Kind', 'Flier', 'New()', 'Describe()']);
    expect(names('c')).toEqual(['nest', 'pair_t', 'kind', 'add()', 'nest_new()']);
    expect(names('py')).toEqual(['fly()', 'Nest', '__init__()', 'owls()', 'Egg']);
  });

  it('leaves no brace alone', () => {
    for (const { text, extension } of samples) {
      for (const [, block] of blockTexts(readCode(text, extension))) expect(block).toMatch(/[\p{L}\p{N}]/u);
    }
  });

  it('reads the scripts of components', () => {
    const text =
      '<template>🦉</template>\n<script lang="ts" setup>\nfunction a(b: string) {\n  return b;\n}\n</script>\n';
    const page = readCode(text, 'vue');
    expectSound(page);
    expect(outlineOf(page)).toEqual(['# function a(b: string)']);
  });

  it('cuts at blank lines where no grammar is or the text is no code', () => {
    const text = 'one\ntwo\n\nthree';
    for (const extension of ['', 'zig', 'json', 'ts']) {
      expect(outlineOf(readCode(text, extension))).toEqual([]);
      expect(blockTexts(readCode(text, extension))).toEqual([
        ['code', 'one\ntwo'],
        ['code', 'three'],
      ]);
    }
  });

  it('is sound and covers whatever is left of code', () => {
    const change = fc.tuple(
      fc.nat(),
      fc.nat(80),
      fc.constantFrom('', '{', '}', '"', "'", '`', '🦉', '\r', '/*', '#', ')', '\n\n', '<<A\n'),
    );
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(change, { minLength: 1, maxLength: 6 }),
        (one, changes) => {
          let { text } = one;
          for (const [at, length, put] of changes) {
            const from = at % (text.length + 1);
            text = text.slice(0, from) + put + text.slice(from + length);
          }
          const page = readCode(text, one.extension);
          expect(page.text).toBe(text);
          expectSound(page);
          expect(uncovered(page)).not.toMatch(/[\p{L}\p{N}]/u);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('chunks of code', () => {
  const tokenizer = loadBpe('cl100k');
  const chunker = createChunker({ strategy: 'auto', limitTokens: 120, overlapTokens: 18, tokenizer });

  it('hold whole functions under the path of their signatures', async () => {
    const text = sample('ts');
    const document = makeDocument({ id: 'src/nest.ts', text, format: 'code' });
    const chunks = await chunker.chunk(document);
    expect(document.title).toBe('nest.ts');
    const texts = Array.from(chunks.start, (start, row) => text.slice(start, chunks.end[row]));
    const row = texts.findIndex((chunk) => chunk.includes('describe(prefix'));
    expect(texts[row]).toMatch(/^ {2}\/\/ Says who lives here\.\n {2}@memoize\(\)\n[\s\S]*\n {2}\}/);
    expect(chunks.headingPath[row]).toMatch(/^class Nest<T extends Owl> extends Tree implements Home/);
  });

  it('of several small definitions name them behind what they share', async () => {
    const method = (name: string) => `  ${name}(by: number) {\n    return by;\n  }`;
    const nest = ['class Nest {', ...['grow', 'shrink', 'move'].map(method), '}'].join('\n\n');
    const text = `import { x } from 'x';\n\n${nest}\n\nfunction fly() {\n${'  owl(1, 2, 3, 4);\n'.repeat(30)}}\n`;
    const chunks = await chunker.chunk(makeDocument({ id: 'a.ts', text, format: 'code' }));
    expect([...new Set(chunks.headingPath)]).toEqual(['Nest › grow(), shrink(), move()', 'function fly()']);
  });
});
