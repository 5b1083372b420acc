import type { AgentCard, CardSkill, PublicCard } from '../../contract/card.js';
import { sha256Hex } from '../../lib/digests.js';
import { jcs } from '../../lib/jcs.js';
import type { AgentSpec, HostedSkill } from './agent-spec.js';
import { mayBePriced } from './skill-prices.js';

/** A skill as the card shows it: one spelling, whichever the declaration had; its own prices where it has some. */
function cardSkill({ id, name, description, tags, examples, input_schema, output_schema, prices, hasOwnPrices }: HostedSkill): CardSkill {
  return {
    id,
    name,
    description,
    tags,
    examples,
    ...(input_schema === undefined ? {} : { input_schema }),
    ...(output_schema === undefined ? {} : { output_schema }),
    ...(hasOwnPrices ? { pricing: prices } : {}),
  };
}

/** `version` with a digest of what callers rely on, so that no change of the contract keeps its version. Spec: Versioning, 2. */
export function contractVersion(spec: AgentSpec): string {
  const { name, description, version, inputModes, outputModes, pricing, payment, skills } = spec;
  const contract = { name, description, inputModes, outputModes, pricing, payment: payment ?? null, skills: skills.map(cardSkill) };
  return `${version}+${sha256Hex(jcs(contract)).slice(0, 12)}`;
}

/** The Tier-2 card of an agent, readable by old and new clients. Spec: Tier-2 public card. */
export function publicCard(spec: AgentSpec): PublicCard {
  const { opener, payment, contact, documentationUrl } = spec;
  const url = spec.url();
  return {
    name: spec.name,
    url,
    version: contractVersion(spec),
    description: spec.description,
    defaultInputModes: [...spec.inputModes],
    defaultOutputModes: [...spec.outputModes],
    protocols: ['http', 'a2a', ...(payment?.modes.includes('x402') === true && spec.skills.some(mayBePriced) ? ['x402'] : [])],
    pricing: spec.pricing,
    availability: { now: true, ...spec.availability },
    skills: spec.skills.map(cardSkill),
    documentationUrl: documentationUrl ?? `${url}/openapi.yaml`,
    ...(contact === undefined ? {} : { contact }),
    ...(payment === undefined ? {} : { payment }),
    protocolVersion: '0.3.0',
    preferredTransport: spec.preferredTransport,
    capabilities: { streaming: false, pushNotifications: false },
    securitySchemes: opener ? { [opener.name]: { type: 'http', scheme: 'bearer', description: opener.description } } : {},
    security: opener ? [{ [opener.name]: [] }] : [],
    supportedInterfaces: [...spec.interfaces],
  };
}

/** The strict A2A 1.0 card of an agent: no field that the schema does not know. */
export function agentCard(spec: AgentSpec): AgentCard {
  const { opener } = spec;
  return {
    name: spec.name,
    description: spec.description,
    version: contractVersion(spec),
    supportedInterfaces: [...spec.interfaces],
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: opener ? { [opener.name]: { httpAuthSecurityScheme: { scheme: 'Bearer', description: opener.description } } } : {},
    securityRequirements: opener ? [{ schemes: { [opener.name]: { list: [] } } }] : [],
    defaultInputModes: [...spec.inputModes],
    defaultOutputModes: [...spec.outputModes],
    skills: spec.skills.map(({ id, name, description, tags, examples }) => ({ id, name, description, tags, examples })),
  };
}
