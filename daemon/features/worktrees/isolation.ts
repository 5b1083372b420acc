import type { Isolation } from '../../contract/work/worktrees.js';

/** What decides where a conversation works, until its first turn. */
interface IsolationFacts {
  /** The operator's choice for the conversation. */
  chosen: Isolation | null;
  /** The operator's default for the project. */
  preference: 'automatic' | Isolation;
  /** The default in the member's file. */
  member: Isolation | undefined;
  tools: readonly string[];
  /** Why no worktree can be made; undefined when one can. */
  problem: string | undefined;
  /** Uncommitted changes of the project folder. */
  uncommitted: number;
}

/** Returns what is wanted, with its reason, before it is known whether a worktree can be made. */
export function wantedIsolation({
  chosen,
  preference,
  member,
  tools,
}: Omit<IsolationFacts, 'problem' | 'uncommitted'>): {
  isolation: Isolation;
  reason: string;
} {
  if (chosen !== null) return { isolation: chosen, reason: 'You chose it for this conversation.' };
  if (preference !== 'automatic') return { isolation: preference, reason: 'It is the default in your preferences.' };
  if (member !== undefined) return { isolation: member, reason: 'It is the default in the member’s file.' };
  return tools.includes('edit')
    ? { isolation: 'worktree', reason: 'It may edit files.' }
    : { isolation: 'project', reason: 'It does not edit files.' };
}

/**
 * Decides where a conversation works: by the operator's choice, else the operator's default, else that of the member's
 * file, else in a worktree when the member may edit files. Where no worktree can be made, defaults give way to the
 * project folder; the operator's choice for the conversation does not.
 */
export function resolveIsolation({ problem, uncommitted, ...facts }: IsolationFacts): {
  isolation: Isolation;
  reason: string;
} {
  const wanted = wantedIsolation(facts);
  if (wanted.isolation === 'project') return wanted;
  if (problem === undefined) return { isolation: 'worktree', reason: wanted.reason + notCopied(uncommitted) };
  if (facts.chosen === 'worktree') return { isolation: 'worktree', reason: `${wanted.reason} ${problem}` };
  return { isolation: 'project', reason: problem };
}

const notCopied = (count: number) => {
  if (count === 0) return '';
  return count === 1
    ? ' One uncommitted change of the project folder is not in it.'
    : ` ${count} uncommitted changes of the project folder are not in it.`;
};

const SLUG_MAX_CHARS = 40;

/** Returns the branch of a conversation's worktree: `meshd/<member>/<slug>`. */
export function branchName(agent: string, title: string, attempt: number): string {
  const words = title
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, SLUG_MAX_CHARS)
    .replace(/^-|-$/g, '');
  return `meshd/${agent}/${words === '' ? 'conversation' : words}${attempt === 1 ? '' : `-${attempt}`}`;
}
