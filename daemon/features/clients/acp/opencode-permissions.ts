import { secretGlobs } from '../../../lib/secrets/secret-names.js';
import type { Turn } from '../client.js';

type Effect = 'allow' | 'ask' | 'deny';
type Rules = Record<string, Effect | Record<string, Effect>>;

/** The permissions of each tool word, by the names of version 1 and of version 2. */
const PERMISSIONS: Readonly<Record<string, readonly string[]>> = {
  read: ['read'],
  search: ['grep', 'glob', 'list', 'codesearch'],
  edit: ['edit'],
  execute: ['bash', 'shell'],
  web: ['webfetch', 'websearch'],
  agent: ['task', 'subagent'],
  todo: ['todowrite'],
};
/** What the operator is asked for each time. The program itself asks for nothing of it. */
const ASKED = ['edit', 'execute', 'web'];
/** The program's own agents for parts of a task. */
const SUBAGENTS = ['general', 'explore'];

/** Translates the secret path globs into OpenCode patterns. `*` matches any part of a path; the last match decides. */
function readRules(): Record<string, Effect> {
  const { denied, allowed } = secretGlobs();
  const rules: Record<string, Effect> = {};
  for (const [globs, decision] of [[denied, 'deny'] as const, [allowed, 'allow'] as const]) {
    for (const glob of globs) {
      const rest = glob.replace('**/', '').replace('/**', '/*');
      rules[rest] = decision;
      rules[`*/${rest}`] = decision;
    }
  }
  return rules;
}

/** By name too, as a rule of the operator's own settings for one name goes before that for `*`. */
const READS_ONLY: Rules = {
  '*': 'deny',
  ...Object.fromEntries(['edit', 'execute', 'web', 'agent', 'todo'].flatMap((word) => rulesOf(word, 'deny'))),
  codesearch: 'deny',
  read: { '*': 'allow', '*.mesh/asks*': 'deny', ...readRules() },
  grep: 'allow',
  glob: 'allow',
  list: 'allow',
  external_directory: 'deny',
};

function rulesOf(word: string, effect: Effect): [string, Effect][] {
  return (PERMISSIONS[word] ?? []).map((name) => [name, effect]);
}

function memberRules(tools: readonly string[]): Rules {
  const rules = Object.keys(PERMISSIONS).flatMap((word) => {
    if (!tools.includes(word)) return rulesOf(word, 'deny');
    return ASKED.includes(word) ? rulesOf(word, 'ask') : [];
  });
  const named: Record<string, Effect> = { '*': 'deny' };
  for (const name of SUBAGENTS) named[name] = 'ask';
  const agents: Rules = tools.includes('agent') ? { task: named, subagent: named } : {};
  return { ...Object.fromEntries(rules), ...agents, external_directory: 'ask' };
}

/**
 * The environment variables that hold a run of opencode to the member's tools, or to reading in a run for another
 * program. Version 2 reads no `OPENCODE_PERMISSION`. Both read `OPENCODE_CONFIG_CONTENT` after the operator's own
 * settings, in which those of an agent go before those for all. Its own subagents only read, and others are denied: it
 * passes on no permission request of theirs, so that the turn would wait for ever.
 */
export function opencodePermissions({ profile, member }: Turn): Record<string, string> {
  const permission = profile === 'outside' ? READS_ONLY : memberRules(member.tools);
  const subagents = Object.fromEntries(SUBAGENTS.map((name) => [name, { permission: READS_ONLY }]));
  const agent = { build: { permission }, plan: { permission }, ...subagents };
  return {
    OPENCODE_PERMISSION: JSON.stringify(permission),
    OPENCODE_CONFIG_CONTENT: JSON.stringify({ permission, agent }),
  };
}
