import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about the licence. */
export const LICENCE: Lexicon = {
  name: 'licence',
  core: [
    pattern`
      \blicen[cs]\w*
      |\bspdx\b
      |\bcopyleft\b
      |\battribution\b
      |\bcommercial(?:ly)?\b
      |\bproprietary\b
      |\bclosed[ -]source\b
      |\bredistribut\w+
    `,
    pattern`
      \b(?:is|are) (?:it|this|that) (?:(?:really|under|a|an|all) )*(?:mit|gpl|agpl|lgpl|apache|bsd|mpl|isc
        |open source|free)\b
    `,
    /\b(?:mit|gpl|agpl|lgpl|apache|bsd|mpl|isc)\b,? (?:or|and|vs|version)\b/,
    /\bopen source\b|\bunder (?:which|what) (?:terms|conditions)\b|\bpublish my (?:changes|modifications)\b/,
  ],
  words: list(`
  licence licences license licenses licensed licenced licensing spdx identifier copyleft permissive proprietary
  closed open source commercial commercially product products company business terms term conditions condition
  attribution needed redistribute redistribution distribute publish modify modified modifications copy copied parts
  part ship shipped shipping sell allowed allow permitted permission may use used using free public domain released
  release under mit gpl agpl lgpl apache bsd mpl isc unlicense kind type version versions app distributed application audit
  dependencies link linking code ok own internal project legal legally compatible customers installer credit author
  authors
`),
  enough: /\b(?:re)?licen[cs](?:e|es|ed|ing)\b|\bspdx identifier\b|\bcopyleft\b/,
  not: pattern`
    \b(?:headers?|keys?|validat\w*|file format|server|check(?:s|ed)?|detect\w*|scan\w*|pars\w*|dependenc\w+
      |missing|plugin)\b
  `,
};
