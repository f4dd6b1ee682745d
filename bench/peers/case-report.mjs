/** One case as Markdown: the question, the corpus, a table, and what the engines disagree on. */
import { figure, markdownTable } from '../lib/table.mjs';

export function caseReport(selected, result) {
  const { name, question, unit, corpus, sizeOf, engines } = selected;
  const { size, rounds, ratios, between } = result;
  const qualities = Object.keys(result.engines[0].quality);
  const headers = [
    'engine',
    `${unit}/s:`,
    'min–max:',
    `${unit}/CPU s:`,
    ...qualities.map((key) => `${key}:`),
    'peak RSS MiB:',
    'how',
  ];
  const rows = result.engines.map(({ engine, rate, cpuRate, quality, peakRssMiB }) => [
    engine,
    figure(rate.median),
    range(rate),
    figure(cpuRate.median),
    ...qualities.map((key) => figure(quality[key]?.median)),
    figure(peakRssMiB.median),
    engines[engine].note,
  ]);
  const [first] = Object.keys(engines);
  const times = (ratio) => (rounds === 1 ? 'one round' : `median of ${rounds} rounds, ${range(ratio)}`);
  return [
    `### ${name}`,
    '',
    `${question} Corpus: ${corpus.model}; size ${size} (${sizeOf}), seed ${corpus.seed}.`,
    '',
    markdownTable(headers, rows),
    '',
    ...ratios.map(
      (ratio) =>
        `${first} : ${ratio.base} = ${figure(ratio.median)} (${times(ratio)}); by CPU time ${figure(ratio.cpu.median)}`,
    ),
    ...Object.entries(between).map(([key, value]) => `${key}: ${value.toFixed(5)}`),
    ...result.disagreements.map((sentence) => `NOT EQUAL: ${sentence}`),
  ].join('\n');
}

function range({ min, max }) {
  return `${figure(min)}–${figure(max)}`;
}
