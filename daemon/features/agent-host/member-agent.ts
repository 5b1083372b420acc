import { AskAccepted, AskBody, searchFields } from '../../contract/asks.js';
import type { CardTests } from '../../contract/member-tests.js';
import type { CardInterface } from '../../contract/network/card.js';
import type { HostedTask } from '../../contract/network/hosted-agents.js';
import { LOCAL_NETWORK, type PaymentDeclaration } from '../../contract/payments.js';
import type { PricingRow } from '../../contract/team.js';
import {
  findPaymentMistake,
  findPricingMistake,
  findUnchargeable,
  isChargeable,
  isPaidRow,
  priceRows,
  toJson,
  withNetworks,
} from '../../lib/agents/pricing-rules.js';
import { toSkillAskResult } from '../../lib/agents/skill-ask-result.js';
import {
  findExamplesMistake,
  readSkill,
  readSkills,
  type SkillDeclaration,
} from '../../lib/agents/skill-declaration.js';
import { laterSkillSchema } from '../../lib/agents/skill-schema.js';
import type { MemberVersion } from '../team/member-file.js';
import { HTTP_JSON, JSON_RPC } from './agent-cards.js';
import type { AgentSpec, HostedSkill, Opener, SkillCall } from './agent-spec.js';
import { type AskPort, askMember, askQuestion, skillOutput, skillQuestion } from './member-ask.js';
import { memberTask } from './member-task.js';
import { formatLatency } from './skill-terms.js';

/** The binding of an exposed member's ask-and-poll interface over HTTP, as described in its OpenAPI document. */
const ASK_AND_POLL = 'urn:meshd:ask-and-poll';
const ASK_SKILL = 'ask';
const FREE: PricingRow = { unit: 'request', amount: 0, currency: 'free' };
const MODES = ['text/plain', 'application/json'];

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
    ...searchFields,
    client: { type: 'string' },
    model: { type: 'string' },
  },
  required: ['request_id', 'result_text', 'citations', 'client', 'model'],
};

const json = (schema: unknown) => ({ 'application/json': { schema } });
const ASK_OPERATION = {
  operationId: 'ask',
  parameters: [{ name: 'Idempotency-Key', in: 'header', required: false, schema: { type: 'string' } }],
  requestBody: { required: true, content: json(AskBody) },
  responses: {
    202: {
      description: 'It is on record: poll the path that the answer names, on the same host.',
      content: json(AskAccepted),
    },
    400: { description: 'The body is wrong; `path` names the field.' },
    401: { description: 'The bearer is missing or wrong.' },
    429: { description: 'Too many asks of this member are running or queued.' },
  },
};

const A2A_ANSWERS = { 200: { description: 'As A2A says.' }, 401: { description: 'The bearer is missing or wrong.' } };
const A2A_PATHS = [
  {
    method: 'POST' as const,
    path: '/a2a',
    summary: 'A2A over JSON-RPC, 1.0 and 0.3; A2A over REST is below it',
    operation: {
      operationId: 'a2a',
      requestBody: { required: true, content: json({ type: 'object' }) },
      responses: A2A_ANSWERS,
    },
  },
];

/** All interfaces of a member, the preferred one first. */
function memberInterfaces(url: string): CardInterface[] {
  const a2a = (protocolBinding: string, protocolVersion: string) => ({
    url: `${url}/a2a`,
    protocolBinding,
    protocolVersion,
  });
  return [
    a2a(JSON_RPC, '1.0'),
    a2a(HTTP_JSON, '1.0'),
    a2a(JSON_RPC, '0.3'),
    a2a(HTTP_JSON, '0.3'),
    { url: `${url}/ask`, protocolBinding: ASK_AND_POLL, protocolVersion: '1.0' },
  ];
}

interface MemberAgentParts {
  member: MemberVersion;
  url: () => string;
  opener: Opener;
  asks: AskPort;
  /** The client that currently runs the member. */
  provider: () => string;
  isReady: () => boolean;
  /** The state of its contract tests. Undefined when it has none. */
  tests: CardTests | undefined;
  /** The payment networks that are configured. */
  networks: readonly string[];
  /** Address of this daemon's own wallet, once it is known. */
  defaultWallet: () => string | undefined;
}

/** The prices and the payment declaration in effect. When either is invalid in the file, both are omitted. */
function memberPrices({ pricing, payment }: Pick<MemberVersion, 'pricing' | 'payment'>): {
  rows: PricingRow[];
  payment: PaymentDeclaration | undefined;
} {
  const isWrong =
    findPricingMistake(pricing) !== undefined || findPaymentMistake(payment, priceRows(pricing)) !== undefined;
  if (isWrong) return { rows: [], payment: undefined };
  const declared = toJson(payment) as PaymentDeclaration | undefined;
  return { rows: withNetworks(priceRows(pricing), declared), payment: declared };
}

/**
 * An exposed member as a hosted agent, with the skill `ask` and the skills that its file declares. Spec: Team member
 * exposure; Tier-2 public card.
 */
