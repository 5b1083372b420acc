/**
 * Runs one of the example agents as a separate process. Prints its address on stdout and sends its report to a parent
 * process at the start and on request. Exits on SIGTERM and SIGINT, and when the parent disconnects.
 *
 * `tsx scripts/examples/run-agent.ts <image-supplier | earner> --hub URL --folder DIR [--port N] [--writer-port N]
 * [--free-calls N]`
 */
import { parseArgs } from 'node:util';
import '../sql-as-text.js';
import type { Agent } from '../../daemon/agent-library.js';
import type { AgentPayer } from './agent-payer.js';
import type { AgentReport } from './agent-report.js';

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    hub: { type: 'string' },
    folder: { type: 'string' },
    port: { type: 'string', default: '0' },
    'writer-port': { type: 'string', default: '0' },
    'free-calls': { type: 'string', default: '10' },
  },
});
const [name] = positionals;
const { hub, folder } = values;
if ((name !== 'image-supplier' && name !== 'earner') || hub === undefined || folder === undefined) {
  console.error('run-agent <image-supplier | earner> --hub <url> --folder <dir> [--port <n>]');
  process.exit(2);
}
const options = {
  hub: hub.replace(/\/+$/, ''),
  folder,
  port: Number(values.port),
  writerPort: Number(values['writer-port']),
  freeCalls: Number(values['free-calls']),
};

const report = (agent: Agent, payer?: AgentPayer): AgentReport => ({
  agent_id: agent.agent_id,
  url: agent.url,
  wallet: agent.wallet,
  books: agent.books(1000),
  spent: payer?.entries(1000) ?? [],
  deposits: payer?.deposits() ?? [],
});

async function start(): Promise<{ report: () => AgentReport; close(): Promise<void> }> {
  if (name === 'image-supplier') {
    const { imageSupplier } = await import('./image-supplier.js');
    const { agent, close } = await imageSupplier(options);
    return { close, report: () => report(agent) };
  }
  const { earner } = await import('./earner.js');
  const { agent, payer, close } = await earner(options);
  return { close, report: () => report(agent, payer) };
}

const running = await start();
let isClosing = false;
const end = () => {
  if (isClosing) return;
  isClosing = true;
  void running.close().finally(() => process.exit(0));
};
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, end);
process.once('disconnect', end);
process.on('message', (word) => {
  if (word === 'report') process.send?.(running.report());
});
const { agent_id, url, wallet } = running.report();
console.log(`${agent_id} listens at ${url}, wallet ${wallet}.`);
process.send?.(running.report());
