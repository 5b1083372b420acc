import type { AgentCard, CardSkill, PublicCard } from '../../contract/card.js';
import type { CardTests } from '../../contract/member-tests.js';
import { sha256Hex } from '../../lib/digests.js';
import { jcs } from '../../lib/jcs.js';
import type { AgentSpec, HostedSkill } from './agent-spec.js';
import { mayBePriced } from './skill-prices.js';

/** A skill as the card shows it: one spelling, whichever the declaration had; its own prices where it has some. */
function cardSkill({
  id,
  name,
  description,
  tags,
  examples,
  input_schema,
  output_schema,
  prices,
  hasOwnPrices,
}: HostedSkill): CardSkill {
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
  const contract = {
    name,
    description,
    inputModes,
    outputModes,
    pricing,
    payment: payment ?? null,
    skills: skills.map(cardSkill),
  };
  return `${version}+${sha256Hex(jcs(contract)).slice(0, 12)}`;
}

/** Where the strict card says how the contract tests of a member stand. */
export const TESTS_EXTENSION = 'urn:meshd:contract-tests';

/** Interfaces that A2A itself defines, as the card names their bindings. */
export const JSON_RPC = 'JSONRPC';
export const HTTP_JSON = 'HTTP+JSON';

const speaksA2a = ({ interfaces }: AgentSpec) => interfaces.some(({ protocolBinding }) => protocolBinding === JSON_RPC);

/** What an agent that speaks A2A can do beyond answering. */
const capabilitiesOf = (spec: AgentSpec) => ({ streaming: speaksA2a(spec), pushNotifications: speaksA2a(spec) });

/** What 0.3 knows of interfaces: those of its own version, by another name. */
const legacyInterfaces = ({ interfaces }: AgentSpec) =>
  interfaces
    .filter(
      ({ protocolVersion, protocolBinding }) =>
        protocolVersion === '0.3' && [JSON_RPC, HTTP_JSON].includes(protocolBinding),
    )
    .map(({ url, protocolBinding }) => ({ url, transport: protocolBinding }));

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
    protocols: [
      'http',
      'a2a',
      ...(payment?.modes.includes('x402') === true && spec.skills.some(mayBePriced) ? ['x402'] : []),
    ],
    pricing: spec.pricing,
    availability: { now: true, ...spec.availability },
    skills: spec.skills.map(cardSkill),
    documentationUrl: documentationUrl ?? `${url}/openapi.yaml`,
    ...(contact === undefined ? {} : { contact }),
    ...(payment === undefined ? {} : { payment }),
    ...(spec.tests === undefined ? {} : { tests: spec.tests }),
    protocolVersion: '0.3.0',
    preferredTransport: spec.preferredTransport,
    ...(speaksA2a(spec)
      ? { additionalInterfaces: legacyInterfaces(spec), supportsAuthenticatedExtendedCard: true }
      : {}),
    capabilities: capabilitiesOf(spec),
    securitySchemes: opener
      ? { [opener.name]: { type: 'http', scheme: 'bearer', description: opener.description } }
      : {},
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
    capabilities: {
      ...capabilitiesOf(spec),
      extendedAgentCard: speaksA2a(spec),
      ...(spec.tests === undefined ? {} : { extensions: [testsExtension(spec.tests)] }),
    },
    securitySchemes: opener
      ? { [opener.name]: { httpAuthSecurityScheme: { scheme: 'Bearer', description: opener.description } } }
      : {},
    securityRequirements: opener ? [{ schemes: { [opener.name]: { list: [] } } }] : [],
    defaultInputModes: [...spec.inputModes],
    defaultOutputModes: [...spec.outputModes],
    skills: spec.skills.map(({ id, name, description, tags, examples }) => ({ id, name, description, tags, examples })),
  };
}

function testsExtension(tests: CardTests) {
  const description = 'How this agent stands against the questions that its operator has written down for it.';
  return { uri: TESTS_EXTENSION, description, required: false, params: { ...tests } };
}
