/**
 * An agent as the documentation of the Agent Client Protocol describes it, built with the protocol's own SDK. Its first
 * argument is a folder: `shape.json` there says what it leaves out, adds and does in its next run, and every message
 * that it receives is appended to `received.jsonl`.
 *
 * Shape: `noise` (text written before the protocol starts), `hello` and `session` (members of the results of
 * `initialize` and `session/new`; null removes one), `updates` (session updates instead of the usual answer),
 * `permission` (the parameters of a permission request before the answer), `stop` (the result of the prompt), `refuse`
 * ({method, code, message}).
 *
 * A prompt with `hold:NAME` is answered when the file NAME exists in the folder, or cancelled.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import { agent, methods, ndJsonStream, PROTOCOL_VERSION, RequestError } from '@agentclientprotocol/sdk';

const folder = process.argv[2];
const shapeFile = join(folder, 'shape.json');
const shape = existsSync(shapeFile) ? JSON.parse(readFileSync(shapeFile, 'utf8')) : {};
const MODES = {
  currentModeId: 'default',
  availableModes: [
    { id: 'default', name: 'Default' },
    { id: 'plan', name: 'Plan' },
  ],
};
const sessionId = 'sess_abc123def456';
let cancelled = false;

/** The members with those of the shape; a member that is null is left out. */
const shaped = (members, changes = {}) =>
  Object.fromEntries(Object.entries({ ...members, ...changes }).filter(([, value]) => value !== null));

/** Keeps what was received. Throws what the shape says. */
function take(method, params) {
  appendFileSync(join(folder, 'received.jsonl'), `${JSON.stringify({ method, params })}\n`);
  if (shape.refuse?.method === method) throw new RequestError(shape.refuse.code, shape.refuse.message);
}

async function untilReleased(name) {
  while (!cancelled && !existsSync(join(folder, name))) await new Promise((resolve) => setTimeout(resolve, 10));
}

async function prompt({ params, client }) {
  take('session/prompt', params);
  const text = params.prompt.map((block) => block.text ?? '').join('\n');
  const update = (body) => client.notify(methods.client.session.update, { sessionId: params.sessionId, update: body });
  const say = (words) => update({ sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: words } });
  const name = [...text.matchAll(/hold:([\w-]+)/g)].at(-1)?.[1];
  if (name !== undefined) {
    await say('One moment. ');
    await untilReleased(name);
  }
  if (cancelled) return { stopReason: 'cancelled' };
  if (shape.permission) {
    const asked = { sessionId: params.sessionId, ...shape.permission };
    const { outcome } = await client.request(methods.client.session.requestPermission, asked);
    take('permission answered', outcome);
    if (cancelled) return { stopReason: 'cancelled' };
  }
  for (const body of shape.updates ?? []) await update(body);
  if (shape.updates === undefined) await say('Port 4747.');
  return shaped({ stopReason: 'end_turn' }, shape.stop);
}

const OPEN = {
  [methods.agent.session.new]: () => shaped({ sessionId, modes: MODES }, shape.session),
  [methods.agent.session.load]: () => shaped({ modes: MODES }, shape.session),
  [methods.agent.session.setMode]: () => ({}),
  [methods.agent.session.setConfigOption]: () => ({ configOptions: [] }),
};

const app = agent({ name: 'documented-agent' })
  .onRequest(methods.agent.initialize, ({ params }) => {
    take('initialize', params);
    const hello = {
      protocolVersion: PROTOCOL_VERSION,
      agentCapabilities: { loadSession: true, promptCapabilities: {} },
      agentInfo: { name: 'documented-agent', title: 'Documented agent', version: '1.0.0' },
      authMethods: [],
    };
    return shaped(hello, shape.hello);
  })
  .onRequest(methods.agent.session.prompt, prompt)
  .onNotification(methods.agent.session.cancel, ({ params }) => {
    take('session/cancel', params);
    cancelled = true;
  });
for (const [method, answer] of Object.entries(OPEN)) {
  app.onRequest(method, ({ params }) => {
    take(method, params);
    return answer();
  });
}
if (shape.noise !== undefined) process.stdout.write(shape.noise);
app.connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
