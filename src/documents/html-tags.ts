/** Elements whose start and end also end a line of text. */
export const BLOCK_TAGS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body caption center dd details dialog dir div dl dt fieldset figcaption figure ' +
    'footer form header hr html legend li main menu nav ol optgroup option p pre section summary table tbody td ' +
    'tfoot th thead tr ul'
  ).split(' '),
);

/** Elements that end a heading that was left open. */
export const HEADING_BREAKERS: ReadonlySet<string> = new Set(
  'article aside blockquote body dl footer form main nav ol p pre section table ul'.split(' '),
);

/** Elements that hold no text of the page. */
export const DROPPED_TAGS: ReadonlySet<string> = new Set(
  'applet audio button canvas datalist embed iframe noframes noscript object script select style svg template video'.split(
    ' ',
  ),
);

export const LIST_TAGS: ReadonlySet<string> = new Set(['ul', 'ol', 'dl', 'menu', 'dir']);

/** Elements whose headers and footers are their own, not the site's. */
export const SECTIONING_TAGS: ReadonlySet<string> = new Set(
  'article blockquote details dialog figure section'.split(' '),
);

/** Where a block stands on its page; bits, because regions nest. */
export const Region = { main: 1, article: 2, navigation: 4, chrome: 8, form: 16, aside: 32 } as const;

const REGION_BY_TAG: Readonly<Record<string, number>> = {
  main: Region.main,
  article: Region.article,
  nav: Region.navigation,
  header: Region.chrome,
  footer: Region.chrome,
  aside: Region.aside,
  form: Region.form,
};

const REGION_BY_ROLE: Readonly<Record<string, number>> = {
  main: Region.main,
  article: Region.article,
  navigation: Region.navigation,
  banner: Region.chrome,
  contentinfo: Region.chrome,
  complementary: Region.aside,
  search: Region.form,
};

/**
 * The region that an element opens, 0 if none; its role attribute goes before its name.
 * @param inSection it lies in one of SECTIONING_TAGS
 */
export function regionOf(tag: string, role: string | undefined, inSection: boolean): number {
  const declared = role === undefined ? undefined : REGION_BY_ROLE[role];
  if (declared !== undefined) return declared;
  const bit = REGION_BY_TAG[tag] ?? 0;
  return inSection && bit === Region.chrome ? 0 : bit;
}

/** 1 to 6 for h1 to h6, else 0. */
export function headingLevel(tag: string): number {
  return tag.length === 2 && tag[0] === 'h' && tag[1]! >= '1' && tag[1]! <= '6' ? Number(tag[1]) : 0;
}

/** Why text in a region is left out, the narrowest reason first; what is in none is beside the main content. */
export function regionReason(region: number): string {
  if (region & Region.navigation) return 'navigation';
  if (region & Region.chrome) return 'header and footer';
  if (region & Region.aside) return 'aside';
  return region & Region.form ? 'form' : 'outside the main content';
}

/** What the text of a dropped element counts as; 'hidden' for any element that a page hides. */
export function droppedAs(tag: string): { reason: string; isText: boolean } {
  switch (tag) {
    case 'script':
    case 'style':
    case 'template':
    case 'hidden':
      return { reason: tag, isText: false };
    case 'button':
    case 'datalist':
    case 'select':
      return { reason: 'form', isText: true };
    default:
      return { reason: 'embedded object', isText: false };
  }
}
