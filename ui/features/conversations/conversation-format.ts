import type {
  Conversation,
  Decision,
  Outcome,
  Permission,
  ToolCall,
  Turn,
  Usage,
} from '../../../daemon/contract/conversations.js';
import type { StatusWord } from '../../components/status-mark.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { formatReason } from '../../lib/format/format-reason.js';
import { formatDuration, formatElapsed } from '../../lib/format/time-format.js';
import { keyChoice } from '../../lib/keys/key-choice.js';

/** Returns the displayed word for the outcome of a turn. */
export function outcomeWord(outcome: Outcome): StatusWord {
  if (outcome === 'answered') return 'answered';
  return outcome === 'cancelled' ? 'stopped' : 'failed';
}

/** Returns the state of a conversation in the words that requests use; undefined before its first turn. */
export function getConversationStatus({
  running,
  permissions,
  queued,
  last_outcome,
}: Conversation): StatusWord | undefined {
  if (permissions.length > 0) return 'needs you';
  if (running !== null) return 'working';
  if (queued > 0) return 'queued';
  return last_outcome === null ? undefined : outcomeWord(last_outcome);
}

/** Why a turn has no answer, when the daemon sent no reason. */
export const because: Record<Outcome, string> = {
  answered: '',
  failed: 'It failed.',
  cancelled: 'It was stopped.',
  deadline: 'The time limit was reached.',
  needs_permission: 'A permission was not granted.',
};

/** Reports whether a message was removed while it was queued: then no agent has read it. */
export const wasWithdrawn = ({ outcome, started_at }: Pick<Turn, 'outcome' | 'started_at'>): boolean =>
  outcome === 'cancelled' && started_at === null;

/** Returns why a turn ended as it did; empty for an answer. */
export function formatEnding({ outcome, reason }: Pick<Turn, 'outcome' | 'reason'>): string {
  if (outcome === null || outcome === 'answered') return '';
  return reason === null ? because[outcome] : formatReason(reason);
}

const number = new Intl.NumberFormat('en-GB');
const dollars = new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits: 4 });

/** Formats usage as `1,204 tokens in, 310 out, $0.0123`, with only what was reported. */
export function formatUsage({ input_tokens, output_tokens, cost_usd }: Usage): string {
  return [
    input_tokens !== undefined && `${number.format(input_tokens)} tokens in`,
    output_tokens !== undefined && `${number.format(output_tokens)} ${input_tokens === undefined ? 'tokens ' : ''}out`,
    cost_usd !== undefined && dollars.format(cost_usd),
  ]
    .filter(Boolean)
    .join(', ');
}

/** Adds up the usage of the turns; undefined when none was reported. */
export function totalUsage(turns: Iterable<Turn>): Usage | undefined {
  const total: Usage = {};
  for (const { usage } of turns) {
    for (const key of ['input_tokens', 'output_tokens', 'cost_usd'] as const) {
      const value = usage?.[key];
      if (value !== undefined) total[key] = (total[key] ?? 0) + value;
    }
  }
  return Object.keys(total).length > 0 ? total : undefined;
}

/** Formats a tool call as `read src/x.ts:40-72 · 12 ms`. */
export function formatCall({ name, target, ms, state }: ToolCall): string {
  const what = toDisplayText(target === '' ? name : `${name} ${target}`);
  return state !== 'running' && ms !== undefined ? `${what} · ${formatDuration(ms)}` : what;
}

export function formatDropped(dropped: number): string {
  return dropped === 1
    ? '1 reference is not in the project and was left out.'
    : `${dropped} references are not in the project and were left out.`;
}

/** Formats a setting and what it resolves to. */
export const formatResolved = (asked: string | null, resolved: string): string =>
  asked === null || asked === resolved || resolved === '' ? resolved || (asked ?? '') : `${asked} → ${resolved}`;

/** Formats the remaining time of a permission. */
export function formatWait(expiresAt: string, now: number): string {
  const left = Date.parse(expiresAt) - now;
  return left <= 0 ? 'Expired: denied.' : `Denied in ${formatElapsed(left)} unless you answer.`;
}

export const decisionLabels: Record<Decision, string> = {
  allow_once: 'Allow once',
  allow_always: 'Always in this conversation',
  deny: 'Deny',
};

/** The decisions in the order of their keys 1, 2, 3. */
export const DECISION_KEYS: readonly Decision[] = ['allow_once', 'allow_always', 'deny'];

export const decisionOfKey = (
  event: Parameters<typeof keyChoice>[1],
  choices: readonly Decision[] = DECISION_KEYS,
): Decision | undefined => keyChoice(choices, event);

export const formatAsked = ({ tool, target }: Permission): string =>
  toDisplayText(target === '' ? tool : `${tool} ${target}`);
