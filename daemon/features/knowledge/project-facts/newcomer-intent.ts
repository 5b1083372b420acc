import { pattern, patternWith } from '../../../lib/text/pattern.js';
import { fold, words } from '../../../lib/text/words.js';
import { PROJECT_WORDS, STOPWORDS } from '../english.js';
import { type EnvironmentScope, readEnvironmentScope } from './environment-scope.js';
import {
  BUILD_WORDS,
  COMMON,
  ENTRY_WORDS,
  ENVIRONMENT_WORDS,
  INSTALL_WORDS,
  LICENCE_WORDS,
  LINT_WORDS,
  PURPOSE_WORDS,
  RUN_WORDS,
  TEST_WORDS,
  VERSION_WORDS,
} from './newcomer-words.js';
import { classify } from './question-model.js';
import type { Task } from './tools.js';

/** What somebody wants to know who is new to a project. */
export type Intent =
  | { kind: 'purpose' | 'licence' | 'versions' | 'entry' }
  /** `isFromSource`: it is about a copy of the sources, not about a release. */
  | { kind: 'task'; task: Task; isFromSource: boolean }
  | { kind: 'environment'; scope: EnvironmentScope };

/** How one intent is recognised in a part of a question. */
interface Lexicon {
  name: Task | Exclude<Intent['kind'], 'task'>;
  /** One of them must match the part, in which the project is called `it` and every other name of code `§`. */
  core: readonly RegExp[];
  /** Words that may stand beside; one that is in no list is about something particular. */
  words: ReadonlySet<string>;
  not?: RegExp;
  /** Words that say enough on their own, whatever else stands beside. */
  enough?: RegExp;
  /** Words that leave no doubt of what is asked: a few others may say of which part, or why. */
  strong?: readonly RegExp[];
}

const QUESTION_MAX = 400;
/** Of a longer text only what it asks counts, not what it tells. */
const WORDS_MAX = 60;
const ENOUGH_WORDS_MAX = 24;
const OTHERS_MAX = 8;

