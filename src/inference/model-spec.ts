/** What a model folder says about its model, before anything is loaded. Plain data: it crosses into workers. */
export interface ModelSpec {
  /** The folder's own name for it; for people, never compared. */
  name: string;
  kind: ModelKind;
  modelPath: string;
  tokenizerPath: string;
  /** sha256, in hex, of the model's bytes (external data included): a renamed folder is the same model. */
  modelSha256: string;
  tokenizerSha256: string;
  precision: Precision;
  /** How token states become one vector; ignored where the graph itself returns one vector a text. */
  pooling: Exclude<Pooling, 'none'>;
  /** Vectors are brought to length 1. */
  normalized: boolean;
  /** Most tokens of one model call, special tokens included. */
  windowTokens: number;
  /** Length of a vector where the folder states it; the loaded graph decides, and must agree. */
  dims: number | null;
  /** Put before every text, e.g. 'query: ' and 'passage: '. */
  prefixes: { query: string; passage: string };
  /** Class names of a cross-encoder in the order of its logits, where the folder states them. */
  labels: string[] | null;
}

export type ModelKind = 'embedding' | 'cross-encoder';
export type Pooling = 'mean' | 'cls' | 'none';
/** 'int8' is dynamic quantization: its activation scale is per tensor, so texts must not share a run. */
export type Precision = 'int8' | 'fp32' | 'fp16';

/** What only the loaded graph knows. */
export interface ModelShape {
  inputs: string[];
  /** Name of the output that is read. */
  output: string;
  /** Length of a vector, or number of logits. */
  dims: number;
  /** 'none' where the graph returns one vector a text. */
  pooling: Pooling;
  /** Tokens that the tokenizer adds to one text and to a pair. */
  specialTokens: number;
  specialTokensPair: number;
  /** Execution provider that the session runs on. */
  provider: string;
}
