import type { DocumentFormat } from '../model/document.js';
import { docxReader } from './docx/docx.js';
import { pdfReader } from './pdf/pdf.js';
import type { DocumentReader } from './reader.js';

/** Readers of formats whose bytes are no text in any encoding. */
export const PACKED_FORMATS: Readonly<Partial<Record<DocumentFormat, DocumentReader>>> = {
  pdf: pdfReader,
  docx: docxReader,
};
