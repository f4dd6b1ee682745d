import { describe, expect, it } from 'vitest';
import { listProviders, providersToTry } from '../../src/inference/providers.js';
import { hasRuntimeLibrary, onnxRuntime } from '../../src/inference/runtime.js';

describe('ONNX Runtime', () => {
  it('fails once, loudly, with the reason and what it needs', () => {
    const broken = () => {
      throw new Error('ld-linux-x86-64.so.2: no such file');
    };
    expect(() => onnxRuntime(broken)).toThrow(
      expect.objectContaining({
        code: 'SLUICE_MODEL_FAILED',
        message: expect.stringMatching(/does not load on .*: ld-linux-x86-64\.so\.2: no such file; .*glibc/),
      }),
    );
  });

  it('is loaded once', () => {
    expect(onnxRuntime()).toBe(onnxRuntime());
  });
});

describe('execution providers', () => {
  it('are listed with what is installed', () => {
    const cpu = listProviders().find(({ name }) => name === 'cpu');
    expect(cpu).toEqual({ name: 'cpu', installed: true, automatic: true });
    for (const { name, automatic } of listProviders()) {
      if (/coreml|dml|webgpu|tensorrt/.test(name)) expect(automatic).toBe(false);
    }
  });

  it('are chosen by themselves only among CUDA and the CPU, and never CUDA for dynamic int8', () => {
    expect(providersToTry('auto', 'int8')).toEqual(['cpu']);
    const expected = hasRuntimeLibrary('providers_cuda') ? ['cuda', 'cpu'] : ['cpu'];
    expect(providersToTry('auto', 'fp16')).toEqual(expected);
    expect(providersToTry('webgpu', 'fp32')).toEqual(['webgpu']);
  });
});
