import type { Tier2Card } from '../../../daemon/contract/network/site.js';
import { outsideAddress } from '../../lib/outside-address.js';
import { shellQuoted } from '../../lib/shell-words.js';

/** A command to copy, and its description. */
interface AgentCall {
  said: string;
  command: string;
}

interface Callee {
  agentId: string;
  /** Origin of this daemon. */
  origin: string;
  endpoint: string | undefined;
  protocols: readonly string[];
  /** Undefined until it was read. Then the commands use its skills. */
  card: Tier2Card | undefined;
}

const JSON_TYPE = "-H 'Content-Type: application/json'";
/** The most skills that get a command of their own. */
const SKILLS = 3;

/** Converts an example to a request body: a JSON object unchanged, anything else as a prompt. */
function getBody(example: string | undefined): string {
  if (example === undefined) return '{"prompt": "…"}';
  try {
    const value: unknown = JSON.parse(example);
    if (typeof value === 'object' && value !== null) return JSON.stringify(value);
  } catch {
    // Not JSON: a question in plain text.
  }
  return JSON.stringify({ prompt: example });
}

/** Returns the commands that call an agent. Everything that the agent wrote is quoted for the shell. */
export function agentCalls({ agentId, origin, endpoint, protocols, card }: Callee): AgentCall[] {
  const page = `${origin}/agent/${encodeURIComponent(agentId)}`;
  const calls = [
    { said: 'Its discovery card', command: `curl -s -H 'Accept: application/json' ${shellQuoted(page)}` },
    {
      said: 'Its public card, at any host',
      command: `curl -sL ${shellQuoted(`${page}/.well-known/agent.json`)}`,
    },
  ];
  const home = outsideAddress(endpoint)
    ?.href.replace(/[?#][\s\S]*$/, '')
    .replace(/(?<!\/)\/+$/, '');
  if (home === undefined || (protocols.length > 0 && !protocols.includes('http'))) return calls;
  const post = (path: string, body: string) =>
    `curl -s -X POST \\\n  ${shellQuoted(`${home}/v1/${path}`)} \\\n  ${JSON_TYPE} \\\n  -d ${shellQuoted(body)}`;
  const skills = (card?.skills ?? []).slice(0, SKILLS);
  if (skills.length === 0)
    return [
      ...calls,
      {
        said: 'A skill of it: its public card names the skill and the input',
        command: post('SKILL', getBody(undefined)),
      },
    ];
  return [
    ...calls,
    ...skills.map(({ id, name, examples }) => ({
      said: `Its skill ${name}`,
      command: post(encodeURIComponent(id), getBody(examples?.[0])),
    })),
  ];
}
