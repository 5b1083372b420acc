import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about how it is installed, or made ready for work on it. */
export const INSTALL: Lexicon = {
  name: 'install',
  core: [
    pattern`
      \b(?:install\w*|set ?up|set it up|setup|bootstrap|dependencies|deps|prerequisites|requirements)\b
      |\b(?:get|add) it (?:onto|to|through|from|on|into)\b
    `,
    /\b(?:prepare my|development on|hacking on|working setup|dev environment|development environment)\b/,
  ],
  words: list(`
  install installs installing installed installation installer setup set setting up bootstrap dependency
  dependencies deps requirement requirements prerequisite prerequisites packages libraries manager pip npm brew apt
  cargo onto add added environment development develop developing developer dev hack hacking prepare preparing
  contribute need needed version checkout build run virtualenv copy joined missing imports editor complains depends
  fetch download downloading required must ready virtual ubuntu debian fedora macos windows pc system-wide wide
  quickest developers usually recommended find blank fresh
`),
  strong: [
    pattern`
      \binstall\w*\b.*\b(?:from|out of) (?:the |its |this |a |my |source |git ?hub |git )*(?:sources?|scratch
        |source code|folder|checkout|clone|git|repo\w*|tarball|tree)\b
    `,
    /\bset it up\b.*\b(?:develop\w*|locally|hack\w*)/,
    /\binstall (?:it|everything|(?:the |all |its )?dependencies)\b/,
  ],
  not: /\b(?:where(?! (?:can|do|could) i find)|why|when|who|fails?|failed|error|plugin|difference|hook)\b/,
};
