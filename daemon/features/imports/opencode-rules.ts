import { TOOLS } from '../../contract/team.js';
import { isObject } from '../../lib/is-object.js';
import type { Data } from './foreign-agent.js';
import { type KeyRule, objectAt, parseEffort } from './key-rules.js';
import type { ToolWord } from './tool-words.js';

const EFFORT_KEY = 'reasoningEffort';
/** The keys that only opencode 2 knows, and those of an agent in either version. */
const KEYS_OF_2 = ['permissions', 'request', 'system', 'disabled', 'cache'];
const KEYS_OF_BOTH = ['model', 'variant', 'description', 'mode', 'hidden', 'color', 'steps'];

/**
 * Whether opencode 2 reads an agent in its own form. One key beside those makes it read the whole file in the older
 * form, in which `permissions` means nothing: no such key may be added.
 */
function isNative(data: Data): boolean {
  const others = Object.keys(data).filter((key) => !KEYS_OF_BOTH.includes(key));
  return others.length > 0 && others.every((key) => KEYS_OF_2.includes(key));
}

/** The effort level: a key that is passed to the provider, at the top level or in `options`. */
export const opencodeEffortRule: KeyRule = {
  member: 'effort',
  foreign: [EFFORT_KEY, 'options'],
  read: (data) => parseEffort(data[EFFORT_KEY] ?? objectAt(data, 'options')[EFFORT_KEY], { none: 'minimal' }),
  write: (value, data) => {
    if (isNative(data)) return {};
    const options = objectAt(data, 'options');
    const word = value === 'max' ? 'xhigh' : (value ?? null);
    if (options[EFFORT_KEY] === undefined || data[EFFORT_KEY] !== undefined) return { [EFFORT_KEY]: word };
    const { [EFFORT_KEY]: _was, ...others } = options;
    return { options: word === null ? others : { ...options, [EFFORT_KEY]: word } };
  },
};

/** The permissions of each tool word. A new file denies all permissions of a word that the member lacks. */
const PERMISSIONS: Readonly<Record<ToolWord, readonly string[]>> = {
  read: ['read'],
  search: ['grep', 'glob'],
  edit: ['edit'],
  execute: ['bash'],
  web: ['webfetch', 'websearch'],
  agent: ['task'],
  todo: ['todowrite'],
  ask: ['question'],
};
/** The corresponding keys of the older `tools` map. */
const SWITCHES: Readonly<Record<string, readonly string[]>> = { edit: ['edit', 'write', 'patch'] };

/** Names that opencode 2 changed. */
const NAMES_OF_2: Readonly<Record<string, string>> = { bash: 'shell', task: 'subagent' };

/** Tools without denied permissions. A map of patterns counts by its entry for `*`, rules by those for everything. */
export const opencodeToolsRule: KeyRule = {
  member: 'tools',
  foreign: ['permission', 'tools', 'permissions'],
  read: (data) => {
    const isTaken = (name: string) => isDenied(data, name) || isRuledOut(listRules(data), name);
    const words = TOOLS.filter((word) => !PERMISSIONS[word].some(isTaken));
    return { value: words.length === TOOLS.length ? undefined : [...words] };
  },
  write: (value, data) => {
    const allowed = new Set(value === undefined ? TOOLS : (value as string[]));
    if (isNative(data)) return { permissions: ruled(allowed, data) };
    // Which of the two forms counts depends on the version: both say the same.
    return {
      ...switched(allowed, data),
      ...(Array.isArray(data['permissions']) && { permissions: ruled(allowed, data) }),
    };
  },
};

/** Returns the changes to the maps `permission` and `tools` that allow exactly the tools of `allowed`. */
function switched(allowed: ReadonlySet<string>, data: Data): Data {
  const permission = new Map<string, unknown>(Object.entries(listPermissions(data)));
  const switches = new Map<string, unknown>(Object.entries(objectAt(data, 'tools')));
  for (const word of TOOLS) {
    for (const name of PERMISSIONS[word]) {
      const isDeniedNow = isDenied(data, name);
      if (allowed.has(word) && isDeniedNow) {
        permission.delete(name);
        for (const key of SWITCHES[name] ?? [name]) switches.delete(key);
        // Set after the general rule that it overrides: the last match wins.
        if (getAction(permission.get('*')) === 'deny' || switches.get('*') === false) permission.set(name, 'allow');
      }
      if (!allowed.has(word) && !isDeniedNow) {
        permission.delete(name);
        permission.set(name, 'deny');
      }
    }
  }
  const hadSwitches = isObject(data['tools']);
  return {
    permission: permission.size === 0 ? null : Object.fromEntries(permission),
    ...(hadSwitches && { tools: switches.size === 0 ? null : Object.fromEntries(switches) }),
  };
}

const listRules = ({ permissions }: Data): unknown[] => (Array.isArray(permissions) ? permissions : []);
const namesOf = (name: string) => [name, NAMES_OF_2[name] ?? name];

/** Whether `rule` is about every use of the tool. An action may end with `*`. */
function isAbout(rule: unknown, name: string): rule is Data {
  if (!isObject(rule) || rule['resource'] !== '*' || typeof rule['action'] !== 'string') return false;
  const { action } = rule;
  return namesOf(name).some((one) => (action.endsWith('*') ? one.startsWith(action.slice(0, -1)) : one === action));
}

/** The last rule wins. */
const isRuledOut = (rules: readonly unknown[], name: string) =>
  (rules.findLast((rule) => isAbout(rule, name)) as Data | undefined)?.['effect'] === 'deny';

/** Returns `permissions` with the rules that allow exactly the tools of `allowed`. */
function ruled(allowed: ReadonlySet<string>, data: Data): unknown[] {
  let rules = listRules(data);
  for (const word of TOOLS) {
    for (const name of PERMISSIONS[word]) {
      const isAllowed = allowed.has(word);
      if (isRuledOut(rules, name) !== isAllowed) continue;
      if (isAllowed)
        rules = rules.filter(
          (rule) =>
            !(isAbout(rule, name) && rule['effect'] === 'deny' && namesOf(name).includes(String(rule['action']))),
        );
      if (isRuledOut(rules, name) === isAllowed)
        rules = [...rules, { action: NAMES_OF_2[name] ?? name, resource: '*', effect: isAllowed ? 'allow' : 'deny' }];
    }
  }
  return rules;
}

/** Returns `permission` as a map; it may be abbreviated to a string. */
function listPermissions({ permission }: Data): Data {
  if (typeof permission === 'string') return { '*': permission };
  return isObject(permission) ? permission : {};
}

function isDenied(data: Data, name: string): boolean {
  const permissions = listPermissions(data);
  const own = getAction(permissions[name]);
  if (own !== undefined) return own === 'deny';
  const switches = objectAt(data, 'tools');
  const stated = (SWITCHES[name] ?? [name]).map((key) => switches[key]).filter((state) => typeof state === 'boolean');
  if (stated.length > 0) return stated.includes(false);
  return getAction(permissions['*']) === 'deny' || switches['*'] === false;
}

/** Returns the action for everything: the value itself, or the `*` entry of a map of patterns. */
function getAction(permission: unknown): unknown {
  return isObject(permission) ? (permission['*'] ?? 'ask') : permission;
}
