/** A text and how sure it is that these were its bytes. */
export interface DecodedText {
  /** Without NUL, and without a byte order mark at its start. */
  readonly text: string;
  /** Label of the Encoding Standard, or 'utf-32le' and 'utf-32be', which that lacks. */
  readonly encoding: string;
  /** 1 where the bytes prove or declare the encoding, less for a guess. */
  readonly confidence: number;
  /** U+FFFD that stand in the text for bytes which are no character; undefined for none. */
  readonly broken?: number;
}
