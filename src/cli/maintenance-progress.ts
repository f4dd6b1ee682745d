import type { MaintenanceProgress } from '../model/store.js';
import { count, note, percent } from './output.js';

const SHOW_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;
const ERASE_LINE = '\r\u001b[K';

/** Shows how far a piece of maintenance is, on stderr: one line that changes on a terminal, else a line now and then. */
export class MaintenanceView {
  readonly #terminal = process.stderr.isTTY === true;
  #shownAt = performance.now();
  #shown = false;

  readonly show = (progress: MaintenanceProgress): void => {
    const now = performance.now();
    if (now - this.#shownAt < (this.#terminal ? SHOW_EVERY_MS : LINE_EVERY_MS)) return;
    this.#shownAt = now;
    this.#shown = true;
    if (this.#terminal) process.stderr.write(`${ERASE_LINE}${spelled(progress)}`);
    else note(spelled(progress));
  };

  end(): void {
    if (this.#terminal && this.#shown) process.stderr.write(ERASE_LINE);
  }
}

function spelled({ phase, done, total }: MaintenanceProgress): string {
  if (total > 0) return `${phase}: ${percent(Math.min(1, done / total))} of ${count(total)}`;
  return done > 0 ? `${phase}: ${count(done)}` : phase;
}
