import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/**
 * Answers by the hash of all that shaped them, a small file each:
 *
 *     <folder>/<2 hex digits>/<62 hex digits>.txt      the answer, UTF-8
 *
 * Written beside and renamed, so that a killed process leaves whole answers only, and several may write at once.
 */
export class AnswerCache {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Undefined where there is none; what cannot be read counts as none. */
  async get(key: string): Promise<string | undefined> {
    try {
      const answer = await readFile(this.#pathOf(key), 'utf8');
      return answer === '' ? undefined : answer;
    } catch {
      return undefined;
    }
  }

  /** @throws what the file system says */
  async put(key: string, answer: string): Promise<void> {
    const path = this.#pathOf(key);
    await mkdir(dirname(path), { recursive: true });
    const beside = `${path}.${process.pid}-${randomBytes(4).toString('hex')}`;
    try {
      await writeFile(beside, answer);
      await rename(beside, path);
    } catch (error) {
      await rm(beside, { force: true });
      throw error;
    }
  }

  #pathOf(key: string): string {
    return join(this.#folder, key.slice(0, 2), `${key.slice(2)}.txt`);
  }
}
