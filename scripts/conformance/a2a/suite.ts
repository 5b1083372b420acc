import { AgentDaemon } from '../acp/agent-daemon.js';
import { runScenarios } from '../scenarios.js';
import { A2aClient, type Binding } from './binding.js';
import { restNow, restThen, rpcNow, rpcThen } from './bindings.js';
import { cards } from './cards.js';
import { foreignClients } from './foreign.js';
import { olderClients } from './older.js';
import { operations } from './operations.js';
import { pushes } from './pushes.js';
import { Receiver } from './receiver.js';
import { refusals } from './refusals.js';
import { card, createSubject, type Subject } from './subject.js';

/** The bindings at the addresses that the cards name. */
async function createBindings(subject: Subject): Promise<Binding[]> {
  const now = await card(subject, 'agent-card.json', '1.0');
  const at = (version: string, binding: string): string =>
    now.supportedInterfaces.find(
      (one: { protocolBinding: string; protocolVersion: string }) =>
        one.protocolBinding === binding && one.protocolVersion === version,
    ).url;
  const then = await card(subject, 'agent.json');
  const rest = then.additionalInterfaces.find((one: { transport: string }) => one.transport === 'HTTP+JSON').url;
  return [rpcNow(at('1.0', 'JSONRPC')), restNow(at('1.0', 'HTTP+JSON')), rpcThen(then.url), restThen(rest)];
}

/** Runs clients of A2A 1.0 and 0.3, written after its documentation, against an agent of a running daemon. */
export async function a2aSuite(): Promise<string[]> {
  const receiver = await Receiver.start();
  const agents = await AgentDaemon.start([receiver.endpoint]);
  try {
    agents.shape({});
    const subject = createSubject(agents, receiver);
    const wrong = await runScenarios('A2A cards', cards(subject));
    for (const binding of await createBindings(subject)) {
      const client = new A2aClient(binding, subject.authorization);
      const group = `A2A ${binding.name}`;
      const scenarios = [operations, pushes, refusals].flatMap((of) => of(subject, client));
      wrong.push(...(await runScenarios(group, scenarios)));
    }
    for (const groups of [olderClients(subject), foreignClients(subject)])
      for (const [group, scenarios] of Object.entries(groups)) wrong.push(...(await runScenarios(group, scenarios)));
    return wrong;
  } finally {
    await agents.stop();
    receiver.close();
  }
}
