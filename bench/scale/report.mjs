/** The figures of run.mjs for people, each with the target that it is held against. */
import { machineLine } from '../lib/machine.mjs';
import { median } from '../lib/stats.mjs';
import { figure, markdownTable } from '../lib/table.mjs';
import { corpusLine } from './corpus.mjs';

const MIB = 2 ** 20;

export function scaleReport(result) {
  return [
    machineLine(result.machine),
    corpusLine(result.corpus),
    ...section('Build', buildRows(result.build)),
    ...section('On disk', diskRows(result.build)),
    ...section('Start and serve', [...startRows(result.start), ...serveRows(result)]),
    '',
    markdownTable(
      ['stage', 'ran:', 'p50 ms:', 'p95 ms:', 'p99 ms:'],
      result.serve.stages.map(({ stage, count, p50, p95, p99 }) => [
        stage,
        count,
        ...[p50, p95, p99].map(figure),
      ]),
    ),
    '\n### Filters\n',
    filterTable(result),
  ].join('\n');
}

function section(title, rows) {
  return [`\n### ${title}\n`, markdownTable(['what', 'value:', 'target', 'met'], rows)];
}

/** @param {boolean | undefined} met undefined where there is no target */
function row(what, value, target = '', met = undefined) {
  return [what, value, target, met === undefined ? '' : met ? 'yes' : 'NO'];
}

function atMost(what, value, most, unit) {
  return row(what, `${figure(value)} ${unit}`.trim(), `≤ ${figure(most)}`, value <= most);
}

function buildRows({ chunks, seconds, curve, stageMs, eventLoop, rssAnon }) {
  const rates = curve.map(({ perSecond }) => perSecond);
  const [small, large] = rssAnon.growth;
  return [
    row('chunks', figure(chunks)),
    row('seconds of indexing, publish, close', Object.values(seconds).map(figure).join(', ')),
    row('chunks/s, all of it', figure(chunks / (seconds.indexing + seconds.publish + seconds.close))),
    row('chunks/s by tenths of the corpus', rates.map((rate) => figure(rate)).join(', ')),
    row('last tenth : first tenth', figure(rates.at(-1) / rates[0]), '≥ 0.8', rates.at(-1) >= 0.8 * rates[0]),
    row(
      'seconds of thread time by stage',
      Object.entries(stageMs)
        .map(([stage, ms]) => `${stage} ${figure(ms / 1000)}`)
        .join(', '),
    ),
    row('event-loop delay p99, max, ms', `${figure(eventLoop.p99Ms)}, ${figure(eventLoop.maxMs)}`),
    row(
      'RssAnon before, indexing, publishing, MiB',
      [rssAnon.before, rssAnon.indexing, rssAnon.publishing].map(mib).join(', '),
    ),
    row(
      `RssAnon growth, ${figure(small.chunks)} → ${figure(large.chunks)} chunks`,
      `${mib(small.bytes)} → ${mib(large.bytes)} MiB`,
      '≤ 1.25×',
      large.bytes <= 1.25 * small.bytes,
    ),
    row(
      'RssAnon that publishing adds, a vector',
      `${figure((rssAnon.publishing - rssAnon.indexing) / chunks)} bytes`,
    ),
    atMost(
      'RssAnon of publishing, all of it, a vector',
      (rssAnon.publishing - rssAnon.before) / chunks,
      700,
      'bytes',
    ),
  ];
}

function diskRows({ chunks, disk }) {
  const total = Object.values(disk).reduce((sum, bytes) => sum + bytes, 0);
  const line = (name, bytes) => row(name, `${mib(bytes)} MiB, ${figure(bytes / chunks)} bytes a chunk`);
  return [...Object.entries(disk).map(([name, bytes]) => line(name, bytes)), line('all', total)];
}

function startRows({ warm, cold }) {
  const answer = median(warm.map(({ answerMs }) => answerMs)) / 1000;
  return [
    row('openIndex, warm', `${figure(median(warm.map(({ openMs }) => openMs)))} ms`),
    atMost('first answer, warm', answer, 1.5, 's'),
    cold === undefined
      ? row('first answer, cold', 'the page cache cannot be dropped here')
      : row(`first answer, cold (${cold.dropped})`, `${figure(cold.answerMs / 1000)} s`),
  ];
}

function serveRows({ legs, serve }) {
  const { chunks, unfiltered, rssAnon } = serve;
  const { p50, p95, p99 } = unfiltered;
  const [{ recall }] = legs.recall;
  const { leg, tantivy } = legs.keywords;
  const pair = ({ p50: half, p95: most }) => `${figure(half)}, ${figure(most)}`;
  return [
    row('vectors in the graph, in the tail', `${figure(legs.graphVectors)}, ${figure(legs.tailVectors)}`),
    row('hybrid search p50, p99', `${figure(p50)}, ${figure(p99)} ms`),
    atMost('hybrid search p95', p95, 20, 'ms'),
    row('recall@10 of the vector leg', figure(recall), '≥ 0.95', recall >= 0.95),
    row('keyword leg p50, p95; tantivy alone', `${pair(leg)}; ${pair(tantivy)} ms`),
    atMost('keyword leg : tantivy, p50', leg.p50 / tantivy.p50, 1.3, ''),
    atMost('keyword leg : tantivy, p95', leg.p95 / tantivy.p95, 1.3, ''),
    row(
      'RssAnon before, serving, after filters, MiB',
      [rssAnon.before, rssAnon.serving, rssAnon.afterFilters].map(mib).join(', '),
    ),
    atMost(
      'RssAnon of serving, all of it, a vector',
      (rssAnon.serving - rssAnon.before) / chunks,
      700,
      'bytes',
    ),
  ];
}

function filterTable({ legs, serve }) {
  const base = serve.unfiltered.p95;
  const rows = serve.kinds.map(({ kind, fresh, cached, short, forbidden }) => {
    const { allowed, recall, short: legShort } = legs.recall.find((one) => one.kind === kind);
    const met =
      recall >= 0.95 && fresh.p95 <= 3 * base && cached.p95 <= 3 * base && short + legShort + forbidden === 0;
    return [
      kind,
      figure(allowed),
      figure(recall),
      short + legShort,
      forbidden,
      `${figure(fresh.p95)} (${figure(fresh.p95 / base)}×)`,
      `${figure(cached.p95)} (${figure(cached.p95 / base)}×)`,
      met ? 'yes' : 'NO',
    ];
  });
  const headers = [
    'filter',
    'chunks allowed:',
    'recall@10:',
    'short answers:',
    'forbidden:',
    'new, p95 ms:',
    'cached, p95 ms:',
    'met',
  ];
  const targets = ['targets', '', '≥ 0.95', '0', '0', '≤ 3×', '≤ 3×', ''];
  return markdownTable(headers, [targets, ...rows]);
}

function mib(bytes) {
  return figure(bytes / MIB);
}
