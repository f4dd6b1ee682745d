import { SingleBar } from 'cli-progress';
import type { IndexProgress } from '../indexing/index.js';
import type { ReembedProgress } from '../reembed-run.js';
import { bytes, count, duration, note, percent } from './output.js';

export type ProgressStyle = 'auto' | 'bar' | 'lines' | 'none';

const BAR_EVERY_MS = 200;
const LINE_EVERY_MS = 5_000;

/** Shows how far a run is: a bar on a terminal, a line every few seconds elsewhere. All of it on stderr. */
export interface ProgressView {
  readonly everyMs: number;
  show(line: ProgressLine): void;
  end(): void;
}

/** Where a run stands, as it is shown. */
export interface ProgressLine {
  done: number;
  total: number;
  share: string;
  detail: string;
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
    show({ done, total, share, detail }) {
      bar.setTotal(Math.max(1, total));
      bar.update(Math.min(done, total), { share, detail });
    },
    end: () => bar.stop(),
  };
}

function lineView(): ProgressView {
  return {
    everyMs: LINE_EVERY_MS,
    show: ({ share, detail }) => note(`${share} ${detail}`),
    end: () => {},
  };
}

export function indexLine(progress: IndexProgress): ProgressLine {
  const { bytesDone, bytesTotal } = progress;
  return { done: bytesDone, total: bytesTotal, share: shareText(progress), detail: detailText(progress) };
}

export function reembedLine({ done, chunks, embedded, elapsedMs, etaMs }: ReembedProgress): ProgressLine {
  const rate = elapsedMs > 0 ? (embedded / elapsedMs) * 1_000 : 0;
  return {
    done,
    total: chunks,
    share: percent(chunks === 0 ? 0 : done / chunks),
    detail: [
      `${count(done)} of ${count(chunks)} chunks`,
      `${rate.toFixed(0)} chunks/s`,
      `ETA ${etaMs === null ? '?' : duration(etaMs)}`,
    ].join(' | '),
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
