import type { CLIENT_NAMES, EFFORTS, MemberDetail, MemberPatch, TOOLS } from '../../../daemon/contract/team.js';

import {
  type PaymentText,
  type PriceText,
  parsePayment,
  parsePricing,
  pricingProblems,
  toPricingText,
} from '../payments/pricing-values.js';
import {
  type CallingText,
  callingProblems,
  createCallingPatch,
  findCallingField,
  toCallingText,
} from './card/calling-values.js';

/** Repeated from the contract, whose types verify the lists: the dashboard imports no code of the daemon. */
export const CLIENT_CHOICES = ['auto', 'builtin', 'claude-code', 'acp', 'api'] as const satisfies typeof CLIENT_NAMES;
export const EFFORT_CHOICES = [
  'default',
  'minimal',
  'low',
  'medium',
  'high',
  'xhigh',
  'max',
] as const satisfies typeof EFFORTS;
export const TOOL_CHOICES = [
  'read',
  'search',
  'edit',
  'execute',
  'web',
  'agent',
  'todo',
  'ask',
] as const satisfies typeof TOOLS;

/** The values of the member form. Numbers and lists are kept as typed text, so that no input is lost in conversion. */
export interface MemberFormValues extends CallingText {
  name: string;
  description: string;
  client: (typeof CLIENT_CHOICES)[number];
  model: string;
  effort: (typeof EFFORT_CHOICES)[number];
  tools: string[];
  turns: string;
  minutes: string;
  examples: string;
  refs: string;
  pinned_order: string;
  body: string;
  prices: PriceText[];
  payment: PaymentText;
}

export function toFormValues(member: MemberDetail): MemberFormValues {
  return {
    name: member.name,
    description: member.description,
    client: member.client,
    model: member.model,
    effort: member.effort,
    tools: member.tools ?? [],
    turns: String(member.limits.turns),
    minutes: String(member.limits.minutes),
    examples: (member.examples ?? []).join('\n'),
    refs: (member.refs ?? []).join('\n'),
    pinned_order: String(member.pinned_order),
    body: member.body,
    ...toPricingText(member),
    ...toCallingText(member),
  };
}

type MemberFormKey = keyof MemberFormValues;

/** Returns the keys whose values differ. */
export function changedKeys(base: MemberFormValues, values: MemberFormValues): MemberFormKey[] {
  return (Object.keys(base) as MemberFormKey[]).filter(
    (key) => JSON.stringify(base[key]) !== JSON.stringify(values[key]),
  );
}

/** Applies the changes between `base` and `mine` to the current file's values. */
export function applyChanges(
  base: MemberFormValues,
  mine: MemberFormValues,
  current: MemberFormValues,
): MemberFormValues {
  return { ...current, ...Object.fromEntries(changedKeys(base, mine).map((key) => [key, mine[key]])) };
}

/** Returns the problems and how to fix them, keyed by field; price and payment by their paths in the file. */
export function problemsIn(values: MemberFormValues): Partial<Record<string, string>> {
  const problems: Partial<Record<MemberFormKey, string>> = {};
  if (values.name.length > 80) problems.name = `At most 80 characters; this has ${values.name.length}.`;
  if (values.description.length > 400)
    problems.description = `At most 400 characters; this has ${values.description.length}.`;
  if (values.model.trim() === '') problems.model = 'A member needs a model. “strongest” uses the client’s best model.';
  if (!isWhole(values.turns, 1, 10_000)) problems.turns = 'A whole number from 1 to 10,000.';
  if (!isWhole(values.minutes, 1, 1_440)) problems.minutes = 'A whole number from 1 to 1,440.';
  if (!isWhole(values.pinned_order, -1_000_000, 1_000_000)) problems.pinned_order = 'A whole number.';
  const examples = splitLines(values.examples).length;
  if (examples === 1 || examples > 4) problems.examples = `Two to four asks, or none; this has ${examples}.`;
  return { ...problems, ...pricingProblems(values), ...callingProblems(values) };
}

/** Returns the field for the path in an error; undefined when the form has none. */
export function fieldOfPath(path: string): string | undefined {
  if (/^(pricing|payment)(\.|$)/.test(path)) return path;
  const calling = findCallingField(path);
  if (calling !== undefined) return calling;

  const [first = '', second] = path.split('.');
  return first === 'limits' ? second : first || undefined;
}

/** Returns the changed keys in the daemon's form. An emptied value is reset to its default. */
export function createPatch(base: MemberFormValues, values: MemberFormValues): MemberPatch {
  const changed = new Set(changedKeys(base, values));
  const patch: MemberPatch = {};
  if (changed.has('name')) patch.name = values.name.trim() || null;
  if (changed.has('description')) patch.description = values.description.trim() || null;
  if (changed.has('client')) patch.client = values.client;
  if (changed.has('model')) patch.model = values.model.trim();
  if (changed.has('effort')) patch.effort = values.effort;
  if (changed.has('tools')) patch.tools = values.tools.length > 0 ? values.tools : null;
  if (changed.has('turns') || changed.has('minutes'))
    patch.limits = { turns: Number(values.turns), minutes: Number(values.minutes) };
  if (changed.has('examples')) patch.examples = listOrNull(values.examples);
  if (changed.has('refs')) patch.refs = listOrNull(values.refs);
  if (changed.has('pinned_order')) patch.pinned_order = Number(values.pinned_order);
  if (changed.has('body')) patch.body = values.body;
  if (changed.has('prices')) patch.pricing = parsePricing(values.prices);
  if (changed.has('payment')) patch.payment = parsePayment(values.payment);
  return { ...patch, ...createCallingPatch(values, changed) };
}

function splitLines(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}

function listOrNull(text: string): string[] | null {
  const lines = splitLines(text);
  return lines.length > 0 ? lines : null;
}

function isWhole(text: string, least: number, most: number): boolean {
  return /^-?\d+$/.test(text.trim()) && Number(text) >= least && Number(text) <= most;
}
