/** Milliseconds by stage, wall clock, in the order in which the stages ran. Rides on every result. */
export interface StageTimings {
  /** From call to result. */
  totalMs: number;
  stages: StageTiming[];
}

export interface StageTiming {
  stage: string;
  ms: number;
}

/** Measures stages one after another, or overlapping ones by `time`. */
export class Stopwatch {
  readonly #started = performance.now();
  readonly #stages: StageTiming[] = [];

  async time<T>(stage: string, work: () => Promise<T> | T): Promise<T> {
    const from = performance.now();
    try {
      return await work();
    } finally {
      this.#stages.push({ stage, ms: performance.now() - from });
    }
  }

  timings(): StageTimings {
    return { totalMs: performance.now() - this.#started, stages: [...this.#stages] };
  }
}
