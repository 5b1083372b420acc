/**
 * An agent in a separate process with one paid and one free skill that do nothing else. Its arguments are its folder,
 * the address of the network and the price.
 */
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
