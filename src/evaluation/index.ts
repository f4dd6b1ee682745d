/**
 * Golden questions → report. Answers "how good are the answers, what is each stage worth, and what does it cost?".
 *
 * Costs: every judged query once a configuration, one after another; reading judgements streams, their contents stay in
 * memory.
 *
 * Not for: searching (the search function is an argument), judging generated answers, load tests.
 */
export { type Qrels, type Queries, readQrels, readQueries } from './beir.js';
export { type Configuration, type StandardOptions, standardConfigurations } from './configurations.js';
export { type Answer, type EvaluateRequest, evaluate, type Progress } from './evaluate.js';
export type { HasDocument } from './judged.js';
export type { Latency } from './latency.js';
export {
  hasRelevant,
  hitAt,
  type Judgements,
  ndcgAt,
  precisionAt,
  recallAt,
  reciprocalRankAt,
} from './metrics.js';
export {
  type ConfigurationReport,
  type EvaluationReport,
  type QueryReport,
  renderJson,
  renderTable,
} from './report.js';
