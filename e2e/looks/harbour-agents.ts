import type { Tier1Card } from '../../daemon/contract/network/agents.js';
import type { Registration } from '../../daemon/contract/network/hub.js';
import type { Call, Challenge, TransferDone } from '../../daemon/contract/payments.js';
import { sha256Hex } from '../../daemon/lib/crypto/digests.js';
import { SigningKey } from '../../daemon/lib/crypto/ed25519.js';
import { signMeshSig } from '../../daemon/lib/crypto/mesh-sig.js';
import { PAINTER_CARD, SKETCHER_CARD, TIDES_CARD } from '../../scripts/demo/harbour-cards.js';
import type { FixedDaemon } from './fixed-daemon.js';
import { type HarbourTraffic, HOUR, MINUTE, SECOND, until } from './harbour-traffic.js';

/** Registers the agents of other programs with the hub and in the registry. Returns the registrations with the hub. */
export async function registerAgents(daemon: FixedDaemon): Promise<Registration[]> {
  const agents: Registration[] = [];
  for (const [agent_id, capabilities, agent_card] of AGENTS) {
    agents.push(await daemon.api<Registration>('POST', '/agents/register', { agent_id, capabilities, agent_card }));
    await daemon.api('POST', '/v1/agents/register', { agent_id, capabilities, agent_card });
    await daemon.pass(MINUTE);
  }
  return agents;
}

/** Sets a price for the consultant, and sells an answer to a program that pays and later asks without payment. */
export async function sellAnswer(daemon: FixedDaemon, wallet: string): Promise<void> {
  await daemon.api('PATCH', '/team/consultant', {
    pricing: [{ unit: 'request', amount: 5_000, currency: 'lamports', network: 'solana:local' }],
    payment: { modes: ['x402', 'deposit'], wallet },
  });
  const sell = (headers: Record<string, string>, status: number) =>
    daemon.api<Challenge>(
      'POST',
      '/team/consultant/v1/ask',
      { text: 'What is the default of LAMP_ANGLE?' },
      { 'user-agent': 'painter/1.0', ...headers },
      status,
    );
  daemon.agent.playsTo('What is the default of LAMP_ANGLE?', { text: 'It is -6: README.md:11-11.' });
  const challenge = await sell({}, 402);
  await daemon.pass(9 * SECOND);
  const { signature } = await daemon.api<TransferDone>('POST', '/wallets/main/pay', {
    to: challenge.accepts[0]?.address,
    lamports: challenge.accepts[0]?.amount,
    memo: challenge.nonce,
  });
  await daemon.pass(2 * SECOND);
  await sell({ 'x-payment-proof': signature, 'x-payment-nonce': challenge.nonce }, 200);
  await daemon.pass(2 * HOUR);
  await sell({}, 402);
}

/** Calls the consultant as an agent, which the operator approves. */
export async function buyAnswer(traffic: HarbourTraffic): Promise<void> {
  const { daemon } = traffic;
  daemon.agent.playsTo('How many lamps are in a group?', { text: 'Four: docs/lamps.md:7-7.' });
  const bought = await traffic.call('How many lamps are in a group?');
  await daemon.pass(40 * SECOND);
  await daemon.api('POST', `/ledger/approvals/${bought.call_id}`, { decision: 'allow' });
  await until(
    () => daemon.api<Call>('GET', `/calls/${bought.call_id}`),
    ({ state }) => state === 'done',
  );
}

/** Files the signed reputation reports about one of the agents. */
export async function reportOnPainter(daemon: FixedDaemon): Promise<void> {
  for (const [who, dims] of REPORTS) {
    await daemon.pass(3 * HOUR);
    const path = '/v1/agents/painter/feedback';
    const body = { dims };
    const signed = signMeshSig(
      new SigningKey(Buffer.from(sha256Hex(who), 'hex')),
      { method: 'POST', path, body: JSON.stringify(body) },
      daemon.nowMs,
    );
    await daemon.api('POST', path, body, { 'mesh-sig': signed });
  }
}

const AGENTS: readonly (readonly [id: string, capabilities: readonly string[], card: Tier1Card])[] = [
  ['painter', ['paint'], PAINTER_CARD],
  ['sketcher', ['sketch'], SKETCHER_CARD],
  ['tide-table', ['tides'], TIDES_CARD],
  [
    'engraver',
    [],
    {
      endpoint: 'https://engraver.example/',
      description: 'Engraves a picture of a harbour on copper.',
      tags: ['image'],
      protocols: ['http'],
      pricing: { unit: 'plate', amount: 900_000, currency: 'lamports' },
    },
  ],
];

const REPORTS = [
  ['a lighthouse', { reliability: 1, quality: 0.8 }],
  ['a pilot', { reliability: 1, quality: 0.9 }],
  ['a customs house', { reliability: 0, quality: 0.4 }],
] as const;
