import { createRequire } from 'node:module';
import { SluiceError } from '../errors.js';
import type { NativeAddon } from './contract.js';

let loaded: NativeAddon | undefined;

/**
 * The native addon, loaded on first use. Load it once on the main thread before any worker starts: concurrent first
 * loads of addons have crashed processes.
 * @throws SLUICE_NATIVE_UNAVAILABLE with the loader's reason
 */
export function addon(): NativeAddon {
  if (loaded) return loaded;
  const require = createRequire(import.meta.url);
  try {
    loaded = require('../../native-bindings/index.cjs') as NativeAddon;
    return loaded;
  } catch (cause) {
    throw new SluiceError(
      'SLUICE_NATIVE_UNAVAILABLE',
      `the native addon does not load on ${process.platform}-${process.arch}: ${(cause as Error).message}`,
      { hint: 'run "npm run build:native" (needs Rust)', cause },
    );
  }
}
