import type { AGENT_TYPES, TOOLS } from '../../contract/team.js';

type Tool = (typeof TOOLS)[number];
type AgentType = (typeof AGENT_TYPES)[number];

const NEGATION = /\b(?:never|not|don't|doesn't|won't|can't|cannot|without|no|nor|avoid|instead of|rather than)\b/i;

/** Words of a description that require a tool. Every member has `read` and `search`. */
const TOOL_WORDS: readonly (readonly [Tool, RegExp])[] = [
  [
    'edit',
    /\b(?:edit|writ|implement|fix|refactor|chang(?:e|es|ing)\b|creat|add(?:s|ing)?\b|build|updat|develop|cod(?:e|es|ing)\b|document|migrat|translat|patch)/i,
  ],
  [
    'execute',
    /\b(?:run(?:s|ning)?\b|execut|test(?:s|ing)?\b|deploy|release|build|benchmark|profil(?:e|es|ing)\b|command|script|ship(?:s|ping)?\b|CI\b|lint|migrat)/i,
  ],
  ['web', /\b(?:web\b|internet|online|brows|url|website|fetch|look(?:s|ing)? up|news|upstream docs)/i],
  ['agent', /\b(?:delegat|coordinat|orchestrat|dispatch|hand(?:s|ing)? (?:over|out|work)|other (?:agents|members))/i],
  ['todo', /\b(?:plan(?:s|ning)?\b|roadmap|backlog|track(?:s|ing)?\b|milestone|task list|todo|prioriti)/i],
  ['ask', /\b(?:ask(?:s|ing)?\b|clarif|confirm|check(?:s|ing)? with|approval|interview)/i],
];

const TYPE_WORDS: readonly (readonly [AgentType, RegExp])[] = [
  ['deploy', /\b(?:deploy|release|rollout|ship|infrastructure)/i],
  ['db', /\b(?:database|sql|schema|migration|query plan)/i],
  ['audit', /\b(?:audit|security|vulnerabilit|compliance|threat|licen[cs]e)/i],
  ['review', /\b(?:review|critique|inspect)/i],
  ['testing', /\b(?:test|qa\b|coverage|fuzz)/i],
  ['roadmap', /\b(?:roadmap|milestone|backlog|priorit)/i],
  ['docs', /\b(?:document|docs\b|readme|tutorial|changelog|translat)/i],
];

const SINGLETON_WORDS =
  /\b(?:singleton|only one|just one|exactly one|at most one|one at a time|never two|single instance)\b/i;

/** Splits a text into statements: list items and sentences, in order, without bullets. */
export function splitStatements(text: string): string[] {
  return text
    .split(/\r?\n/)
    .flatMap((line) => {
      const item = line.replace(/^\s*(?:[-*•+]|\d+[.)]|#{1,6})\s/, '');
      return item.split(/(?<=[.!?。！？])\s+(?=[\p{Lu}\p{Lo}"'`(])/u);
    })
    .map((statement) => statement.trim())
    .filter((statement) => /[\p{L}\p{N}]/u.test(statement));
}

/** Whether a statement prohibits something. */
export function isLimit(statement: string): boolean {
  return /^(?:(?:it|you|they|he|she|this|the \w+)\s+)?(?:(?:must|should|may|can|will|do|does)\s+)?(?:never|not|no|avoid|don't|doesn't|must not|cannot|can't|only)\b/i.test(
    statement,
  );
}

/** Returns the tools that a text requires. Words after a negation in a clause do not count. */
export function toolsFor(text: string): Tool[] {
  const clauses = text.split(/[.;!?\n]|,\s*(?=(?:but|and then|yet)\b)|\bbut\b/i);
  const wanted = clauses.map((clause) => {
    const negation = NEGATION.exec(clause);
    return negation ? clause.slice(0, negation.index) : clause;
  });
  const asked = wanted.join('\n');
  const isReadOnly = /\bread[- ]only\b/i.test(text);
  const tools = TOOL_WORDS.filter(([, words]) => words.test(asked)).map(([tool]) => tool);
  return ['read', 'search', ...tools.filter((tool) => !(isReadOnly && (tool === 'edit' || tool === 'execute')))];
}

export function agentTypeFor(text: string): AgentType {
  return TYPE_WORDS.find(([, words]) => words.test(text))?.[0] ?? 'custom';
}

export function kindFor(text: string): 'singleton' | 'profile' {
  return SINGLETON_WORDS.test(text) ? 'singleton' : 'profile';
}

const ROLE =
  /\b(?:an?|the|our|my|one)\s+((?:[\p{L}][\p{L}\p{N}+#.-]*\s+){0,3}?[\p{L}][\p{L}-]*(?:er|or|ist|ant|yst|ian|master|expert|lead|guard|keeper|bot|agent|guide|tutor))\b/iu;
const CALLED =
  /\b(?:called|named|name is|name:)\s+["'“‘`]?([\p{L}][\p{L}\p{N} _-]{0,40}?)(?=["'”’`.,;:!?\n]|\s+(?:who|that|which|and|to|for|is)\b|$)/iu;
const FILLER = new Set(
  (
    'a an and are as at be by can do does for from have i in into is it its like make me my need of on or our ' +
    'please should some someone something that the their them they this to us want wants we when which who will ' +
    'with would you your'
  ).split(' '),
);

/** Derives a name from a description: the name it states, else the role it names, else its first meaningful words. */
export function nameFor(text: string): string {
  const called = CALLED.exec(text)?.[1];
  if (called !== undefined) return titleCase(called);
  const opening = text.slice(0, 300);
  const role = (
    ROLE.exec(opening)?.[1] ?? /^((?:[\p{L}][\p{L}-]*\s+){0,2}[\p{L}]+(?:er|or|ist|ant))\b/iu.exec(opening)?.[1]
  )?.split(/\s+/);
  const telling = role?.filter((word) => !FILLER.has(word.toLowerCase()));
  if (telling && telling.length > 0) return titleCase(telling.slice(-3).join(' '));
  const words = opening.match(/[\p{L}\p{N}][\p{L}\p{N}-]*/gu) ?? [];
  return titleCase(
    words
      .filter((word) => !FILLER.has(word.toLowerCase()))
      .slice(0, 3)
      .join(' '),
  );
}

function titleCase(words: string): string {
  return words
    .split(/[\s_]/)
    .filter((word) => word !== '')
    .map(capitalized)
    .join(' ')
    .slice(0, 60)
    .trim();
}

/** Converts a statement about the member to a duty: `It reviews migrations` becomes `Reviews migrations`. */
export function removeSubject(statement: string): string {
  const bare = statement
    .replace(
      /^(?:it|he|she|they|you|this (?:member|agent)|the (?:member|agent))\s+(?:should|must|will|can|has to|needs? to)\s+/i,
      '',
    )
    .replace(/^(?:it|he|she|they|you|this (?:member|agent)|the (?:member|agent))\s+(?=\p{Ll})/iu, '')
    .replace(/^(?:please|i (?:need|want)|we (?:need|want))\s+/i, '');
  return capitalized(bare);
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
