/** Tables as Markdown, so that output can be pasted into a document as it is. */

/**
 * @param {string[]} headers a header that ends in ':' gets a right-aligned column
 * @param {(string | number)[][]} rows
 */
export function markdownTable(headers, rows) {
  const right = headers.map((header) => header.endsWith(':'));
  const cells = [headers.map((header) => header.replace(/:$/, '')), ...rows].map((row) =>
    row.map((cell) => String(cell).replaceAll('|', '\\|')),
  );
  const widths = headers.map((_, column) => Math.max(3, ...cells.map((row) => width(row[column] ?? ''))));
  const line = (row) =>
    `| ${widths.map((size, column) => pad(row[column] ?? '', size, right[column])).join(' | ')} |`;
  const rule = widths.map((size, column) => (right[column] ? `${'-'.repeat(size - 1)}:` : '-'.repeat(size)));
  return [line(cells[0]), line(rule), ...cells.slice(1).map(line)].join('\n');
}

function width(text) {
  return [...text].length;
}

function pad(text, size, right) {
  const space = ' '.repeat(size - width(text));
  return right ? space + text : text + space;
}

/** Three significant digits below a thousand, whole numbers with separators above: 0.981, 12.3, 1,534. */
export function figure(value) {
  if (value === null || value === undefined) return '–';
  if (!Number.isFinite(value)) return String(value);
  const size = Math.abs(value);
  if (size >= 999.5) return Math.round(value).toLocaleString('en-US');
  if (Number.isInteger(value)) return String(value);
  return size >= 100
    ? value.toFixed(0)
    : size >= 10
      ? value.toFixed(1)
      : size >= 1
        ? value.toFixed(2)
        : value.toFixed(3);
}
