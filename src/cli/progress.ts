import { SingleBar } from 'cli-progress';
import type { IndexProgress } from '../indexing/index.js';
import { bytes, count, duration, note, percent } from './output.js';

export type ProgressStyle = 'auto' | 'bar' | 'lines' | 'none';

const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;

/** Shows how far a run is: a bar on a terminal, a line every few seconds elsewhere. All of it on stderr. */
export interface ProgressView {
  readonly everyMs: number;
  show(progress: IndexProgress): void;
  end(): void;
}

export function progressView(style: ProgressStyle): ProgressView {
  const chosen = style === 'auto' ? (process.stderr.isTTY ? 'bar' : 'lines') : style;
  if (chosen === 'bar') return barView();
  if (chosen === 'lines') return lineView();
  return { everyMs: LINE_EVERY_MS, show: () => {}, end: () => {} };
}

function barView(): ProgressView {
  const bar = new SingleBar({
    format: '{bar} {share} | {detail}',
    barsize: 24,
    hideCursor: true,
    clearOnComplete: true,
    stream: process.stderr,
    // Ctrl-C is ours: the run must commit before the process ends.
    gracefulExit: false,
  });
  bar.start(1, 0, { share: '', detail: 'starting' });
  return {
    everyMs: BAR_EVERY_MS,
    show(progress) {
      bar.setTotal(Math.max(1, progress.bytesTotal));
      const done = Math.min(progress.bytesDone, progress.bytesTotal);
      bar.update(done, { share: shareText(progress), detail: detailText(progress) });
    },
    end: () => bar.stop(),
  };
}

function lineView(): ProgressView {
  return {
    everyMs: LINE_EVERY_MS,
    show: (progress) => note(`${shareText(progress)} ${detailText(progress)}`),
    end: () => {},
  };
}

function shareText({ bytesDone, bytesTotal, totalKnown, phase }: IndexProgress): string {
  if (phase === 'publishing') return 'publishing';
  return totalKnown && bytesTotal > 0 ? percent(Math.min(1, bytesDone / bytesTotal)) : bytes(bytesDone);
}

function detailText(progress: IndexProgress): string {
  const { stageShares: shares } = progress;
  const parts = [
    `${count(progress.filesDone + progress.filesUnchanged)} files`,
    `${count(progress.chunks)} chunks`,
    `${progress.chunksPerSecond.toFixed(0)} chunks/s`,
    `${count(progress.tokensPerSecond)} tokens/s`,
    `ETA ${progress.etaMs === null ? '?' : duration(progress.etaMs)}`,
    `embed ${percent(shares.embed + shares.tokenize)} store ${percent(shares.store)} read ${percent(shares.read + shares.chunk)}`,
  ];
  if (progress.skipped > 0) parts.push(`${count(progress.skipped)} skipped`);
  return parts.join(' | ');
}
