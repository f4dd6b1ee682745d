import { openThreads } from './chunk-sluice-threads.mjs';

export const open = (corpus, settings) => openThreads(corpus, settings, 2);
