import type { Lexicon } from './lexicon.js';
import { BUILD } from './lexicons/build.js';
import { ENTRY } from './lexicons/entry.js';
import { ENVIRONMENT } from './lexicons/environment.js';
import { INSTALL } from './lexicons/install.js';
import { LICENCE } from './lexicons/licence.js';
import { LINT } from './lexicons/lint.js';
import { PURPOSE } from './lexicons/purpose.js';
import { RUN } from './lexicons/run.js';
import { TEST } from './lexicons/tests.js';
import { VERSIONS } from './lexicons/versions.js';

/** The lexicons in the order in which they decide. */
export const LEXICONS: readonly Lexicon[] = [
  LICENCE,
  ENVIRONMENT,
  ENTRY,
  TEST,
  BUILD,
  INSTALL,
  LINT,
  RUN,
  VERSIONS,
  PURPOSE,
];
