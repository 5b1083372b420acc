import { type Lexicon, list } from '../lexicon.js';

/** Questions about how the code is checked and formatted. */
export const LINT: Lexicon = {
  name: 'lint',
  core: [/\b(?:lint\w*|reformat|type-?check|format (?:the |my )?code|code style)\b/],
  words: list(`
  lint linter linting format formatter formatting reformat type-check typecheck style code run changes
`),
  not: /\b(?:where|why|when|who)\b/,
};
