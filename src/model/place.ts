/** Where in its source a passage stands, for people: `12-14` for lines, `page 3` where the source has pages. */
export function placeInSource({
  startLine,
  endLine,
  page,
}: {
  readonly startLine: number;
  readonly endLine: number;
  readonly page: number;
}): string {
  if (page > 0) return `page ${page}`;
  return startLine === endLine ? `${startLine}` : `${startLine}-${endLine}`;
}
