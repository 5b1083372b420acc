import { isSince, type Version } from '../agent-program-cost.js';
import { type JsonObject, toObject, toText } from '../agent-program-json.js';
import { refusedTools } from '../claude-code/claude-code-flags.js';
import type { Turn } from '../client.js';

/** The first version of Claude's agent whose continued sessions begin with what they have cost, not with nothing. */
const CLAUDE_KEEPS_COST: Version = [0, 80, 0];
/** The first version of Codex's agent that acts unasked in each of its modes, the one called `read-only` too. */
const CODEX_ACTS_UNASKED: Version = [1, 7, 0];

const getName = (hello: JsonObject) => toText(toObject(hello['agentInfo'])['name']);

/** The version that an agent names in its greeting; empty where it names none. */
export const getVersion = (hello: JsonObject) => toText(toObject(hello['agentInfo'])['version']);

const isClaude = (hello: JsonObject) => /\/claude-(agent|code)-acp$/.test(getName(hello));

/** Whether the agent counts the cost of a session anew in each of its processes. */
export function countsAnew(hello: JsonObject): boolean {
  return isClaude(hello) && !isSince(getVersion(hello), CLAUDE_KEEPS_COST);
}

/** Whether the agent acts without a permission request, whatever its modes are called. */
export function actsUnasked(program: string, hello: JsonObject): boolean {
  const isCodex = [program, getName(hello)].some((name) => /(^|\/)codex-acp$/.test(name));
  const version = getVersion(hello);
  return isCodex && (isSince(version, CODEX_ACTS_UNASKED) || !/^\d+\.\d+\.\d+/.test(version));
}

/**
 * What Claude's agent is told with a session. Settings of the project, its skills, commands and agents would be read
 * from every folder of it, and grant themselves tools or run hooks without a permission request.
 */
export function sessionMeta(turn: Turn, hello: JsonObject): { _meta?: object } {
  if (!isClaude(hello)) return {};
  const settingSources = turn.profile === 'outside' ? [] : ['user'];
  return { _meta: { claudeCode: { options: { settingSources, disallowedTools: refusedTools(turn) } } } };
}
