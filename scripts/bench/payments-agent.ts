/** An agent with one skill that costs something and one that does not, which do nothing else, as a program of its own. Told its folder and the network. */
import { fileURLToPath } from 'node:url';
import type { HostAgent } from '../../daemon/agent-library/agent-types.js';

const [folder, chain, price] = process.argv.slice(2) as [string, string, string];
const { hostAgent } = (await import(fileURLToPath(new URL('../../dist/agent.js', import.meta.url)))) as {
  hostAgent: HostAgent;
};

const paid = { unit: 'request', amount: Number(price), currency: 'lamports', network: 'solana:local' };
const skill = (id: string, pricing: typeof paid) => ({
  id,
  name: id,
  description: 'Answers at once.',
  pricing,
  run: () => ({ ok: true }),
});
const agent = await hostAgent({
  agent_id: 'measured',
  folder,
  name: 'Measured',
  description: 'Answers at once.',
  payment: {
    modes: ['x402', 'deposit'],
    network: 'solana:local',
    deposit: { min_lamports: 1, credit_unit: 'lamports' },
  },
  chains: { 'solana:local': chain },
  skills: [skill('paid', paid), skill('free', { ...paid, amount: 0, currency: 'free' })],
});
process.once('disconnect', () => void agent.close());
process.send?.({ type: 'listening', port: Number(new URL(agent.url).port) });
