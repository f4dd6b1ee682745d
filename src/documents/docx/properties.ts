import { readXml } from './xml.js';

const FIELDS: Readonly<Record<string, string>> = {
  'dc:title': 'title',
  'dc:creator': 'author',
  'dcterms:created': 'created',
  'dc:subject': 'subject',
  'cp:keywords': 'keywords',
};

/** What docProps/core.xml says: title, author, created (UTC), subject, keywords; what is empty is left out. */
export function readProperties(bytes: Uint8Array | undefined): Record<string, string> {
  const values: Record<string, string> = {};
  if (!bytes) return values;
  let field: string | undefined;
  readXml(bytes, {
    open: (name) => {
      field = FIELDS[name];
    },
    close: () => {
      field = undefined;
    },
    text: (data) => {
      if (field !== undefined) values[field] = (values[field] ?? '') + data;
    },
  });
  const clean = Object.entries(values).map(
    ([key, value]) => [key, value.replace(/\s+/g, ' ').trim()] as const,
  );
  return Object.fromEntries(
    clean.flatMap(([key, value]) => {
      const kept = key === 'created' ? isoTime(value) : value;
      return kept === undefined || kept === '' ? [] : [[key, kept]];
    }),
  );
}

function isoTime(value: string): string | undefined {
  const time = Date.parse(value);
  return Number.isNaN(time) ? undefined : new Date(time).toISOString();
}
