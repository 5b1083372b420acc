import type { AgentBanner } from '../../contract/network/hosted-agents.js';
import type { AgentSpec } from './agent-spec.js';
import { mayBePriced } from './skill-prices.js';

/** All endpoints of an agent, in the order in which a caller typically uses them. */
function listEndpoints(spec: AgentSpec): AgentBanner['endpoints'] {
  const get = (path: string, summary: string) => ({ method: 'GET', path, summary });
  const post = (path: string, summary: string) => ({ method: 'POST', path, summary });
  const takesDeposits = spec.payment?.modes.includes('deposit') === true;
  return [
    get('/.well-known/agent.json', 'Full card'),
    get('/.well-known/agent-card.json', 'Full card; with A2A-Version: 1.0 the one of A2A 1.0'),
    get('/health', 'Health record'),
    ...spec.skills.map((skill) =>
      post(`/v1/${skill.id}`, mayBePriced(skill) ? `${skill.name}; costs what its price says` : skill.name),
    ),
    ...(takesDeposits
      ? [post('/v1/topup', 'Open a deposit key'), get('/v1/balance', 'What is left on a deposit key')]
      : []),
    post('/tasks/send', 'Send a task: a skill in the older A2A shape'),
    get('/tasks/:id', 'A task by its request id'),
    ...spec.morePaths.map(({ method, path, summary }) => ({ method, path, summary })),
    get(spec.bannerPath, 'This overview'),
    get('/openapi.yaml', 'All of it as OpenAPI 3.1'),
  ];
}

/** The overview of an agent. Spec: Interface hosted by each agent, `GET /`. */
export function agentBanner(spec: AgentSpec, version: string): AgentBanner {
  const [first] = spec.skills;
  return {
    agent_id: spec.agent_id,
    name: spec.name,
    description: spec.description,
    version,
    url: spec.url(),
    endpoints: listEndpoints(spec),
    providers: [...spec.providers()],
    rate_limits: { ...spec.rateLimits },
    defaults: {
      ...(first === undefined ? {} : { skill: first.id }),
      input_modes: spec.inputModes,
      output_modes: spec.outputModes,
      pricing: spec.pricing,
      ...(spec.payment === undefined ? {} : { payment: spec.payment }),
    },
  };
}
