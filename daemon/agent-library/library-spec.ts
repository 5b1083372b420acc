import { SKILL_DEADLINE_SECONDS } from '../contract/limits.js';
import { AGENT_ID_PATTERN } from '../contract/network/agents.js';
import type { PaymentDeclaration } from '../contract/payments.js';
import type { PricingRow } from '../contract/team.js';
import type { AgentSpec } from '../features/agent-host/agent-spec.js';
import {
  findPaymentMistake,
  findPricingMistake,
  findUnchargeable,
  isPaidRow,
  priceRows,
  withNetworks,
} from '../lib/agents/pricing-rules.js';
import { sameSecret } from '../lib/crypto/digests.js';
import { MeshError } from '../lib/errors.js';
import type { AgentOptions } from './agent-types.js';
import { librarySkills } from './library-skills.js';
import { TaskCache } from './task-cache.js';

const HTTP_SKILLS = 'urn:meshd:http-skills';
const FREE: PricingRow = { unit: 'request', amount: 0, currency: 'free' };
const JSON_ONLY = ['application/json'];

interface SpecContext {
  url: () => string;
  wallet: string;
  networks: readonly string[];
}

const bad = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });

/**
 * Validates a program's options and converts them to the specification of a hosted agent. Throws `bad_request` with
 * `path` for an invalid option.
 */
export function librarySpec(options: AgentOptions, { url, wallet, networks }: SpecContext): AgentSpec {
  const { agent_id, name, description, pricing, bearer, rateLimits, contact, availability, documentationUrl, isReady } =
    options;
  if (!new RegExp(AGENT_ID_PATTERN).test(agent_id))
    throw bad('agent_id', '"agent_id" must be 3 to 64 letters, digits, `-` or `_`.');
  for (const [key, value] of Object.entries({ name, description })) {
    if (typeof value !== 'string' || value.trim() === '') throw bad(key, `"${key}" must be a text.`);
  }
  if (!Array.isArray(options.skills) || options.skills.length === 0)
    throw bad('skills', '"skills" must hold at least one skill.');
  if (bearer !== undefined && bearer.length < 16) throw bad('bearer', '"bearer" must have at least 16 characters.');
  const given = priceRows(pricing);
  const mistake =
    findPricingMistake(pricing) ?? findPaymentMistake(options.payment as Record<string, unknown> | undefined, given);
  if (mistake) throw bad(mistake.path.join('.'), mistake.reason);
  const skills = librarySkills(agent_id, options.skills, given, options.payment);
  const rows = withNetworks(given, options.payment);
  const payment = createPayment(options, [...rows, ...skills.flatMap(({ prices }) => prices)], wallet, networks);
  refuseUnchargeable(options, payment, networks);
  return {
    agent_id,
    url,
    name,
    description,
    version: options.version ?? '1.0.0',
    inputModes: options.defaultInputModes ?? JSON_ONLY,
    outputModes: options.defaultOutputModes ?? JSON_ONLY,
    pricing: rows.length === 0 ? FREE : Array.isArray(pricing) ? rows : (rows[0] as PricingRow),
    ...(payment === undefined ? {} : { payment }),
    ...(contact === undefined ? {} : { contact }),
    ...(availability === undefined ? {} : { availability }),
    latency: availability?.sla ?? `at most ${SKILL_DEADLINE_SECONDS} seconds`,
    ...(documentationUrl === undefined ? {} : { documentationUrl }),
    skills,
    opener:
      bearer === undefined
        ? null
        : {
            name: 'bearer',
            description: 'Handed out by whoever runs this agent.',
            isRight: (token) => sameSecret(token, bearer),
          },
    interfaces: [{ url: `${url()}/v1`, protocolBinding: HTTP_SKILLS, protocolVersion: '1.0' }],
    preferredTransport: HTTP_SKILLS,
    moreProtocols: [],
    bannerPath: '/',
    morePaths: [],
    providers: () => [agent_id],
    rateLimits: rateLimits ?? {},
    deadlineSeconds: SKILL_DEADLINE_SECONDS,
    isReady: () => isReady?.() ?? true,
    tasks: new TaskCache(),
  };
}

/**
 * Returns the payment declaration, with the agent's own wallet when anything has a price. Throws `bad_request` for a
 * network without a configured chain.
 */
function createPayment(
  { payment }: AgentOptions,
  rows: readonly PricingRow[],
  wallet: string,
  networks: readonly string[],
): PaymentDeclaration | undefined {
  const paid = rows.filter(isPaidRow);
  const [first] = paid;
  if (!first) return payment;
  const missing = paid.find(({ network }) => network === undefined || !networks.includes(network));
  if (missing)
    throw bad('chains', `"chains" must name the JSON-RPC address of ${missing.network}: a price is asked on it.`);
  return {
    modes: ['x402'],
    ...payment,
    network: payment?.network ?? (first.network as string),
    wallet: payment?.wallet ?? wallet,
  };
}

/** Throws `bad_request` for a price of which no row can be charged: it would be served free. */
function refuseUnchargeable(
  { pricing, skills }: AgentOptions,
  payment: PaymentDeclaration | undefined,
  networks: readonly string[],
): void {
  const prices = [
    { pricing, at: ['pricing'] },
    ...skills.map((skill, index) => ({ pricing: skill.pricing, at: ['skills', String(index), 'pricing'] })),
  ];
  for (const { pricing, at } of prices) {
    const mistake = findUnchargeable(pricing, payment, networks, at);
    if (mistake) throw bad(mistake.path.join('.'), mistake.reason);
  }
}
