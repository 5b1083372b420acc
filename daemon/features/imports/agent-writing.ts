import { isDeepStrictEqual } from 'node:util';
import type { Loss } from '../../contract/imports.js';
import { nameFromId } from '../../lib/agents/member-id.js';
import { isObject } from '../../lib/is-object.js';
import type { Data, SharedKeys } from './foreign-agent.js';
import type { Format } from './formats.js';
import type { KeyRule } from './key-rules.js';

/** Returns the member's value of a key, or undefined for a default. */
const meant = (key: string, value: unknown) =>
  (key === 'model' && value === 'strongest') || (key === 'effort' && value === 'default') ? undefined : value;

/**
 * Returns the keys of another tool's file for a member: the keys kept for that tool (`vendor`), with the member's own
 * keys applied where the two differ. Exact inverse of an import.
 */
export function writeKeys({ rules }: Pick<Format, 'rules'>, keys: SharedKeys, vendor: Data): Data {
  let data = vendor;
  for (const rule of rules) {
    const value = meant(rule.member, keys[rule.member]);
    if (isDeepStrictEqual(meant(rule.member, rule.read(data).value), value)) continue;
    data = withKeys(data, settled(rule, value, data));
  }
  return data;
}

/** Returns the keys to set so that `rule` reads `value`. Also removes keys that would prevent it. */
function settled(rule: KeyRule, value: unknown, data: Data): Data {
  const set = rule.write(value, data);
  if (isDeepStrictEqual(rule.read(withKeys(data, set)).value, value)) return set;
  const others = Object.fromEntries(rule.foreign.filter((key) => !Object.hasOwn(set, key)).map((key) => [key, null]));
  return isDeepStrictEqual(rule.read(withKeys(data, { ...set, ...others })).value, value) ? { ...set, ...others } : set;
}

/** Returns `data` with the keys of `set` applied. null removes a key. The order of the remaining keys is preserved. */
function withKeys(data: Data, set: Data): Data {
  return Object.fromEntries(
    Object.entries({ ...data, ...set }).filter(([key, value]) => !(Object.hasOwn(set, key) && value === null)),
  );
}

/** Returns `data` with the keys first that the tool's own files start with. */
export function inOrder({ order }: Pick<Format, 'order'>, data: Data): Data {
  const first = order.filter((key) => Object.hasOwn(data, key));
  return Object.fromEntries([
    ...first.map((key) => [key, data[key]] as const),
    ...Object.entries(data).filter(([key]) => !first.includes(key)),
  ]);
}

const OURS_ONLY: Readonly<Record<string, string>> = {
  kind: 'that tool has no singletons: any number may run there',
  required: 'that tool has no required agents',
  agent_type: 'only this daemon has prompt families',
  client: 'the tool runs the agent itself',
  exposure: 'only this daemon lets other programs ask',
  pinned_order: 'that tool sorts by itself',
  emoji: 'that tool shows none',
  examples: 'that tool has no place for them',
  refs: 'that tool has no place for them: name them in the prompt',
  pricing: 'only this daemon has prices',
  payment: 'only this daemon is paid',
  skills: 'skills of this daemon are no skills there',
};
const MEANS_NOTHING: Readonly<Record<string, unknown>> = {
  kind: 'profile',
  required: false,
  agent_type: 'custom',
  client: 'auto',
  exposure: 'internal',
};

/** Lists the keys of a member file that `written` cannot express, each with the reason. */
export function listLosses(
  format: Format,
  id: string,
  { all, keys }: { all: Data; keys: SharedKeys },
  written: Data,
): Loss[] {
  const ours = Object.entries(OURS_ONLY).flatMap(([key, why]) =>
    all[key] === undefined || all[key] === null || all[key] === MEANS_NOTHING[key]
      ? []
      : [{ key, why: `Left out: ${why}.` }],
  );
  const shared = Object.entries(keys).flatMap(([key, value]) => {
    if (meant(key, value) === undefined || (key === 'name' && value === nameFromId(id))) return [];
    const rule = format.rules.find(({ member }) => member === key);
    if (!rule) return [{ key, why: `Left out: a file of ${format.tool} does not say it.` }];
    const back = rule.read(written).value;
    if (isDeepStrictEqual(back, value)) return [];
    const shown = JSON.stringify(value) ?? '';
    if (back === undefined) return [{ key, why: `Left out: ${format.tool} has no word for ${shown.slice(0, 120)}.` }];
    return [
      {
        key,
        why:
          `Becomes ${(JSON.stringify(back) ?? '').slice(0, 120)}: ${format.tool} has no word for ` +
          `${shown.slice(0, 120)}.`,
      },
    ];
  });
  const best = all['model'] === 'strongest' && written['model'] === undefined;
  const vendors = isObject(all['vendor']) ? Object.keys(all['vendor']).filter((name) => name !== format.format) : [];
  return [
    ...shared,
    ...(best
      ? [{ key: 'model', why: `Left out: ${format.tool} chooses its own default instead of the strongest.` }]
      : []),
    ...ours,
    ...vendors.map((name) => ({ key: `vendor.${name}`, why: `Stays in the member file: it is for ${name} only.` })),
  ];
}
