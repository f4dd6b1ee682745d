/** Which strings are dates, and which moment they name. native-bindings/src/filters/date.rs is the twin. */

const ISO_DATE =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d+))?)?(?:Z|([+-])(\d\d):?(\d\d))?)?$/;

const MS_A_MINUTE = 60_000;

/**
 * Milliseconds since 1970 of `YYYY-MM-DD`, alone or with `T` or a space, `HH:MM`, `:SS` and a fraction, and `Z`,
 * `±HH:MM` or `±HHMM`; without a zone it is UTC. Undefined for everything else, days that no calendar has included.
 * Digits after the third of a fraction are dropped.
 */
export function parseIsoDate(text: string): number | undefined {
  const match = ISO_DATE.exec(text);
  if (!match) return undefined;
  const [year, month, day, hour, minute, second] = match.slice(1, 7).map((part) => Number(part ?? 0)) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  const zoneHours = Number(match[9] ?? 0);
  const zoneMinutes = Number(match[10] ?? 0);
  if (hour > 23 || minute > 59 || second > 59 || zoneHours > 23 || zoneMinutes > 59) return undefined;
  // Date.UTC would take the years 0 to 99 for 1900 to 1999.
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined;
  const offset = (zoneHours * 60 + zoneMinutes) * (match[8] === '-' ? -1 : 1);
  const ms = Number((match[7] ?? '').slice(0, 3).padEnd(3, '0'));
  return date.getTime() + (hour * 60 + minute - offset) * MS_A_MINUTE + second * 1_000 + ms;
}
