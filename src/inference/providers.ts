import type { ModelSpec } from './model-spec.js';
import { hasRuntimeLibrary, onnxRuntime } from './runtime.js';

/** 'auto', or the name of an execution provider of ONNX Runtime: 'cpu', 'cuda', 'webgpu', 'coreml', 'dml', … */
export type ProviderChoice = 'auto' | (string & {});

export interface ProviderInfo {
  name: string;
  /** Its libraries are here. Whether the hardware is, shows when a session is made. */
  installed: boolean;
  /** 'auto' may choose it. */
  automatic: boolean;
}

/** Execution providers that this build of ONNX Runtime knows. */
export function listProviders(): ProviderInfo[] {
  const backends = onnxRuntime().listSupportedBackends();
  return backends.map(({ name, bundled }) => ({
    name,
    installed: bundled || (name === 'cuda' && hasRuntimeLibrary('providers_cuda')),
    automatic: name === 'cpu' || name === 'cuda',
  }));
}

/**
 * Providers to try, in order. 'auto' is CUDA where its libraries are installed, then CPU: CoreML, DirectML and WebGPU
 * have been many times slower than the CPU on graphs that they take in part, so they run on request only. Dynamic int8
 * has no CUDA kernels, so such a model stays on the CPU.
 */
export function providersToTry(choice: ProviderChoice, precision: ModelSpec['precision']): string[] {
  if (choice !== 'auto') return [choice];
  return precision !== 'int8' && hasRuntimeLibrary('providers_cuda') ? ['cuda', 'cpu'] : ['cpu'];
}
