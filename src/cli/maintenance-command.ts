import { MaintenanceView } from './maintenance-progress.js';
import { fail, type OutputOptions, printJson } from './output.js';

type Store = typeof import('../store/index.js');

/** What the commands have in common that care for an index as a whole. */
export async function maintain<T>(
  options: OutputOptions,
  run: (store: Store, onProgress: MaintenanceView['show']) => Promise<T>,
  tell: (result: T) => void,
): Promise<void> {
  const view = new MaintenanceView();
  try {
    // Loaded here, so that --help and usage errors don't wait for the native parts.
    const store = await import('../store/index.js');
    const result = await run(store, view.show);
    view.end();
    if (options.json) printJson(result);
    else tell(result);
  } catch (error) {
    view.end();
    fail(error, options);
  }
}
