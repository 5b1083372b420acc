import { join } from 'node:path';
import { type Agent, type AgentSkillOptions, hostAgent, registerAgent } from '../../daemon/agent-library.js';
import type { CallRow } from '../../daemon/features/spending/calls-store.js';
import { AgentPayer } from './agent-payer.js';
import { type ExampleOptions, LOCAL } from './example-options.js';
import { DRAW_SKILL, PICTURE_LAMPORTS } from './image-supplier.js';
import {
  composeTweet,
  countCharacters,
  LANGUAGES,
  TIER_NAMES,
  type Tier,
  TONES,
  TWEET_MAX_CHARS,
  type TweetWish,
} from './tweet-text.js';

/** Price of a tweet with a picture, and the margin that is left by design. */
export const TWEET_WITH_IMAGE_LAMPORTS = 20_000;
export const DESIGNED_MARGIN = TWEET_WITH_IMAGE_LAMPORTS - PICTURE_LAMPORTS;
/** Price of a tweet without a picture, by tier. */
export const TIER_LAMPORTS: Readonly<Record<Tier, number>> = { mini: 1000, standard: 2000, extended: 3500, max: 6000 };
const FREE_CALLS_A_DAY = 10;
/** Number of pictures that are prepaid to a supplier at once. */
const PICTURES_PREPAID = 10;
/** Reputation required for paying later: one call that was paid directly. */
const POSTPAY_MIN_REPUTATION = 0.5;

const PROMPT = { type: 'string', minLength: 1, maxLength: 500 };
const TONE = { type: 'string', enum: [...TONES] };

/** Output of `tweet-with-image`. Spec: Interface hosted by each agent › worked composite skill. */
export interface TweetWithImage {
  tweet: string;
  char_count: number;
  image: string;
  payment_mode: string;
  supplier: { agent_id: string; settled: boolean; signed: boolean; latency_ms: number; provider_used: string };
  economics: { currency: 'lamports'; earned: number; spent: number; profit: number; designed_margin: number };
  reputation_filed: { ok: boolean; score: number | null; dims: Record<string, number | null> };
}

const closed = (properties: Record<string, object>) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
});
const [TEXT, COUNT, BOOLEAN] = [{ type: 'string' }, { type: 'integer' }, { type: 'boolean' }];
const TWEET_WITH_IMAGE = closed({
  tweet: { type: 'string', maxLength: 2 * TWEET_MAX_CHARS },
  char_count: { type: 'integer', minimum: 1, maximum: TWEET_MAX_CHARS },
  image: { type: 'string', pattern: '^data:image/png;base64,' },
  payment_mode: { type: 'string', enum: ['free', 'deposit', 'postpay', 'x402'] },
  supplier: closed({ agent_id: TEXT, settled: BOOLEAN, signed: BOOLEAN, latency_ms: COUNT, provider_used: TEXT }),
  economics: closed({ currency: TEXT, earned: COUNT, spent: COUNT, profit: COUNT, designed_margin: COUNT }),
  reputation_filed: closed({ ok: BOOLEAN, score: { type: ['number', 'null'] }, dims: { type: 'object' } }),
});

const toTweetRequest = (input: Record<string, unknown>, tier: Tier): TweetWish => ({
  prompt: String(input['prompt']),
  tier,
  tone: (input['tone'] as TweetWish['tone'] | undefined) ?? 'friendly',
  language: (input['language'] as TweetWish['language'] | undefined) ?? 'en',
});

interface Earner {
  /** Sells `tweet-with-image`. */
  agent: Agent;
  /** Sells only `tweet`, in tiers. */
  writer: Agent;
  payer: AgentPayer;
  close(): Promise<void>;
}

/** Numbers of calls that were paid directly, by the key that signed them. */
class PaidCalls {
  private readonly counts = new Map<string, number>();

  add(pubkey: string): void {
    this.counts.set(pubkey, (this.counts.get(pubkey) ?? 0) + 1);
  }

  /** Credit is for callers who have paid before. */
  getReputation(pubkey: string): number {
    const paid = this.counts.get(pubkey) ?? 0;
    return paid / (paid + 1);
  }
}

