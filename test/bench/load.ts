/** A module of bench/, which is plain JavaScript: typed by what the test does with it. */
// biome-ignore lint/suspicious/noExplicitAny: bench/ has no declarations
export function load(file: string): Promise<any> {
  return import(new URL(`../../bench/${file}`, import.meta.url).href);
}
