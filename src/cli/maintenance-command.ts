import { SluiceError } from '../errors.js';
import { EXIT } from './exit-codes.js';
import { MaintenanceView } from './maintenance-progress.js';
import { fail, type OutputOptions, printJson } from './output.js';

type Store = typeof import('../store/index.js');

/**
 * What the commands have in common that care for an index as a whole.
 * @param corrupt the exit status where the index is too damaged for the command
 */
export async function maintain<T>(
  options: OutputOptions,
  run: (store: Store, onProgress: MaintenanceView['show']) => Promise<T>,
  tell: (result: T) => void,
  corrupt: number = EXIT.failed,
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
    if (SluiceError.is(error) && error.code === 'SLUICE_INDEX_CORRUPT') process.exitCode = corrupt;
  }
}
