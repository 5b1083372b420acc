import type { PublicCard } from '../../contract/network/card.js';
import { tier2Url } from '../../lib/agents/tier2-url.js';
import { shellWord } from './shell-format.js';
import type { AgentFacts } from './site.js';

/** A command to copy, with its explanation. */
export interface Call {
  said: string;
  command: string;
}

const JSON_TYPE = "-H 'Content-Type: application/json'";

/** The commands for ask and poll with the member's token, for programs on this machine. */
function askCalls(member: string, origin: string, card: PublicCard): Call[] {
  const variable = `${member.toUpperCase().replaceAll('-', '_')}_TOKEN`;
  const bearer = `-H "Authorization: Bearer $${variable}"`;
  const question = card.skills[0]?.examples.find((example) => !example.startsWith('{')) ?? 'What does this project do?';
  return [
    {
      said: `Ask, with the token that its operator hands out in $${variable}; the answer names a request_id.`,
      command:
        `curl -s -X POST ${shellWord(`${origin}/team/${member}/ask`)} \\\n  ${bearer} ${JSON_TYPE} \\\n  -d ` +
        `${shellWord(JSON.stringify({ text: question }))}`,
    },
    { said: 'Poll for the answer.', command: `curl -s "${origin}/team/requests/$REQUEST_ID?wait=60" \\\n  ${bearer}` },
  ];
}

/** The commands with which an agent can be called. Spec: Interface hosted by each agent. */
export function listCalls({ agent, card, origin }: AgentFacts): Call[] {
  const page = `${origin}/agent/${encodeURIComponent(agent.agent_id)}`;
  const calls: Call[] = [
    { said: 'Its discovery card.', command: `curl -s -H 'Accept: application/json' ${shellWord(page)}` },
  ];
  const tier2 = agent.endpoint === undefined ? undefined : tier2Url(agent.endpoint);
  if (tier2 !== undefined)
    calls.push({ said: 'Its public card, with its skills.', command: `curl -s ${shellWord(tier2)}` });
  if (card && agent.member !== undefined) return [...calls, ...askCalls(agent.member, origin, card)];
  if (agent.endpoint === undefined || tier2 === undefined || !(agent.card?.protocols ?? ['http']).includes('http'))
    return calls;
  const skill = `${tier2.slice(0, -'/.well-known/agent.json'.length)}/v1/`;
  calls.push({
    said: 'A skill of it: its card names the skill and the input.',
    command: `curl -s -X POST ${shellWord(skill)}"$SKILL_ID" \\\n  ${JSON_TYPE} \\\n  -d '{"prompt": "…"}'`,
  });
  return calls;
}