const compositeSkill = (freeCalls: number, run: AgentSkillOptions['run']): AgentSkillOptions => ({
  id: 'tweet-with-image',
  name: 'Tweet with image',
  description:
    `Input {prompt: 1 to 500 characters, tone?: ${TONES.join(' | ')}}. Answers a text of at most 280 characters ` +
    `with a picture (PNG as data URL), who drew it and what that cost. A few seconds. ${freeCalls} free calls a ` +
    `day, then ${TWEET_WITH_IMAGE_LAMPORTS} lamports. It does not publish anything.`,
  tags: ['tweet', 'text', 'composite'],
  examples: [
    'Write a friendly tweet about harbour lights, with a picture',
    '{"prompt": "harbour lights at dusk", "tone": "playful"}',
  ],
  input_schema: {
    type: 'object',
    properties: { prompt: PROMPT, tone: TONE },
    required: ['prompt'],
    additionalProperties: false,
  },
  output_schema: TWEET_WITH_IMAGE,
  run,
});

/** Hosts the agent that sells `tweet-with-image`, which `run` makes. */
function hostComposite(
  options: { agent_id: string; folder: string; port: number; chains: Record<string, string> },
  freeCalls: number,
  paidCalls: PaidCalls,
  run: AgentSkillOptions['run'],
): Promise<Agent> {
  return hostAgent({
    ...options,
    name: 'Reference earner',
    description: 'Writes a short text by rules and buys a picture to it from another agent, which it pays and rates.',
    version: '1.0.0',
    pricing: [{ unit: 'request', amount: TWEET_WITH_IMAGE_LAMPORTS, currency: 'lamports', network: LOCAL }],
    payment: {
      modes: ['x402', 'deposit'],
      network: LOCAL,
      deposit: { min_lamports: TWEET_WITH_IMAGE_LAMPORTS, credit_unit: 'lamports' },
      postpay_min_reputation: POSTPAY_MIN_REPUTATION,
      free_tier: { calls_per_day: freeCalls, by: 'pubkey+ip' },
    },
    reputationOf: (pubkey) => paidCalls.getReputation(pubkey),
    skills: [compositeSkill(freeCalls, run)],
  });
}

/**
 * The reference earner: an agent that writes a text, buys a picture from a supplier found by the agent search, pays it
 * from a deposit, files a report about it with its own signature, and returns its earnings. A second agent has the
 * single skill `tweet`. Both are registered until they are closed.
 */
export async function earner({
  folder,
  hub,
  port,
  writerPort = 0,
  freeCalls = FREE_CALLS_A_DAY,
  agentId = 'earner',
}: ExampleOptions & { writerPort?: number; freeCalls?: number }): Promise<Earner> {
  const chains = { [LOCAL]: `${hub}/chain` };
  const composite = { agent_id: agentId, folder: join(folder, 'composite'), port, chains };
  const paidCalls = new PaidCalls();
  let payer: AgentPayer | undefined;
  const agent: Agent = await hostComposite(composite, freeCalls, paidCalls, async (input, call) => {
    if (!payer)
      throw Object.assign(new Error('The earner is starting: try again in a moment.'), { code: 'overloaded' });
    // A caller that pays directly is identified by the key that signed the call.
    if (call.mode === 'x402' && call.pubkey !== undefined) paidCalls.add(call.pubkey);
    const earned = call.mode === 'free' || call.mode === null ? 0 : TWEET_WITH_IMAGE_LAMPORTS;
    return tweetWithImage(payer, agent.identity.pubkey, toTweetRequest(input, 'max'), call.mode ?? 'free', earned);
  });
  const writer = await tweetWriter(join(folder, 'writer'), chains, `${agentId}-writer`, writerPort);
  const opened = await AgentPayer.open({
    folder: composite.folder,
    identity: agent.identity,
    hub,
    chains,
    caps: { per_call_lamports: PICTURES_PREPAID * PICTURE_LAMPORTS, per_day_lamports: 1000 * PICTURE_LAMPORTS },
  });
  payer = opened;
  const registrations = await Promise.all(
    [agent, writer].map((one) =>
      registerAgent({
        hub,
        agentId: one.agent_id,
        card: () => one.card(),
        identity: one.identity,
        folder: join(folder, one === agent ? 'composite' : 'writer'),
        tags: ['tweet', 'text'],
        category: 'media.text',
      }),
    ),
  );
  return {
    agent,
    writer,
    payer: opened,
    async close() {
      await Promise.all(registrations.map((registration) => registration.close().catch(() => undefined)));
      await Promise.all([agent.close(), writer.close()]);
      opened.close();
    },
  };
}

