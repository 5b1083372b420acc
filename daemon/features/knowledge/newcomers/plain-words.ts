import { patternWith } from '../../../lib/text/pattern.js';
import { fold } from '../../../lib/text/words.js';

/** What a question calls the project, once its names are replaced. */
export const IT = '(?:it|this|that|everything)';

const CODE_NAME = patternWith('g')`
    \x60[^\x60]*\x60
    |\b\w+(?:(?:::|->|#|\.(?!\s|$))\w+)+(?:\(\))?
    |(?<![\w.])\w+_\w+
    |\b[a-z]+[A-Z]\w*
    |\b[A-Z][a-z0-9]+[A-Z]\w*
    |(?<!\S)--?[a-z][\w-]*
    |\b\w+\(\w*\)
    |\b[\w-]+\/[\w./-]*
  `;

/** Names of files and functions that are no part of a project in particular. */
const KNOWN_NAME =
  /^`?(?:main\(\)|process\.env|npm test|make|make test|\.env|require\(\w*\)|e2e|ci\/cd|and\/or|(?:type|java|coffee)script|github|gitlab)`?$/i;

/** A common noun for the project, with the words before it. */
const PROJECT_NOUN = patternWith('g')`
        \b(?:the|this|that|your|our|a)? ?\b(?:command line tool|code ?base|repository|repo|project|library
          |program|application|package|module|tool|daemon|server|service|binary|cli|crate|gem)\b(?! (?:manager
          |managers|script))
      `;

/** Writes `it` for each name of the project and `§` for every other name of code, the rest in lower case. */
export function plainly(text: string, names: readonly string[]): string {
  let plain = text
    .replaceAll(/[‘’]/g, "'")
    .replaceAll(/["“”]/g, ' ')
    .replaceAll(/\btl;dr\b/gi, 'tldr')
    .replaceAll(/\b(what|where|who|how|it|that|there)'s\b/gi, '$1 is')
    .replaceAll(/\b(\w+)'(?:re|ve|ll|d|m)\b/gi, '$1');
  for (const name of [...names].sort((a, b) => b.length - a.length)) {
    const escaped = name.replaceAll(/[^\w]/g, '.');
    plain = plain.replaceAll(
      new RegExp(`(?<![\\w/.-])(?:the )?\`?${escaped}\`?(?:'s)?(?![\\w/(-]|\\.\\w|::)`, 'gi'),
      'it',
    );
  }
  plain = plain.replaceAll(CODE_NAME, (name) => (KNOWN_NAME.test(name) ? name.replaceAll(/[`.]/g, ' ') : '§'));
  return fold(plain)
    .replaceAll(PROJECT_NOUN, (noun) => (/^(?:the|this|that|your|our) /.test(noun) ? 'it' : noun))
    .replaceAll(
      /\bit(?:'s)? (?:it|tool|library|project|program|app|server|daemon|package|module|repo|command|binary|cli)\b/g,
      'it',
    )
    .replaceAll(/\s+/g, ' ')
    .trim();
}
