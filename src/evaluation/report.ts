import { LISTED_IDS } from './judged.js';
import type { Latency } from './latency.js';

export interface QueryReport {
  readonly id: string;
  readonly ms: number;
  readonly metrics: Readonly<Record<string, number>>;
  /** Document ids, best first. */
  readonly ranking: readonly string[];
}

export interface ConfigurationReport {
  readonly name: string;
  /** Means over the queries: 'nDCG@10', 'recall@100', 'MRR@10', 'precision@10', 'hit@10' and so on for each k. */
  readonly metrics: Readonly<Record<string, number>>;
  readonly latency: Latency;
  /** Queries whose answer was reranked, and those whose reranker failed. */
  readonly reranked: number;
  readonly rerankErrors: number;
  /** Queries for which a leg that counted found nothing, by leg. */
  readonly emptyLegs: Readonly<Record<string, number>>;
  readonly perQuery?: readonly QueryReport[];
}

export interface EvaluationReport {
  /** Queries measured. */
  readonly queries: number;
  /** Judged queries left out: without a relevant document, without a text. */
  readonly withoutRelevant: number;
  readonly withoutText: readonly string[];
  /** Relevant documents that the index lacks; null if nobody looked. */
  readonly missingDocuments: readonly string[] | null;
  readonly ks: readonly number[];
  readonly configurations: readonly ConfigurationReport[];
}

/** The report as indented JSON with a final line end; numbers in full. */
export function renderJson(report: EvaluationReport): string {
  return `${JSON.stringify(report, null, 2)}\n`;
}

/** The report as a plain text table with its caveats below; metrics to four places, milliseconds to one. */
export function renderTable(report: EvaluationReport): string {
  const [least, most] = [report.ks[0]!, report.ks.at(-1)!];
  const names = [...new Set([`nDCG@${least}`, `recall@${least}`, `recall@${most}`, `MRR@${least}`])];
  const rows = [
    ['configuration', ...names, 'p50 ms', 'p95 ms'],
    ...report.configurations.map(({ name, metrics, latency }) => [
      name,
      ...names.map((metric) => metrics[metric]!.toFixed(4)),
      latency.p50Ms.toFixed(1),
      latency.p95Ms.toFixed(1),
    ]),
  ];
  return `${[...alignColumns(rows), ...caveats(report)].join('\n')}\n`;
}

/** First column to the left, numbers to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column]!) : cell.padStart(widths[column]!)))
      .join('  '),
  );
}

/** Everything that makes the figures above mean less than they seem to. */
function caveats(report: EvaluationReport): string[] {
  const { queries, withoutRelevant, withoutText, missingDocuments } = report;
  const lines = [`${queries} queries measured`];
  if (withoutRelevant > 0) lines.push(`${withoutRelevant} judged queries left out: no relevant document`);
  if (withoutText.length > 0) {
    lines.push(`${withoutText.length} judged queries left out: no text for ${listed(withoutText)}`);
  }
  if (missingDocuments === null) lines.push('not checked whether the index holds the relevant documents');
  else if (missingDocuments.length > 0) {
    lines.push(
      `${missingDocuments.length} relevant documents are not in the index: ${listed(missingDocuments)}`,
    );
  }
  for (const { name, reranked, rerankErrors, emptyLegs } of report.configurations) {
    if (reranked > 0 && reranked < queries)
      lines.push(`${name}: ${reranked} of ${queries} answers were reranked`);
    if (rerankErrors > 0) lines.push(`${name}: the reranker failed for ${rerankErrors} queries`);
    for (const [leg, count] of Object.entries(emptyLegs)) {
      lines.push(`${name}: the ${leg} leg found nothing for ${count} of ${queries} queries`);
    }
  }
  return lines;
}

function listed(ids: readonly string[]): string {
  const shown = ids.slice(0, LISTED_IDS).join(', ');
  return ids.length > LISTED_IDS ? `${shown}, …` : shown;
}