const IT = '(?:it|this|that|everything)';
/** The lexicons in the order in which they decide. */
const LEXICONS: readonly Lexicon[] = [
  {
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
      /\b(?:mit|gpl|agpl|lgpl|apache|bsd|mpl|isc)\b,? (?:or|and|vs)\b/,
      /\bopen source\b|\bunder (?:which|what) (?:terms|conditions)\b|\bpublish my (?:changes|modifications)\b/,
    ],
    words: LICENCE_WORDS,
    enough: /\b(?:re)?licen[cs](?:e|es|ed|ing)\b|\bspdx identifier\b|\bcopyleft\b/,
    not: pattern`
      \b(?:headers?|keys?|validat\w*|file format|server|check(?:s|ed)?|detect\w*|scan\w*|pars\w*|dependenc\w+
        |missing|plugin)\b
    `,
  },
  {
    name: 'environment',
    core: [
      pattern`
        \benv(?:ironment(?:al)?)?[ -]?var(?:iable)?s\b
        |\bvariables (?:from|of|in) (?:the |its )?env(?:ironment)?\b
        |\benvs\b
        |\bgetenvs?\b
        |\bprocess env\b
        |\benv (?:keys|lookups|lines|settings|section|file)\b
      `,
      pattern`
        \benvironment settings\b
        |\b(?:through|via|by|from) (?:the )?env(?:ironment)?\b
        |\b(?:every|any|all) env(?:ironment)? var(?:iable)?\b
      `,
      /\bexport in my shell\b/,
    ],
    words: ENVIRONMENT_WORDS,
    enough: pattern`
        \b(?:which|what|list|enumerate|all|every|names of|show|complete list of)(?: (?:the|of|all|me|is|are|possible
          |known|supported|other))* (?:env(?:ironment(?:al)?)?[ -]?var(?:iable)?s|env (?:var(?:iable)?s?|keys)
          |variables (?:from|of|in) (?:the )?env(?:ironment)?)\b.*\b(?:in|under|within|below|for|by|does|do)[ ]
      `,
    not: /^(?:where|how|why|when)\b(?!.*\bwhich\b)|\benvironment variable (?:does|do|is|to)\b/,
  },
  {
    name: 'entry',
    core: [
      pattern`
        \bentry ?-?points?\b
        |\bentrypoints?\b
        |\bentry (?:function|file|class|module)\b
        |\bfront door\b
        |\bcontains main\b
        |\bcode behind\b
        |\bwhat function does it point to\b
      `,
      pattern`
        \bmain(?: \(\))? (?:function|method|program|file|class|routine|module|location)\b
        |\bwhere is (?:the )?main\b
        |\bmain (?:function|file|routine)\b
        |\bfunction main\b
        |\bmain \(\)
      `,
      pattern`
        \b(?:where|which|what|how|file|function|find|show|point me)\b.*\b(?:start|starts|starting|started
          |startup|begin|begins|beginning|boot|boots|bootstrap|launched|launches)\b
      `,
      pattern`
        \b(?:function|class|file|module|code|crate|header|package|thing|line|method)\b.*\b(?:first|start with
          |starts with|begin with|import|imports|require|requires|instantiate|include|loaded|launched)\b
      `,
      pattern`
        \bfirst (?:function|thing|code|line|piece|file|class)\b
        |\b(?:run|runs|executed|called|entered|invoked|reached|control) (?:very )?first\b
        |\bwhat (?:runs|gets executed|is executed|gets called)\b
      `,
      pattern`
        \b(?:public|exported) (?:api|interface|types|module|functions?|classes|names)\b
        |\bexported from\b
        |\broot module\b
        |\bcrate root\b
        |\bconsole script\b
        |\bcode behind\b
      `,
      pattern`
        \b(?:beginning|start|first line) of (?:a |an |the |its |this )?(?:it |whole )?(?:run|execution|program
          |process|invocation|it)\b
        |\bvery (?:start|beginning)\b
      `,
    ],
    words: ENTRY_WORDS,
    strong: [
      pattern`
        \b(?:run|runs|executed|called|entered|invoked|reached|control) (?:very )?first\b
        |\b(?:first|earliest) (?:\S+ )?(?:function|thing|code|line|piece|method|one|class)\b
        |\bread first\b
        |\bopen first\b
      `,
      pattern`
        \b(?:it|execution|everything) (?:starts?|begins?|boots?)(?: up| running)?(?=$|,| when| at)
        |\bmain (?:function|file|method|module|class)\b
        |\bpublic (?:api|interface|face|items)\b
        |\btop[ -]level api\b
      `,
      pattern`
        \bwhich (?:of the \w+|class|type|struct|function|method|file|module|crate|header|package)\b.*\b(?:first
          |begin with|start with|create|instantiate|construct|outsiders|before (?:any other|the rest)
          |supposed to|owns everything)\b
      `,
      /\bwhere\b.*\b(?:main|begins? to run|starts? executing|starting point|life begins?|being entered)\b/,
      pattern`
        \bbreakpoint\b.*\b(?:beginning|start|startup|first|enters?|very top)\b
        |\breading order\b
        |\b(?:should|do|would|can|must) (?:i|we|you|one) start reading\b
        |\bconsole scripts\b
        |\bexported to the outside\b
        |\bre-?exports\b
      `,
    ],
    enough: /\bmain \(\)|\bentry ?-?points?\b|\bentrypoints?\b|\bvery (?:beginning|start|first)\b/,
    not: pattern`
      \b(?:in what order|in which order|looks? at first|test|tests|error|crash|fails?|slow|server start|shut
        |stop|returns?|argument|plugin)\b
    `,
  },
  {
    name: 'test',
    core: [/\b(?:tests?|testing|test ?suites?|testsuite|specs)\b/, /\beverything passes\b/],
    words: TEST_WORDS,
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
  },
  {
    name: 'build',
    core: [/\b(?:build|builds|building|built|rebuild|compil\w+)\b/, /\b(?:binary|executable|dist)\b/],
    words: BUILD_WORDS,
    strong: [
      pattern`
        \b(?:build|building|compil\w+|install\w*)(?: and install)? (?:a |an |the )?
        (?:debug |release |unminified |static |shared |local |current |whole |development )*
        (?:it|everything|(?:the )?(?:binary|binaries|executable|sources?|library))\b
        (?! (?:url|query|path|index|cache|list|tree|request|response|message|string|plugin|filter|handler)\b)
      `,
      pattern`
        \bit (?:can )?(?:is |be |get |gets |being )?(?:built|compiled|installed)\b
        |\b(?:build|jar|wheel|snapshot|copy) of it\b
      `,
      pattern`
        \b(?:build|building|built|compil\w+|install\w*)\b.*\b(?:from
          |out of) (?:the |its |this |a |my |source |git ?hub |git )*(?:sources?|scratch|source code|folder|git
          |clone|checkout|tarball|tree|sdist|zip)\b
      `,
      pattern`
        \b(?:rake|bundler|cmake|qmake|make|poetry|setuptools|flit|gradle|maven|cargo|npm
          |meson)\b.*\bor\b.*\b(?:rake|bundler|cmake|qmake|make|poetry|setuptools|flit|gradle|maven|cargo|npm
          |meson|gem build)\b
      `,
      /\bbefore (?:make|rake install|pip install|cargo build|npm run build|go build|it compiles|it builds)\b/,
    ],
    not: /\b(?:where|why|when|who|fails?|failed|error|slow|custom)\b/,
  },
  {
    name: 'install',
    core: [
      pattern`
        \b(?:install\w*|set ?up|setup|bootstrap|dependencies|deps|prerequisites|requirements)\b
        |\b(?:get|add) it (?:onto|to|through|from|on|into)\b
      `,
      /\b(?:prepare my|development on|hacking on|working setup|dev environment|development environment)\b/,
    ],
    words: INSTALL_WORDS,
    strong: [
      pattern`
        \binstall\w*\b.*\b(?:from|out of) (?:the |its |this |a |my |source |git ?hub |git )*(?:sources?|scratch
          |source code|folder|checkout|clone|git|repo\w*|tarball|tree)\b
      `,
      /\binstall (?:it|everything|(?:the |all |its )?dependencies)\b/,
    ],
    not: /\b(?:where(?! (?:can|do|could) i find)|why|when|who|fails?|failed|error|plugin|difference|hook)\b/,
  },
  {
    name: 'lint',
    core: [/\b(?:lint\w*|reformat|type-?check|format (?:the |my )?code|code style)\b/],
    words: LINT_WORDS,
    not: /\b(?:where|why|when|who)\b/,
  },
  {
    name: 'run',
    core: [
      new RegExp(`\\b(?:run|start|launch|serve|boot|execute|running|starting) (?:up )?${IT}\\b`),
      new RegExp(`\\bis ${IT} (?:run|started|launched)\\b`),
    ],
    words: RUN_WORDS,
    not: /\b(?:where|why|when|who|what happens)\b/,
  },
  {
    name: 'versions',
    core: [
      pattern`
        \bversions?\b.*\b(?:python|node(?:js)?|go|golang|rust|java|ruby|php|jdk|jre|language)\b
        |\b(?:python|node(?:js)?|go|golang|rust|java|ruby|php|jdk|jre|language)\b.*\bversions?\b
        |\bmsrv\b
      `,
    ],
    words: VERSION_WORDS,
  },
  {
    name: 'purpose',
    core: [
      new RegExp(
        `\\bwhat (?:do|does|did|would|can|could) ${IT} (?:\\w+ly |even )*do\\b|\\bwhat (?:${IT} )?(?:\\w+ly ` +
          `|even )*(?:do|does)\\b|\\b${IT} do(?:es)? what\\b|\\bwhat should i say ${IT} does\\b`,
      ),
      new RegExp(
        `\\bwhat(?: is|s| are|'s| am i)? (?:${IT}|looking at)\\b|\\bwhat ${IT} (?:is|does|offers|provides)\\b` +
          `|\\bis ${IT} an? \\w+, an?\\b`,
      ),
      new RegExp(
        `\\b(?:about|explain|describe|introduce|sum up|summari[sz]e|overview of) ${IT}\\b|\\b${IT} (?:overview` +
          '|summary|introduction|description)\\b',
      ),
      pattern`
        \b(?:(?:which|what|the|its|it) purpose|purpose of|overview|summary|description|explanation|tl ?dr
          |elevator pitch|use cases?|(?:main|core) functionality|(?:main|key) features|goals?|aim|idea behind
          |point of (?:it|this)|introduce it|introduction)\b
      `,
      new RegExp(
        `\\bwhat (?:kind|sort|type) of \\w+ is ${IT}\\b|\\bwhat (?:can|could|would|do|should) (?:i|we|you|one` +
          `|people) (?:do with|use) ${IT}\\b|\\bwhy (?:would|should|do|does)\\b.*\\b${IT}\\b|\\bwhat (?:need` +
          `|needs|problem|job) do(?:es)? ${IT}\\b|\\bwhich need does ${IT}\\b`,
      ),
    ],
    words: PURPOSE_WORDS,
    not: /\b(?:where|when|who|error|crash|happens|return|returns)\b/,
  },
];
/** Those that a story may lead up to. */
const IN_CLAUSES = LEXICONS.filter(({ name }) => ['licence', 'environment', 'test', 'build', 'install'].includes(name));
const CLAUSE = pattern`
    , (?:and |so |but |now |then )*
    |\b(?:so|but|and now|before|because|since|after|when|if|in order to|for which)\b (?=i |we |you |my |it )
  `;
