/**
 * Where a term is searched: `screen` is text that users read on screens, in help and in messages, `identifier` is names
 * in code.
 */
export type Scope = 'screen' | 'identifier';

export interface Term {
  scope: Scope;
  /** Pattern of the retired term. Must not have the flag `g`. */
  retired: RegExp;
  /** The replacement. */
  write: string;
  /** Path prefixes within which the term is searched. All paths by default. */
  within?: readonly string[];
  /** Texts in which the term is correct. */
  except?: RegExp;
}

const screen = (retired: RegExp, write: string, more: Pick<Term, 'within' | 'except'> = {}): Term => ({
  scope: 'screen',
  retired,
  write,
  ...more,
});

/** Retired terms, so that each concept has one name. A term is added once its last use is removed. */
export const TERMS: readonly Term[] = [
  // `meshd cluster rooms` is a command, `/rooms` is a route, and `room` is correct for flats.
  screen(/(?<![\w./-]|cluster )rooms?(?![\w-])/i, 'cluster', { except: /rooms? (?:to let|and flats)/i }),
  { scope: 'identifier', retired: /door/i, write: 'access, exposure', except: /holds_door|indoor|outdoor/i },
  screen(/\bdoors?\b/i, 'API access, exposed, internal', { within: ['ui/', 'daemon/cli/'] }),
  screen(/\bAll flags are down/, 'Nothing is running.'),
  screen(/\bCopy a curl\b/, 'Copy curl'),
  screen(/\btills?\b/i, 'earnings'),
  screen(/\bPrepaid with\b/i, 'Deposits'),
  screen(/\bnow challenged\b/i, 'payment requested'),
  screen(/^At once$/, 'Results per page, Parallel tasks', { within: ['ui/'] }),
  screen(/\bTake it along\b/i, 'Export'),
  screen(/\bCome in\b/i, 'Join', { within: ['ui/'] }),
  screen(/\bghosts?\b/i, 'invisible', { within: ['ui/'] }),
  screen(/\bmasked\b/i, 'hidden on public pages', { within: ['ui/'] }),
  screen(/\bWhat comes over\b/, 'Details'),
  screen(/\b(?:un)?tick(?:ed)?\b/i, 'select, deselect, clear', { within: ['ui/', 'daemon/cli/'] }),
  screen(/\blook(?:ed)? into the home folder\b/i, 'scan the home folder'),
  screen(/\bseats?\b/i, 'presence'),
  screen(/\b(?:sits?|sat) (?:in|there)\b/i, 'join, appear'),
  screen(/\bnothing more$/, 'Authenticated by member token', { within: ['ui/'] }),
  screen(/\bDraft from words\b/i, 'Generate from a description'),
  screen(/\bTier[ -][12]\b/, 'Summary card, Full card'),
  screen(/, no more$/, 'the number and what is counted'),
  screen(/\bDesk\b/, 'Home', { within: ['ui/'] }),
  screen(/^Find$/, 'Agent search', { within: ['ui/'] }),
  screen(/\bmend(?:s|ed)?\b/i, 'fix'),
  screen(/\b(?:token|one)s? (?:is|are) dead\b/i, 'no longer works'),
  screen(/\blet go of (?:it|the line|this line)\b/i, 'disconnected'),
  screen(/\bthe line (?:is|was) (?:cut|down)\b/i, 'the connection was lost'),
  screen(/\bin another tool’s words\b/i, 'in another tool’s format'),
  screen(/\b(?:waits for|needs) your yes\b/i, 'needs your approval'),
  screen(/\b(?:hand|handed|handing) out\b/i, 'give, issue, run', { within: ['ui/', 'daemon/cli/'] }),
  // Raw validation messages and routes. The message must name the option or field that the user typed.
  screen(/\bhas an unknown key\b/, 'the field, and how to correct it'),
  screen(/\bmust match pattern\b/, 'the format in words'),
  screen(/\b(?:POST|PUT|PATCH|DELETE) \/\w/, 'the command or option to use', { within: ['daemon/cli/'] }),
];
