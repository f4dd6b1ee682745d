import { openGraph } from './graph-sluice.mjs';

export const open = async (corpus, settings) => openGraph('int8', corpus, settings);