const TASKS: ReadonlySet<string> = new Set<Task>(['test', 'build', 'install', 'lint', 'run']);
const FROM_SOURCE = pattern`
    \b(?:sources?|checkout|clone|cloned|git|develop\w*|contribut\w*|hack\w*|locally|dependencies|deps
      |prerequisites|requirements|working setup)\b
  `;

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
const KNOWN_NAME = /^`?(?:main\(\)|process\.env|npm test|make|make test|\.env|require\(\w*\)|e2e|ci\/cd|and\/or)`?$/i;

/** A common noun for the project, with what stands before it. */
const PROJECT_NOUN = patternWith('g')`
        \b(?:the|this|that|your|our|a)? ?\b(?:command line tool|code ?base|repository|repo|project|library
          |program|application|package|module|tool|daemon|server|service|binary|cli|crate|gem)\b(?! (?:manager
          |managers|script))
      `;

/** Writes `it` for each name of the project and `§` for every other name of code, the rest in lower case. */
function plainly(text: string, names: readonly string[]): string {
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

/** Returns what a newcomer's question is about; undefined for every other question. */
export function readIntent(text: string, names: readonly string[]): Intent | undefined {
  if (text.length > QUESTION_MAX || words(text).length > WORDS_MAX) return undefined;
  const plain = plainly(text, names);
  for (const part of askedParts(plain).reverse()) {
    const found = LEXICONS.find((lexicon) => matches(part, lexicon)) ?? findClause(part);
    if (found) return toIntent(found.name, plain, text);
  }
  return learntIntent(text, plain, names);
}

/** Below it a question is rather about something particular. */
const PROBABILITY_MIN = 0.5;
/** A shorter question holds too little that the model could weigh; the lexicons read it. */
const LEARNT_WORDS_MIN = 12;
/** What the model tells apart and the project's facts answer. Who calls a function is asked of the structure graph. */
const LEARNT: ReadonlySet<string> = new Set<Lexicon['name']>([
  'purpose',
  'test',
  'build',
  'licence',
  'entry',
  'environment',
]);

/** Recognises a question by the trained model, where no lexicon does: one with circumstances and names of its own. */
function learntIntent(text: string, plain: string, names: readonly string[]): Intent | undefined {
  if (words(text).length < LEARNT_WORDS_MIN) return undefined;
  const { name, probability } = classify(text, names);
  if (!LEARNT.has(name) || probability < PROBABILITY_MIN) return undefined;
  if (LEXICONS.some((lexicon) => lexicon.name === name && lexicon.not?.test(plain))) return undefined;
  return toIntent(name as Lexicon['name'], plain, text);
}

/** Whether a question has no subject of its own, as `How?` or `What is the usual procedure?` has none. */
const isBare = (part: string) =>
  words(part).every((word) => STOPWORDS.has(word) || COMMON.has(word) || word === 'it') &&
  !LEXICONS.some(({ core }) => core.some((pattern) => pattern.test(part)));

/** The sentences that ask; all of them where none has a question mark. A bare one goes with what stands before it. */
function askedParts(plain: string): string[] {
  const parts = plain.match(/[^.?!;]+(?:[.?!;]+(?=\s|$)|[.?!;]|$)+/g) ?? [];
  const asking = parts.flatMap((part, at) => {
    if (!/\?\s*$/.test(part)) return [];
    return at > 0 && isBare(part) ? [parts[at - 1] as string, part] : [part];
  });
  return (asking.length > 0 ? asking : parts)
    .flatMap((part) => part.split(/\s[-–—]+\s|:\s/))
    .map((part) => part.replaceAll(/[?!.;]+/g, ' ').trim())
    .filter((part) => part !== '');
}

/** Matches one clause alone, as in `It is changed, and now I want to see the tests run`. */
function findClause(part: string): Lexicon | undefined {
  const clauses = part.split(CLAUSE).map((clause) => clause.trim());
  if (clauses.length < 2) return undefined;
  return IN_CLAUSES.find((lexicon) => clauses.some((clause) => words(clause).length > 2 && matches(clause, lexicon)));
}

function matches(part: string, { core, words: own, not, enough, strong }: Lexicon): boolean {
  if (!core.some((pattern) => pattern.test(part)) || not?.test(part)) return false;
  if (enough?.test(part) && words(part).length <= ENOUGH_WORDS_MAX) return true;
  if (part.includes('§')) return false;
  const others = words(part).filter(
    (word) => !STOPWORDS.has(word) && !COMMON.has(word) && !PROJECT_WORDS.has(word) && !own.has(word) && word !== 'it',
  );
  return others.length <= (strong?.some((pattern) => pattern.test(part)) ? OTHERS_MAX : 0);
}

function toIntent(name: Lexicon['name'], plain: string, text: string): Intent {
  if (name === 'environment') return { kind: name, scope: readEnvironmentScope(fold(text)) };
  if (TASKS.has(name)) return { kind: 'task', task: name as Task, isFromSource: FROM_SOURCE.test(plain) };
  return { kind: name } as Intent;
}
