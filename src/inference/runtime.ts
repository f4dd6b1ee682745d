import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type * as Onnx from 'onnxruntime-node';
import { SluiceError } from '../errors.js';

export type OnnxRuntime = typeof Onnx;

let loaded: OnnxRuntime | undefined;

/**
 * ONNX Runtime, loaded on first use. The main thread loads it once before any worker starts: first loads in many
 * threads at once have crashed processes. About 12 ms, once per process.
 * @throws SLUICE_MODEL_FAILED with the loader's reason
 */
export function onnxRuntime(load: () => OnnxRuntime = requireRuntime): OnnxRuntime {
  if (loaded) return loaded;
  try {
    loaded = load();
  } catch (cause) {
    throw new SluiceError(
      'SLUICE_MODEL_FAILED',
      `ONNX Runtime does not load on ${process.platform}-${process.arch}: ${(cause as Error).message}`,
      { hint: 'its libraries need glibc (not musl, as on Alpine), macOS 14 on arm64, or Windows', cause },
    );
  }
  // Whatever fails is thrown as well; only the library's own printing to stderr stops.
  loaded.env.logLevel = 'fatal';
  return loaded;
}

function requireRuntime(): OnnxRuntime {
  return createRequire(import.meta.url)('onnxruntime-node') as OnnxRuntime;
}

/** Whether a shared library of ONNX Runtime lies beside its addon; GPU libraries are an extra install step. */
export function hasRuntimeLibrary(name: 'providers_cuda' | 'providers_tensorrt'): boolean {
  const root = dirname(dirname(createRequire(import.meta.url).resolve('onnxruntime-node')));
  const folder = join(root, 'bin', 'napi-v6', process.platform, process.arch);
  const file = process.platform === 'win32' ? `onnxruntime_${name}.dll` : `libonnxruntime_${name}.so`;
  return existsSync(join(folder, file));
}
