import { createRequire } from 'node:module';
import path from 'node:path';

/** What of PDF.js is used here. Its own declarations need those of a browser. */
export interface PdfLibrary {
  getDocument(options: Record<string, unknown>): { promise: Promise<PdfFile>; destroy(): Promise<void> };
}

export interface PdfFile {
  readonly numPages: number;
  getPage(number: number): Promise<PdfPage>;
  getMetadata(): Promise<{ info: Record<string, unknown> }>;
  getOutline(): Promise<readonly PdfBookmark[] | null>;
}

export interface PdfBookmark {
  readonly title: string;
  readonly items?: readonly PdfBookmark[];
}

export interface PdfPage {
  /** Corners of the visible box in the page's own coordinates: left, bottom, right, top; in points. */
  readonly view: readonly number[];
  streamTextContent(): ReadableStream<PdfTextPortion>;
  getAnnotations(): Promise<readonly PdfAnnotation[]>;
  cleanup(): void;
}

/** What lies on a page: a field of a form, a note, a link. */
export interface PdfAnnotation {
  readonly subtype?: string;
  /** `Tx` for text, `Ch` for a choice. */
  readonly fieldType?: string;
  readonly fieldValue?: unknown;
  readonly contentsObj?: { readonly str: string };
  /** Left, bottom, right, top. */
  readonly rect?: readonly number[];
  readonly hidden?: boolean;
  readonly password?: boolean;
  readonly defaultAppearanceData?: { readonly fontSize: number };
}

export interface PdfTextPortion {
  readonly items: readonly PdfTextItem[];
  readonly styles: Readonly<Record<string, PdfTextStyle>>;
}

export interface PdfTextItem {
  readonly str: string;
  readonly dir: 'ltr' | 'rtl' | 'ttb';
  /** Maps the item's own coordinates to the page's: a, b, c, d, e, f. */
  readonly transform: readonly number[];
  readonly width: number;
  readonly height: number;
  readonly fontName: string;
}

export interface PdfTextStyle {
  /** A generic family: 'monospace', 'serif', 'sans-serif'. */
  readonly fontFamily: string;
  /** Set from top to bottom, columns from right to left. */
  readonly vertical?: boolean;
}

const require = createRequire(import.meta.url);
let library: Promise<PdfLibrary> | undefined;

/** PDF.js, loaded on first use: it takes a quarter of a second and 40 MB. */
export function pdfLibrary(): Promise<PdfLibrary> {
  library ??= load();
  return library;
}

async function load(): Promise<PdfLibrary> {
  const restore = withoutCanvas();
  try {
    // Loaded first, it is found in this thread and no second one is started.
    await import('pdfjs-dist/legacy/build/pdf.worker.mjs' as string);
    return (await import('pdfjs-dist/legacy/build/pdf.mjs')) as unknown as PdfLibrary;
  } finally {
    restore();
  }
}

/**
 * Text needs no canvas, but the library loads a native one where it is installed, and warns where it is not. While it
 * loads, it finds empty classes instead: drawing is the only use of them.
 */
function withoutCanvas(): () => void {
  class Undrawn {}
  const global = globalThis as Record<string, unknown>;
  for (const name of ['DOMMatrix', 'ImageData', 'Path2D']) global[name] ??= Undrawn;
  const fromLibrary = createRequire(require.resolve('pdfjs-dist/package.json'));
  let canvas: string | undefined;
  try {
    canvas = fromLibrary.resolve('@napi-rs/canvas');
  } catch {
    // Not installed, which is as well.
  }
  const { warn } = console;
  console.warn = () => {};
  const module = canvas === undefined ? undefined : require.cache[canvas];
  if (canvas !== undefined)
    require.cache[canvas] = { id: canvas, exports: {}, loaded: true } as NodeJS.Module;
  return () => {
    console.warn = warn;
    if (canvas === undefined) return;
    if (module === undefined) delete require.cache[canvas];
    else require.cache[canvas] = module;
  };
}

/**
 * How a file is opened: from memory, with the character maps and fonts of the package, without the network, without
 * fonts of the system, without making code at run time, and without decoding images.
 * @param stopAtErrors what is broken on a page makes that page fail; else it is left out in silence
 */
export function openOptions(data: Uint8Array, stopAtErrors: boolean): Record<string, unknown> {
  const folder = path.dirname(require.resolve('pdfjs-dist/package.json'));
  return {
    data,
    stopAtErrors,
    cMapUrl: `${path.join(folder, 'cmaps')}/`,
    cMapPacked: true,
    standardFontDataUrl: `${path.join(folder, 'standard_fonts')}/`,
    verbosity: 0,
    isEvalSupported: false,
    disableFontFace: true,
    useSystemFonts: false,
    useWorkerFetch: false,
    useWasm: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    enableXfa: false,
  };
}
