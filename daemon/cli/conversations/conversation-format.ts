import type { Conversation, Decision, Outcome, Permission, ToolCall, Turn } from '../../contract/conversations.js';
import type { PermissionDetail } from '../../contract/permissions.js';
import type { CLIENT_NAMES, EFFORTS } from '../../contract/team.js';
import type { TASK_STATES } from '../../contract/work/roadmap.js';
import type { ISOLATIONS } from '../../contract/work/worktrees.js';
import { duration } from '../daemon/status.js';
import { EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';

/**
 * Lists the names of the contract from tables whose types guarantee completeness, so that the command line does not
 * load the schemas.
 */
const listNames = <Name extends string>(table: Record<Name, true>) => Object.keys(table) as Name[];

export const CLIENTS = listNames<(typeof CLIENT_NAMES)[number]>({
  auto: true,
  builtin: true,
  'claude-code': true,
  acp: true,
  api: true,
});
export const EFFORT_NAMES = listNames<(typeof EFFORTS)[number]>({
  default: true,
  minimal: true,
  low: true,
  medium: true,
  high: true,
  xhigh: true,
  max: true,
});
export const ISOLATION_NAMES = listNames<(typeof ISOLATIONS)[number]>({ project: true, worktree: true });
/** The states that a user can set on a task; only the daemon sets `running`. */
export const STATES_TO_SET = listNames<Exclude<(typeof TASK_STATES)[number], 'running'>>({
  open: true,
  done: true,
  blocked: true,
});
export const FORMATS = ['md', 'jsonl', 'html'] as const;

/** The decision for each word that a user types. */
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

const outcomeWord = (outcome: Outcome) => OUTCOMES[outcome].word;
export const exitOfOutcome = (outcome: Outcome) => OUTCOMES[outcome].exit;

/** The state of a conversation in words, the most urgent first. */
export function conversationState({ permissions, running, queued, last_outcome, member_gone }: Conversation): string {
  if (permissions.length > 0) return 'needs you';
  const waiting = queued > 0 ? `, ${queued} waiting` : '';
  if (running !== null) return `working${waiting}`;
  if (queued > 0) return `${queued} waiting`;
  if (member_gone) return 'member gone';
  return last_outcome === null ? '' : outcomeWord(last_outcome);
}

/** One tool call in one line: its name and target. */
export function callLine({ name, target }: Pick<ToolCall, 'name' | 'target'>): string {
  return printable([name, target].filter(Boolean).join(' ')).replaceAll(/\s+/g, ' ');
}

const DIFF_LINES_MAX = 60;

/** What a permission request would do: the whole command, or the texts of its changes. */
function detailLines(detail: PermissionDetail | null): string[] {
  const lines = (text: string, sign = '') =>
    printable(text)
      .split('\n')
      .map((line) => `${sign}${line}`);
  switch (detail?.kind) {
    case 'command':
      return [...lines(detail.command ?? '', '$ '), `in ${printable(detail.folder ?? '')}`];
    case 'fetch':
      return [printable(`${detail.method} ${detail.url}`)];
    case 'input':
      return lines(detail.text ?? '');
    case 'edit':
      return (detail.changes ?? []).flatMap(({ path, old_text, new_text, cut }) => {
        const changed = [...(old_text === null ? [] : lines(old_text, '- ')), ...lines(new_text, '+ ')];
        const left = changed.length - DIFF_LINES_MAX;
        const more = left > 0 ? [`[${left} more line${left === 1 ? '' : 's'}: see the dashboard]`] : [];
        const where = path.startsWith('/') ? ' (outside its folder)' : '';
        return [
          printable(path) + where,
          ...changed.slice(0, DIFF_LINES_MAX),
          ...more,
          ...(cut ? ['[cut: too long]'] : []),
        ];
      });
    default:
      return [];
  }
}

/** The lines that show a permission request of an agent and how to answer it. */
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
    ...detailLines(permission.detail).map((line) => `    ${line}`),
    `    ${answers}${seconds > 0 ? ` (denied by itself in ${duration(seconds)})` : ''}`,
  ];
}

/** Why a turn ended, in one sentence; empty when it was answered. */
export function endingLine({ outcome, code, reason }: Turn): string {
  if (outcome === null || outcome === 'answered') return '';
  const why = reason === null ? '' : `: ${printable(reason)}`;
  return `${outcomeWord(outcome)}${why}${code === null || code === outcome ? '' : ` (${code})`}`;
}
