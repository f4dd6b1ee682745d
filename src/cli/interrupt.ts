import { note } from './output.js';

/**
 * The first Ctrl-C asks the run to stop; a second one ends the process at once, which the index survives too. It ends
 * by the signal itself: process.exit would tear down workers in the middle of native code, which aborts the process.
 */
export function stopOnInterrupt(beforeEnd: () => void): { signal: AbortSignal; dispose(): void } {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      dispose();
      beforeEnd();
      process.kill(process.pid, signal);
      return;
    }
    note('\nstopping: finishing what is under way (Ctrl-C again to stop at once)');
    controller.abort();
  };
  const dispose = () => void process.off('SIGINT', onSignal).off('SIGTERM', onSignal);
  process.on('SIGINT', onSignal).on('SIGTERM', onSignal);
  return { signal: controller.signal, dispose };
}
