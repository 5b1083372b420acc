import { AskBody } from '../../contract/asks.js';
import type { AgentCard, CardInterface, CardSkill, PublicCard } from '../../contract/card.js';
import type { MemberVersion } from '../team/member-file.js';

/** How an exposed member is reached: ask and poll over HTTP, as its OpenAPI description says. */
const ASK_AND_POLL = 'urn:meshd:ask-and-poll';

const INPUT_SCHEMA = {
  type: 'object',
  properties: {
    text: AskBody.properties.text,
    prompt: AskBody.properties.text,
    query: AskBody.properties.text,
    session: AskBody.properties.session,
  },
  additionalProperties: false,
};
const OUTPUT_SCHEMA = {
  type: 'object',
  properties: {
    request_id: { type: 'string' },
    result_text: { type: 'string' },
    citations: { type: 'array' },
    client: { type: 'string' },
    model: { type: 'string' },
  },
  required: ['request_id', 'result_text', 'citations', 'client', 'model'],
};

/** The skill that every exposed member has: one question, one cited answer. */
function askSkill(member: MemberVersion): CardSkill {
  return {
    id: 'ask',
    name: `Ask ${member.name}`,
    description:
      `${member.description} Takes one question in plain words and answers with facts of this project, each cited by file and lines and checked against the working tree. Says so when the project does not hold the answer.`.trim(),
    tags: ['project', 'question-answering', member.agent_type],
    examples: member.examples ?? ['What does this project do?', '{"text": "Where is the port set?"}'],
    input_schema: INPUT_SCHEMA,
    output_schema: OUTPUT_SCHEMA,
  };
}

interface CardFacts {
  member: MemberVersion;
  /** `http://127.0.0.1:4747`. */
  origin: string;
}

const url = ({ member, origin }: CardFacts) => `${origin}/team/${member.id}`;

function interfaces(facts: CardFacts): CardInterface[] {
  return [{ url: `${url(facts)}/ask`, protocolBinding: ASK_AND_POLL, protocolVersion: '1.0' }];
}

/** Changes whenever the member's file does, so that a card is never cached past a change of the skill. */
const version = (member: MemberVersion) => `1.0.0+${member.revision.slice(0, 12)}`;

const MODES = ['text/plain', 'application/json'];

/** The Tier-2 card of an exposed member, readable by old and new clients. Specification: Tier-2 public card. */
export function publicCard(facts: CardFacts): PublicCard {
  const { member } = facts;
  return {
    name: member.name,
    url: url(facts),
    version: version(member),
    description: member.description,
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    protocols: ['http'],
    pricing: member.pricing ?? { unit: 'request', amount: 0, currency: 'free' },
    availability: { now: true },
    skills: [askSkill(member)],
    protocolVersion: '0.3.0',
    preferredTransport: ASK_AND_POLL,
    capabilities: { streaming: false, pushNotifications: false },
    securitySchemes: { memberToken: { type: 'http', scheme: 'bearer', description: 'Token of this member, handed out by its operator.' } },
    security: [{ memberToken: [] }],
    supportedInterfaces: interfaces(facts),
    ...(member.payment === undefined ? {} : { payment: member.payment }),
  };
}

/** The strict A2A 1.0 card of an exposed member: no field that the schema does not know. */
export function agentCard(facts: CardFacts): AgentCard {
  const { member } = facts;
  const { id, name, description, tags, examples } = askSkill(member);
  return {
    name: member.name,
    description: member.description,
    version: version(member),
    supportedInterfaces: interfaces(facts),
    capabilities: { streaming: false, pushNotifications: false, extendedAgentCard: false },
    securitySchemes: {
      memberToken: { httpAuthSecurityScheme: { scheme: 'Bearer', description: 'Token of this member, handed out by its operator.' } },
    },
    securityRequirements: [{ schemes: { memberToken: { list: [] } } }],
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [{ id, name, description, tags, examples }],
  };
}
