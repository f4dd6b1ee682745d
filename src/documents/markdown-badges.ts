/** Paragraphs longer than this are not looked at: no badges are. */
const MAX_BADGES_LENGTH = 16_384;

/** An image; one with a longer description is a figure, whose description is worth finding. */
const BADGE = /!\[[^[\]]{0,40}\](?:\([^()]*\)|\[[^[\]]*\])?/g;
/** A link around nothing, once the image in it is gone. */
const EMPTY_LINK = /\[\s*\](?:\([^()]*\)|\[[^[\]]*\])/g;
/** One that is never closed may hold the rest of the page, and is matched so that no other one is looked for in it. */
const COMMENT = /<!--[\s\S]*?(?:-->|$)/g;
const TAG = /<[^<>]*>|&[a-z]{1,8};/gi;
/** Letters, digits, and what quotes code: tags in it are for reading. */
const WORD = /[\p{L}\p{N}`]/u;

/** Whether a paragraph or a piece of HTML is badges, tags and comments without a word beside them. */
export function isWordless(markup: string): boolean {
  if (markup.length > MAX_BADGES_LENGTH || !/[![<]/.test(markup)) return false;
  const visible = markup.replace(COMMENT, (comment) => (comment.endsWith('-->') ? ' ' : comment));
  return !WORD.test(visible.replace(TAG, ' ').replace(BADGE, ' ').replace(EMPTY_LINK, ' '));
}
