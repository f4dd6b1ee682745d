/** Why a walk may have found no file to read, and what to do about it. */
export function noFilesHint(ignored: number, include: readonly string[] | undefined): string {
  if (ignored === 0)
    return 'there is no file, or .gitignore, exclude patterns and hidden names (see --hidden) leave nothing';
  const files = ignored === 1 ? '1 file' : `${ignored} files`;
  if (include !== undefined)
    return `no include pattern fits any of ${files}; patterns are matched against the path below the root`;
  return `no reader knows the format of ${files}; name them with include patterns to read them as text`;
}
