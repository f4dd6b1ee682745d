import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { SluiceError } from '../errors.js';
import { addon } from '../native/addon.js';
import type { NativeTokenizer } from '../native/contract.js';
import { fromHalfFloats } from './half-floats.js';
import type { ModelShape, ModelSpec } from './model-spec.js';
import { chooseOutput } from './outputs.js';
import { listProviders, type ProviderChoice, providersToTry } from './providers.js';
import { onnxRuntime } from './runtime.js';
import { type PairTemplate, pairTemplate, type SingleTemplate, singleTemplate } from './special-tokens.js';
import { TokenInput } from './token-input.js';

/** A session and its tokenizer, in a worker. One sequence at a time. */
export class OnnxModel {
  readonly input: TokenInput;
  #pair: PairTemplate | undefined;

  private constructor(
    readonly spec: ModelSpec,
    readonly shape: ModelShape,
    readonly tokenizer: NativeTokenizer,
    readonly single: SingleTemplate,
    private readonly session: InferenceSession,
  ) {
    this.input = new TokenInput(inputsOf(session), spec.windowTokens);
  }

  /** @throws SLUICE_MODEL_FAILED with the cause, SLUICE_MODEL_INVALID if graph and folder contradict each other */
  static async open(spec: ModelSpec, choice: ProviderChoice): Promise<OnnxModel> {
    const tokenizer = openTokenizer(spec);
    const { session, provider } = await openSession(spec, choice);
    try {
      const shape: ModelShape = {
        ...chooseOutput(session.outputMetadata, spec),
        inputs: [...session.inputNames],
        specialTokens: tokenizer.specialTokens,
        specialTokensPair: tokenizer.specialTokensPair,
        provider,
      };
      return new OnnxModel(spec, shape, tokenizer, singleTemplate(tokenizer), session);
    } catch (error) {
      await session.release();
      throw error;
    }
  }

  get pair(): PairTemplate {
    this.#pair ??= pairTemplate(this.tokenizer);
    return this.#pair;
  }

  /** Runs the sequence in `input`: token states, a vector or logits, whichever `shape.output` holds. */
  async run(): Promise<Float32Array> {
    let outputs: InferenceSession.OnnxValueMapType;
    try {
      outputs = await this.session.run(this.input.feeds(), [this.shape.output]);
    } catch (cause) {
      throw new SluiceError('SLUICE_MODEL_FAILED', `${this.spec.name} failed: ${(cause as Error).message}`, {
        cause,
      });
    }
    return asFloats(outputs[this.shape.output]! as Tensor, this.spec);
  }

  async close(): Promise<void> {
    await this.session.release();
  }
}

function openTokenizer(spec: ModelSpec): NativeTokenizer {
  try {
    return addon().ModelTokenizer.fromFile(spec.tokenizerPath);
  } catch (cause) {
    if (SluiceError.is(cause) && cause.code === 'SLUICE_NATIVE_UNAVAILABLE') throw cause;
    throw new SluiceError(
      'SLUICE_MODEL_FAILED',
      `cannot load the tokenizer ${spec.tokenizerPath}: ${(cause as Error).message}`,
      { cause, details: { path: spec.tokenizerPath } },
    );
  }
}

async function openSession(spec: ModelSpec, choice: ProviderChoice) {
  const failures: string[] = [];
  for (const provider of providersToTry(choice, spec.precision)) {
    try {
      const options = sessionOptions(provider);
      return { session: await onnxRuntime().InferenceSession.create(spec.modelPath, options), provider };
    } catch (cause) {
      failures.push(`${provider}: ${(cause as Error).message.trim()}`);
    }
  }
  const installed = listProviders().flatMap(({ name, installed }) => (installed ? [name] : []));
  throw new SluiceError('SLUICE_MODEL_FAILED', `cannot load ${spec.modelPath}: ${failures.join('; ')}`, {
    hint: `execution providers that are installed: ${installed.join(', ')}`,
    details: { path: spec.modelPath, provider: choice, installed },
  });
}

function sessionOptions(provider: string): InferenceSession.SessionOptions {
  return {
    executionProviders: [provider],
    // Parallelism is over texts, by workers: one run takes one core, and the budget can count.
    intraOpNumThreads: 1,
    interOpNumThreads: 1,
    executionMode: 'sequential',
    graphOptimizationLevel: 'all',
    // Lengths vary from run to run, so there is no pattern to plan for, and the plan costs memory for each length.
    enableMemPattern: false,
    logSeverityLevel: 4,
    extra: { session: { intra_op: { allow_spinning: '0' } } },
  };
}

function inputsOf(session: InferenceSession): Array<{ name: string; type: string }> {
  return session.inputMetadata.map((input) => ({
    name: input.name,
    type: input.isTensor ? input.type : 'no tensor',
  }));
}

function asFloats(tensor: Tensor, spec: ModelSpec): Float32Array {
  if (tensor.type === 'float32') return tensor.data as Float32Array;
  if (tensor.type === 'float16') {
    const { buffer, byteOffset, length } = tensor.data as unknown as Uint16Array;
    return fromHalfFloats(new Uint16Array(buffer, byteOffset, length));
  }
  throw new SluiceError('SLUICE_MODEL_INVALID', `${spec.name} returns ${tensor.type}, not floats`);
}
