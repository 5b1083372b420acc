import { type Lexicon, list } from '../lexicon.js';
import { IT } from '../plain-words.js';

/** Questions about how it is started. */
export const RUN: Lexicon = {
  name: 'run',
  core: [
    new RegExp(`\\b(?:run|start|launch|serve|boot|execute|running|starting) (?:up )?${IT}\\b`),
    new RegExp(`\\bis ${IT} (?:run|started|launched)\\b`),
  ],
  words: list(`
  run runs running start starts starting launch launching serve serving boot booting execute development dev mode
  production server up
`),
  not: /\b(?:where|why|when|who|what happens)\b/,
};
