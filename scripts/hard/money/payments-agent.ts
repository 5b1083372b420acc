/**
 * An agent that sells one skill and logs each execution, as a separate process that can be killed. Its arguments are
 * its folder, the log file, the address of the local network and the price. Reports its own address once it is served,
 * and closes when its parent disconnects.
 */
import { openSync, writeSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { HostAgent } from '../../../daemon/agent-library/agent-types.js';

const [folder, executions, chain, price] = process.argv.slice(2) as [string, string, string, string];
const { hostAgent } = (await import(fileURLToPath(new URL('../../../dist/agent.js', import.meta.url)))) as {
  hostAgent: HostAgent;
};
const file = openSync(executions, 'a');
let count = 0;

const agent = await hostAgent({
  agent_id: 'counter',
  folder,
  name: 'Counter',
  description: 'Counts how often it is called.',
  pricing: { unit: 'request', amount: Number(price), currency: 'lamports', network: 'solana:local' },
  payment: {
    modes: ['x402', 'deposit'],
    network: 'solana:local',
    deposit: { min_lamports: 1, credit_unit: 'lamports' },
  },
  chains: { 'solana:local': chain },
  skills: [
    {
      id: 'count',
      name: 'Count',
      description: 'Counts.',
      async run({ label, fails }, { mode }) {
        count += 1;
        const execution = `${process.pid}-${count}`;
        // The kernel holds the data when the call returns, so that a kill of this process does not lose it.
        writeSync(file, `${mode} ${label} ${execution}\n`);
        if (count % 3 !== 0) await pause(count % 7);
        if (fails === true) throw new Error('It was asked to fail.');
        return { execution };
      },
    },
  ],
});
process.once('disconnect', () => void agent.close());
process.send?.({ type: 'listening', address: agent.url, wallet: agent.wallet });