/** Hosts the agent with the single skill `tweet`, priced by tier. */
function tweetWriter(folder: string, chains: Record<string, string>, agentId: string, port: number): Promise<Agent> {
  return hostAgent({
    agent_id: agentId,
    folder,
    port,
    name: 'Tweet writer',
    description: 'Writes a short text by rules, without a model, as long as its tier allows.',
    version: '1.0.0',
    pricing: TIER_NAMES.map((tier) => ({
      unit: 'request',
      amount: TIER_LAMPORTS[tier],
      currency: 'lamports',
      network: LOCAL,
      tier,
    })),
    payment: { modes: ['x402', 'deposit'], network: LOCAL, deposit: { min_lamports: 1000, credit_unit: 'lamports' } },
    chains,
    skills: [
      {
        id: 'tweet',
        name: 'Tweet',
        description:
          `Input {prompt, tier: ${TIER_NAMES.join(' | ')}, tone?: ${TONES.join(' | ')}, language?: ` +
          `${LANGUAGES.join(' | ')}, default en}. Answers {tweet, char_count, tier_paid}, at once. No free ` +
          "calls; the price is the tier's.",
        tags: ['tweet', 'text'],
        examples: ['Write a mini tweet about lamps', '{"prompt": "harbour lights", "tier": "standard", "tone": "dry"}'],
        input_schema: {
          type: 'object',
          properties: {
            prompt: PROMPT,
            tier: { type: 'string', enum: [...TIER_NAMES] },
            tone: TONE,
            language: { type: 'string', enum: [...LANGUAGES], default: 'en' },
          },
          required: ['prompt', 'tier'],
          additionalProperties: false,
        },
        output_schema: {
          type: 'object',
          properties: {
            tweet: { type: 'string' },
            char_count: { type: 'integer' },
            tier_paid: { type: 'string', enum: [...TIER_NAMES] },
          },
          required: ['tweet', 'char_count', 'tier_paid'],
        },
        run(input) {
          const tier = input['tier'] as Tier;
          const tweet = composeTweet(toTweetRequest(input, tier));
          return { tweet, char_count: countCharacters(tweet), tier_paid: tier };
        },
      },
    ],
  });
}

async function tweetWithImage(
  payer: AgentPayer,
  pubkey: string,
  wish: TweetWish,
  mode: string,
  earned: number,
): Promise<TweetWithImage> {
  const tweet = composeTweet(wish);
  const bought = await pictureFor(payer, wish.prompt);
  const { image, provider, signed_by } = bought.result as { image: string; provider: string; signed_by: string | null };
  const spent = bought.amount_lamports ?? 0;
  const filed = bought.reputation_filed as {
    ok?: boolean;
    score?: number;
    dims?: Record<string, number | null>;
  } | null;
  return {
    tweet,
    char_count: countCharacters(tweet),
    image,
    payment_mode: mode,
    supplier: {
      agent_id: bought.agent_id ?? bought.agent,
      settled: bought.mode === 'deposit' || bought.mode === 'x402',
      signed: signed_by === pubkey,
      latency_ms: bought.latency_ms ?? 0,
      provider_used: provider,
    },
    economics: { currency: 'lamports', earned, spent, profit: earned - spent, designed_margin: DESIGNED_MARGIN },
    reputation_filed: { ok: filed?.ok === true, score: filed?.score ?? null, dims: filed?.dims ?? {} },
  };
}

/** Buys from the first supplier in the agent search that delivers. Throws `overloaded` when none does. */
async function pictureFor(payer: AgentPayer, prompt: string): Promise<CallRow> {
  const found = await payer.search('draw an image, a picture or an illustration to a prompt');
  const problems: string[] = [];
  for (const { agent_id } of found) {
    const call = await payer.call({
      agent: agent_id,
      skill: DRAW_SKILL,
      input: { prompt },
      mode: 'deposit',
      topup_lamports: PICTURES_PREPAID * PICTURE_LAMPORTS,
    });
    if (call.state === 'done') return call;
    problems.push(`${agent_id}: ${call.error_message ?? call.reason ?? call.state}`);
  }
  throw Object.assign(new Error(`No supplier delivered. ${problems.join('; ') || 'The Oracle found none.'}`), {
    code: 'overloaded',
  });
}
