import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about the versions of the language. */
export const VERSIONS: Lexicon = {
  name: 'versions',
  core: [
    pattern`
      \bversions?\b.*\b(?:python|node(?:js)?|go|golang|rust|java|ruby|php|jdk|jre|language)\b
      |\b(?:python|node(?:js)?|go|golang|rust|java|ruby|php|jdk|jre|language)\b.*\bversions?\b
      |\bmsrv\b
    `,
  ],
  words: list(`
  version versions minimum min oldest newest require requires required need needs needed support supports supported
  supporting language python node nodejs go golang rust java ruby php jdk jre msrv javascript typescript runtime
  works run compatible how
`),
};
