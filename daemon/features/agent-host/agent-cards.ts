import type { CardTests } from '../../contract/member-tests.js';
import type { AgentCard, CardSkill, PublicCard } from '../../contract/network/card.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import type { AgentSpec, HostedSkill } from './agent-spec.js';
import { mayBePriced } from './skill-prices.js';
import { describeSkill } from './skill-terms.js';

/**
 * A skill in the normalized form of the card, whichever spelling its declaration used. Includes `pricing` only when the
 * skill has prices of its own.
 */
function cardSkill(skill: HostedSkill, spec: AgentSpec): CardSkill {
  const { input_schema, output_schema, prices, hasOwnPrices } = skill;
  return {
    ...plainSkill(skill, spec),
    ...(input_schema === undefined ? {} : { input_schema }),
    ...(output_schema === undefined ? {} : { output_schema }),
    ...(hasOwnPrices ? { pricing: prices } : {}),
  };
}

/** A skill in the form of both cards. */
function plainSkill(skill: HostedSkill, spec: AgentSpec) {
  const { id, name, tags, examples } = skill;
  return { id, name, description: describeSkill(skill, spec), tags, examples };
}

/**
 * `version` with a digest of everything that callers rely on, so that every change of the contract changes the version.
 * Spec: Versioning, 2.
 */
export function contractVersion(spec: AgentSpec): string {
  const { name, description, version, inputModes, outputModes, pricing, payment, skills } = spec;
  const contract = {
    name,
    description,
    inputModes,
    outputModes,
    pricing,
    payment: payment ?? null,
    // What is measured is no part of the contract: it changes with every answer.
    skills: skills.map((skill) => cardSkill(skill, { ...spec, measuredLatency: () => undefined })),
  };
  return `${version}+${sha256Hex(jcs(contract)).slice(0, 12)}`;
}

/** The extension URI under which the strict card reports the state of a member's contract tests. */
const TESTS_EXTENSION = 'urn:meshd:contract-tests';

/** Protocol bindings that A2A itself defines. */
export const JSON_RPC = 'JSONRPC';
export const HTTP_JSON = 'HTTP+JSON';

const speaksA2a = ({ interfaces }: AgentSpec) => interfaces.some(({ protocolBinding }) => protocolBinding === JSON_RPC);

/** The A2A capabilities of an agent. All of them require the A2A interfaces. */
const listCapabilities = (spec: AgentSpec) => ({
  streaming: speaksA2a(spec),
  pushNotifications: speaksA2a(spec),
  extendedAgentCard: speaksA2a(spec),
});

/** The A2A 1.0 form of the credential that calls need. */
const listRequirements = ({ opener }: AgentSpec) => (opener ? [{ schemes: { [opener.name]: { list: [] } } }] : []);

/** The A2A 0.3 form of the interfaces: those of version 0.3, under the names that 0.3 uses. */
const legacyInterfaces = ({ interfaces }: AgentSpec) =>
  interfaces
    .filter(
      ({ protocolVersion, protocolBinding }) =>
        protocolVersion === '0.3' && [JSON_RPC, HTTP_JSON].includes(protocolBinding),
    )
    .map(({ url, protocolBinding }) => ({ url, transport: protocolBinding }));

/** The Tier-2 card of an agent, readable by clients of both A2A versions. Spec: Tier-2 public card. */
export function publicCard(spec: AgentSpec): PublicCard {
  const { opener, payment, contact, documentationUrl, rateLimits } = spec;
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
      ...spec.moreProtocols,
      ...(payment?.modes.includes('x402') === true && spec.skills.some(mayBePriced) ? ['x402'] : []),
    ],
    pricing: spec.pricing,
    availability: { now: true, ...spec.availability },
    skills: spec.skills.map((skill) => cardSkill(skill, spec)),
    documentationUrl: documentationUrl ?? `${url}/openapi.yaml`,
    ...(contact === undefined ? {} : { contact }),
    ...(Object.keys(rateLimits).length === 0 ? {} : { rate_limits: { ...rateLimits } }),
    ...(payment === undefined ? {} : { payment }),
    ...(spec.tests === undefined ? {} : { tests: spec.tests }),
    protocolVersion: '0.3.0',
    preferredTransport: spec.preferredTransport,
    ...(speaksA2a(spec)
      ? { additionalInterfaces: legacyInterfaces(spec), supportsAuthenticatedExtendedCard: true }
      : {}),
    capabilities: listCapabilities(spec),
    // In both forms at once: the SDKs of A2A 1.0 for Java and Go refuse a card with a scheme in that of 0.3 alone.
    securitySchemes: opener
      ? { [opener.name]: { type: 'http', scheme: 'bearer', description: opener.description, ...bearer(opener) } }
      : {},
    security: opener ? [{ [opener.name]: [] }] : [],
    securityRequirements: listRequirements(spec),
    supportedInterfaces: [...spec.interfaces],
  };
}

/** The scheme of a token, as A2A 1.0 writes it. */
const bearer = ({ description }: { description: string }) => ({
  httpAuthSecurityScheme: { scheme: 'Bearer', description },
});

/** The strict A2A 1.0 card of an agent: only fields that the schema defines. */
export function agentCard(spec: AgentSpec): AgentCard {
  const { opener } = spec;
  return {
    name: spec.name,
    description: spec.description,
    version: contractVersion(spec),
    supportedInterfaces: [...spec.interfaces],
    capabilities: {
      ...listCapabilities(spec),
      ...(spec.tests === undefined ? {} : { extensions: [testsExtension(spec.tests)] }),
    },
    securitySchemes: opener ? { [opener.name]: bearer(opener) } : {},
    securityRequirements: listRequirements(spec),
    defaultInputModes: [...spec.inputModes],
    defaultOutputModes: [...spec.outputModes],
    skills: spec.skills.map((skill) => plainSkill(skill, spec)),
  };
}

function testsExtension(tests: CardTests) {
  const description = 'How this agent stands against the questions that its operator has written down for it.';
  return { uri: TESTS_EXTENSION, description, required: false, params: { ...tests } };
}
