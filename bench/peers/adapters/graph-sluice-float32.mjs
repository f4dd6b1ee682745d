import { openGraph } from './graph-sluice.mjs';

export const open = async (corpus, settings) => openGraph('float32', corpus, settings);
