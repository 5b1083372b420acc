import type { Conversation, Decision, Outcome, Permission, ToolCall, Turn } from '../contract/conversations.js';
import type { TASK_STATES } from '../contract/roadmap.js';
import type { CLIENT_NAMES, EFFORTS } from '../contract/team.js';
import { EXIT } from './exit-codes.js';
import { duration } from './status.js';
import { printable, type Terminal } from './terminal.js';

/** Names of the contract, read off tables that its types hold complete, so that the command line does not load the schemas for them. */
const namesOf = <Name extends string>(table: Record<Name, true>) => Object.keys(table) as Name[];

export const CLIENTS = namesOf<(typeof CLIENT_NAMES)[number]>({
  auto: true,
  builtin: true,
  'claude-code': true,
  acp: true,
  api: true,
});
export const EFFORT_NAMES = namesOf<(typeof EFFORTS)[number]>({
  default: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
});
/** The states that a person gives a task; `running` is the daemon's to say. */
export const STATES_TO_SET = namesOf<Exclude<(typeof TASK_STATES)[number], 'running'>>({
  open: true,
  done: true,
  blocked: true,
});
export const FORMATS = ['md', 'jsonl', 'html'] as const;

/** How a person says a decision. */
export const DECISION_OF: Readonly<Record<'allow' | 'always' | 'deny', Decision>> = {
  allow: 'allow_once',
  always: 'allow_always',
  deny: 'deny',
};

const OUTCOMES: Readonly<Record<Outcome, { word: string; exit: number }>> = {
  answered: { word: 'answered', exit: EXIT.ok },
  failed: { word: 'failed', exit: EXIT.memberFailed },
  cancelled: { word: 'stopped', exit: EXIT.memberFailed },
  deadline: { word: 'out of time', exit: EXIT.deadline },
  needs_permission: { word: 'needs permission', exit: EXIT.needsPerson },
};

export const outcomeWord = (outcome: Outcome) => OUTCOMES[outcome].word;
export const exitOfOutcome = (outcome: Outcome) => OUTCOMES[outcome].exit;

/** Where a conversation stands, the most urgent first. */
export function conversationState({ permissions, running, queued, last_outcome, member_gone }: Conversation): string {
  if (permissions.length > 0) return 'needs you';
  const waiting = queued > 0 ? `, ${queued} waiting` : '';
  if (running !== null) return `working${waiting}`;
  if (queued > 0) return `${queued} waiting`;
  if (member_gone) return 'member gone';
  return last_outcome === null ? '' : outcomeWord(last_outcome);
}

/** A time of the wire as a person reads it in a list, UTC. */
export const moment = (iso: string) => iso.slice(0, 19).replace('T', ' ');

/** One tool call in a line: what it is and what it is about. */
export function callLine({ name, target }: Pick<ToolCall, 'name' | 'target'>): string {
  return printable([name, target].filter(Boolean).join(' ')).replaceAll(/\s+/g, ' ');
}

/** A question of an agent as the person at the terminal sees it, with the lines that answer it. */
export function questionLines(
  terminal: Terminal,
  member: string | null,
  permission: Permission,
  answers: string,
): string[] {
  const { tool, target, reason, expires_at } = permission;
  const seconds = (Date.parse(expires_at) - Date.now()) / 1000;
  return [
    `${terminal.colours.yellow('?')} ${member ?? 'The agent'} asks to use ${callLine({ name: tool, target })}`,
    ...(reason === '' ? [] : [`    ${printable(reason).replaceAll('\n', '\n    ')}`]),
    `    ${answers}${seconds > 0 ? ` (denied by itself in ${duration(seconds)})` : ''}`,
  ];
}

/** Why a turn ended as it did, in one sentence; empty for an answer. */
export function endingLine({ outcome, code, reason }: Turn): string {
  if (outcome === null || outcome === 'answered') return '';
  const why = reason === null ? '' : `: ${printable(reason)}`;
  return `${outcomeWord(outcome)}${why}${code === null || code === outcome ? '' : ` (${code})`}`;
}