export function memberAgent(parts: MemberAgentParts): AgentSpec {
  const { member, url, opener, asks, provider, isReady, tests, networks, defaultWallet } = parts;
  const { rows, payment } = memberPrices(member);
  const ask = charged(askSkill(member, rows), payment, networks);
  const { skills } = readSkills(member.skills ?? [], rows, [ASK_SKILL]);
  const declared = skills.map((skill) =>
    charged({ ...skill, prices: withNetworks(skill.prices, payment) }, payment, networks),
  );
  const all: HostedSkill[] = [
    {
      ...ask,
      run: async (input, call) => toSkillAskResult(await askMember(asks, member.id, askQuestion(input, call), call)),
    },
    ...declared.map((skill) => ({
      ...skill,
      run: async (input: Record<string, unknown>, call: SkillCall) =>
        skillOutput(skill, await askMember(asks, member.id, skillQuestion(skill, input, call), call)),
    })),
  ];
  const paid = all.flatMap(({ prices }) => prices).filter(isPaidRow);
  const declaredPayment = paid.length === 0 ? payment : withWallet(payment ?? { modes: ['x402'] }, paid, defaultWallet);
  const shown = charged({ prices: rows }, payment, networks).prices;
  const isList = Array.isArray(member.pricing);
  return {
    agent_id: member.id,
    url,
    name: member.name,
    description: member.description,
    version: '1.0.0',
    inputModes: MODES,
    outputModes: MODES,
    pricing: shown.length === 0 ? FREE : isList ? [...shown] : (shown[0] as PricingRow),
    ...(declaredPayment === undefined ? {} : { payment: declaredPayment }),
    ...(member.contact === undefined ? {} : { contact: member.contact }),
    ...(member.availability === undefined ? {} : { availability: member.availability }),
    latency: member.availability?.sla ?? `at most ${member.limits.minutes} minutes`,
    measuredLatency: () => {
      const usual = asks.usualLatency(member.id);
      return usual && formatLatency(usual);
    },
    skills: all,
    opener,
    interfaces: memberInterfaces(url()),
    preferredTransport: JSON_RPC,
    moreProtocols: ['mcp'],
    bannerPath: '/about',
    morePaths: [
      { method: 'POST', path: '/ask', summary: 'Ask; poll for the answer', operation: ASK_OPERATION },
      ...A2A_PATHS,
    ],
    ...(tests === undefined ? {} : { tests }),
    providers: () => [provider()],
    rateLimits: member.rate_limits ?? {},
    isReady,
    tasks: {
      start: (skill, input, call) => (skill.id === ASK_SKILL ? startTask(asks, member.id, input, call) : undefined),
      read: async (taskId) => memberTask(await asks.read(member.id, taskId)),
    },
  };
}

/**
 * A skill without the rows that cannot be charged. When one of its prices has no other rows, it keeps them and is
 * refused, so that its card never calls it free.
 */
function charged<T extends { prices: PricingRow[] }>(
  skill: T,
  payment: PaymentDeclaration | undefined,
  networks: readonly string[],
): T & { refusal?: string } {
  const mistake = findUnchargeable(skill.prices, payment, networks);
  if (mistake) return { ...skill, refusal: mistake.reason.replace(/^`[^`]*` /, '') };
  return { ...skill, prices: skill.prices.filter((row) => isChargeable(row, payment, networks)) };
}

async function startTask(
  asks: AskPort,
  member: string,
  input: Record<string, unknown>,
  call: SkillCall,
): Promise<HostedTask> {
  const { request_id } = await asks.acceptAsk(member, askQuestion(input, call), call.caller);
  return memberTask(await asks.read(member, request_id), call.session);
}

/** The skill that every exposed member has: one question, one answer with citations. */
function askSkill(member: MemberVersion, rows: readonly PricingRow[]): SkillDeclaration {
  return readSkill(
    {
      id: ASK_SKILL,
      name: `Ask ${member.name}`,
      description: (
        `${member.description} Takes one question in plain words and answers with facts of this project, each ` +
        'cited by file and lines and checked against the working tree. Says so when the project does not ' +
        'hold the answer.'
      ).trim(),
      tags: ['project', 'question-answering', member.agent_type],
      examples: (findExamplesMistake(member.examples) ? undefined : member.examples) ?? [
        'What does this project do?',
        '{"text": "Where is the port set?"}',
      ],
      input_schema: INPUT_SCHEMA,
      output_schema: OUTPUT_SCHEMA,
    },
    ASK_SKILL,
    rows,
    laterSkillSchema,
  );
}

/** The declaration with its network filled in, and with this daemon's own wallet when the file names none. */
function withWallet(
  payment: PaymentDeclaration,
  paid: readonly PricingRow[],
  defaultWallet: () => string | undefined,
): PaymentDeclaration {
  const network = payment.network ?? paid[0]?.network ?? LOCAL_NETWORK;
  const wallet = payment.wallet ?? defaultWallet();
  return { ...payment, network, ...(wallet === undefined ? {} : { wallet }) };
}
