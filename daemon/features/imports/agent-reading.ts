import { isDeepStrictEqual } from 'node:util';
import type { FieldFate } from '../../contract/imports.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import { writeKeys } from './agent-writing.js';
import type { Data, ForeignAgent, Reading, SharedKeys } from './foreign-agent.js';
import type { Format } from './formats.js';
import { withoutSecrets } from './inline-secrets.js';
import { type KeyRule, shortened } from './key-rules.js';
import { isWord } from './tool-words.js';

const SHOWN_MAX_CHARS = 120;

/** Explanations for kept keys whose name suggests an effect that they do not have here. */
const RULE_NOTES: ReadonlyMap<string, string> = new Map([
  ['disabled', 'Members are not switched off here: leave the file out instead.'],
  ['disable', 'Members are not switched off here: leave the file out instead.'],
  ['initialPrompt', 'A first message there, not the prompt: the prompt is the body.'],
  ['hooks', 'Never run here.'],
  ['permissionMode', 'Who may do what is asked here each time.'],
  ['mode', 'Imported members are profiles.'],
]);

/**
 * Converts an agent of another tool to a member: the keys that a member shares, the data kept verbatim for an export,
 * and the result for each key. Never takes over an exposure or a secret: inline secrets become `${NAME}`, with a note.
 */
export function readAgent(format: Format, agent: ForeignAgent): Reading {
  const { data, replaced } = withoutSecrets(agent.data);
  const taken = new Map<KeyRule, ReturnType<KeyRule['read']>>();
  for (const rule of format.rules) {
    const found = rule.read(data);
    if (found.value !== undefined) taken.set(rule, found);
  }
  const keys: SharedKeys = Object.fromEntries([...taken].map(([rule, { value }]) => [rule.member, value]));
  const getSecret = (key: string) =>
    replaced.filter(({ path }) => path[0] === key).map(({ variable }) => `\${${variable}}`);
  const explained = new Set<KeyRule>();
  const fields = Object.keys(data).map((key): FieldFate => {
    const shown = shownValue(data[key]);
    const rule = [...taken.keys()].find(
      ({ foreign, read }) => foreign.includes(key) && changesWithout(read, data, key),
    );
    const secrets = getSecret(key);
    const secretNote =
      secrets.length > 0 ? `Secrets are not taken: ${secrets.join(', ')} stands in their place.` : undefined;
    if (key === format.idKey) return { key, shown, fate: 'taken', to: 'id' };
    if (!rule) return { key, shown, fate: 'kept', ...noted(secretNote ?? RULE_NOTES.get(key)) };
    // A rule's note is attached only to the first of its keys.
    const message = explained.has(rule) ? undefined : taken.get(rule)?.note;
    explained.add(rule);
    const note = [message, secretNote].filter(Boolean).join(' ') || undefined;
    const isUnused = rule.member === 'color' || isAllStrange(taken.get(rule)?.value);
    return { key, shown, fate: isUnused ? 'unused' : 'taken', to: rule.member, ...noted(note) };
  });
  const notes = [
    ...fields.flatMap(({ key, note }) => (note === undefined ? [] : [`${key}: ${note}`])),
    ...(format.bodyMaxChars !== undefined && agent.body.length > format.bodyMaxChars
      ? [
          `The prompt has more than the ${format.bodyMaxChars.toLocaleString('en')} characters that ` +
            `${format.tool} reads.`,
        ]
      : []),
  ];
  return {
    keys,
    vendor: getVendor(format, data, keys),
    fields,
    notes,
    data,
    secrets: [...new Set(replaced.map(({ variable }) => variable))],
  };
}

/**
 * Returns the data that is stored besides the member's keys so that an export restores the file exactly: only the
 * difference, or all of the data where that is ambiguous.
 */
function getVendor(format: Format, data: Data, keys: SharedKeys): Data {
  const fresh = writeKeys(format, keys, {});
  const vendor = Object.fromEntries(
    Object.entries(data).filter(
      ([key, value]) => key === format.idKey || !Object.hasOwn(fresh, key) || !isDeepStrictEqual(fresh[key], value),
    ),
  );
  return isDeepStrictEqual(writeKeys(format, keys, vendor), data) ? vendor : data;
}

/** Whether `key` affects the value that the rule reads. */
function changesWithout(read: KeyRule['read'], data: Data, key: string): boolean {
  const { [key]: _without, ...others } = data;
  return !isDeepStrictEqual(read(others).value, read(data).value);
}

const noted = (note: string | undefined) => (note === undefined ? {} : { note });
const isAllStrange = (value: unknown) => Array.isArray(value) && value.length > 0 && !value.some(isWord);

/** Formats a value on one line, shortened. A value that looks like a secret is not shown. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  if (findSecret(text)) return 'not shown: it holds a secret';
  return shortened(
    text
      .slice(0, SHOWN_MAX_CHARS * 8)
      .replace(/\s+/g, ' ')
      .trim(),
    SHOWN_MAX_CHARS,
  );
}
