import { TOOLS } from '../../contract/team.js';
import { isObject } from '../../lib/is-object.js';
import type { Data } from './foreign-agent.js';
import { type KeyRule, objectAt, parseEffort } from './key-rules.js';
import type { ToolWord } from './tool-words.js';

const EFFORT_KEY = 'reasoningEffort';

/** The effort level: a key that is passed to the provider, at the top level or in `options`. */
export const opencodeEffortRule: KeyRule = {
  member: 'effort',
  foreign: [EFFORT_KEY, 'options'],
  read: (data) => parseEffort(data[EFFORT_KEY] ?? objectAt(data, 'options')[EFFORT_KEY], { none: 'minimal' }),
  write: (value, data) => {
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

/** Tools without denied permissions. A map of patterns counts by its entry for `*`. */
export const opencodeToolsRule: KeyRule = {
  member: 'tools',
  foreign: ['permission', 'tools'],
  read: (data) => {
    const words = TOOLS.filter((word) => !PERMISSIONS[word].some((permission) => isDenied(data, permission)));
    return { value: words.length === TOOLS.length ? undefined : [...words] };
  },
  write: (value, data) => {
    const allowed = new Set(value === undefined ? TOOLS : (value as string[]));
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
  },
};

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
