/**
 * What worker threads leave in shared memory, so that the main thread knows what they were at when they hang or die: a
 * thread that spins cannot be asked.
 */

/** Rows of a table; threads are told apart by their ids, and never so many live at once. */
const ROWS = 4_096;
const FIELDS = 3;
const CALLS = 0;
const TURNS = 1;
const MODULE = 2;

/** How a thread fares with the caller's modules. */
export class ThreadMarks {
  readonly #row: Int32Array;

  /** A table for all threads of a pool. */
  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer(ROWS * FIELDS * Int32Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer, thread: number) {
    const at = (thread % ROWS) * FIELDS * Int32Array.BYTES_PER_ELEMENT;
    this.#row = new Int32Array(memory, at, FIELDS);
  }

  /** A thread begins; another one may have had its row. */
  clear(): void {
    this.#row.fill(0);
  }

  /** @param module its place in `moduleUrls` */
  begin(module: number): void {
    Atomics.store(this.#row, MODULE, module + 1);
    Atomics.add(this.#row, CALLS, 1);
    this.turn();
  }

  end(): void {
    Atomics.sub(this.#row, CALLS, 1);
    this.turn();
  }

  /** The thread's event loop is alive. */
  turn(): void {
    Atomics.add(this.#row, TURNS, 1);
  }

  /** Calls of modules that have not come back. */
  get calls(): number {
    return Atomics.load(this.#row, CALLS);
  }

  get turns(): number {
    return Atomics.load(this.#row, TURNS);
  }

  /** The one called last; undefined before any was. */
  get module(): number | undefined {
    const module = Atomics.load(this.#row, MODULE);
    return module === 0 ? undefined : module - 1;
  }
}

/** Reads that are under way at once, and the document that is cut. */
const PLACES = 16;

/** Which items of one portion a thread is at. */
export class ItemMarks {
  readonly #thread: Int32Array;
  readonly #places: Int32Array;

  static memory(): SharedArrayBuffer {
    return new SharedArrayBuffer((1 + PLACES) * Int32Array.BYTES_PER_ELEMENT);
  }

  constructor(memory: SharedArrayBuffer) {
    this.#thread = new Int32Array(memory, 0, 1);
    this.#places = new Int32Array(memory, Int32Array.BYTES_PER_ELEMENT, PLACES);
  }

  /** The thread that has begun the portion; 0 for none. */
  get thread(): number {
    return Atomics.load(this.#thread, 0);
  }

  set thread(id: number) {
    Atomics.store(this.#thread, 0, id);
  }

  /** @returns what to call when the thread is through with it */
  begin(item: number): () => void {
    const place = this.#places.indexOf(0);
    if (place < 0) return () => {};
    Atomics.store(this.#places, place, item + 1);
    return () => void Atomics.store(this.#places, place, 0);
  }

  /** Ascending. */
  get items(): number[] {
    const marked = this.#places.filter((mark) => mark !== 0).map((mark) => mark - 1);
    return [...new Set(marked)].sort((a, b) => a - b);
  }
}
