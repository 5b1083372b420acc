import { pattern } from '../../../../lib/text/pattern.js';
import { type Lexicon, list } from '../lexicon.js';

/** Questions about how the tests are run. */
export const TEST: Lexicon = {
  name: 'test',
  core: [/\b(?:tests?|testing|test ?suites?|testsuite|specs)\b/, /\beverything passes\b/],
  words: list(`
  test tests tested testing suite suites testsuite spec specs unit integration regression end-to-end e2e automated
  existing all run runs running ran execute executed execution start launch invoke invoked kick trigger perform
  verify pass passes passing green change changes changed changing executing starts pytest jest vitest mocha tox
  cargo gradle maven mvn ctest rspec phpunit pr commit before sending submitting fix fixed typo rule feature build
  target script ci home same going get quick standard tool development developer dev environment needed system
  opening usual fresh me through find
`),
  strong: [
    pattern`
      \b(?:run|runs|running|execut\w+|start|launch)(?: \S+){0,3} (?:tests|test ?suites?|specs
        |suite)\b(?! (?:of|for|in|against|on|that|which|with) (?!it\b|my\b|your\b|this\b))
    `,
    /\b(?:tests|test suite|suite) (?:be |are |is |supposed to be )*(?:run|started|executed)\b/,
  ],
  not: pattern`
    \b(?:where(?! (?:can|do|could) i find)|why|when|who|write|writes|writing|written|add|single|only one|name
      |only|parser|flaky|slow|fail|fails|failing|coverage|mock|fixture)\b
  `,
};
