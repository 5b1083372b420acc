#!/usr/bin/env node
import { resolve } from 'node:path';
/**
 * A scripted stand-in for an agent that implements the Agent Client Protocol (version 1, JSON lines), with the output
 * of real agents.
 *
 * Steps besides the common ones: {text}, {pieces: the chunks of a text}, {tool: {title, kind, input, output?, failed?,
 * unfinished?}}, {permission: {title, kind, input, content?, options?}}, {error}, {stop: reason}, {printInput}, {attempt: deed}
 * (through the client, then directly if it is allowed).
 *
 * {cost: dollars} reports what the session has cost. {call: {name, input}} calls a tool of the first server of its session and says what that returned.
 *
 * Scenario: `offers` is merged into the result of a new session and `hello` into that of `initialize`; `silent: true`
 * never responds to `initialize`; `forgets: true` knows no session; `deafToCancel: true` ignores a cancellation;
 * `replaysLate: true` replays a loaded session after its response, while the next prompt runs; `usage` is that of a
 * prompt, which one that a {stop} ends has only then.
 */
import { createInterface } from 'node:readline';
import { attempt, kindOf } from './scripted-attempts.mjs';
import { callTool, doDeed, scenario, stepsFor, write } from './scripted-deeds.mjs';

let sessionId = scenario.session ?? `scripted-${process.pid}`;
const MODES = {
  currentModeId: 'default',
  availableModes: [
    { id: 'default', name: 'Default' },
    { id: 'plan', name: 'Plan' },
  ],
};
const OFFERS = { modes: MODES, ...scenario.offers };
const OPTIONS = [
  { optionId: 'once', kind: 'allow_once', name: 'Allow once' },
  { optionId: 'always', kind: 'allow_always', name: 'Always allow' },
  { optionId: 'no', kind: 'reject_once', name: 'Reject' },
];
const USAGE = { inputTokens: 11, outputTokens: 7, totalTokens: 18 };
const received = [];
const waiting = new Map();
let count = 0;
const next = () => {
  count += 1;
  return count;
};
let cancel = () => undefined;

const send = (message) => write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const update = (body) => send({ method: 'session/update', params: { sessionId, update: body } });
const say = (text) =>
  update({ sessionUpdate: 'agent_message_chunk', messageId: `m-${next()}`, content: { type: 'text', text } });

async function begin({ title, kind, input }) {
  const toolCallId = `call-${next()}`;
  await update({ sessionUpdate: 'tool_call', toolCallId, title, kind, status: 'pending', rawInput: {} });
  await update({ sessionUpdate: 'tool_call_update', toolCallId, status: 'in_progress', title, kind, rawInput: input });
  return toolCallId;
}

const finish = (toolCallId, text, status = 'completed') =>
  update({
    sessionUpdate: 'tool_call_update',
    toolCallId,
    status,
    content: [{ type: 'content', content: { type: 'text', text } }],
  });

/** Sends a request to the client and returns its response. */
async function request(method, params) {
  const id = `ask-${next()}`;
  const replied = new Promise((resolve) => waiting.set(id, resolve));
  await send({ id, method, params: { sessionId, ...params } });
  return replied;
}

const isAllowing = ({ outcome }, options) =>
  options.some(({ optionId, kind: how }) => optionId === outcome.optionId && how.startsWith('allow'));

async function ask({ title, kind, input, content, options = OPTIONS }) {
  const toolCallId = await begin({ title, kind, input });
  const toolCall = { toolCallId, title, kind, status: 'pending', rawInput: input, content };
  const reply = await request('session/request_permission', { toolCall, options });
  const isAllowed = isAllowing(reply, options);
  await finish(toolCallId, isAllowed ? 'done' : 'refused', isAllowed ? 'completed' : 'failed');
  await say(`Told ${JSON.stringify(reply.outcome)}.`);
}

const KINDS = { read: 'read', search: 'search', list: 'search', run: 'execute', fetch: 'fetch', edit: 'edit' };

/** Requests from the client what the protocol lets an agent delegate to it. */
function throughClient(deed) {
  if (deed.read) return request('fs/read_text_file', { path: resolve(deed.read) });
  if (deed.edit) return request('fs/write_text_file', { path: resolve(deed.edit), content: deed.text });
  if (deed.run) return request('terminal/create', { command: '/bin/sh', args: ['-c', deed.run] });
  return undefined;
}

async function tryOut(deed) {
  const got = await throughClient(deed);
  if (got) await say(`The client gave ${JSON.stringify(got)}. `);
  const kind = KINDS[kindOf(deed)];
  const { run, fetch: url, search, path, list, read, edit } = deed;
  const input = { command: run, url, pattern: search, path: path ?? list ?? read ?? edit ?? (search && '.') };
  const toolCallId = await begin({ title: kind, kind, input });
  const toolCall = { toolCallId, title: kind, kind, status: 'pending', rawInput: input };
  const isLet = isAllowing(await request('session/request_permission', { toolCall, options: OPTIONS }), OPTIONS);
  const given = isLet ? await attempt(deed) : `Not allowed: ${kind}.`;
  await finish(toolCallId, given, isLet ? 'completed' : 'failed');
  await say(`I tried ${kind}. ${given}`);
}

const STEPS = {
  call: async ({ name, input }) => {
    const opened = received.findLast(({ params }) => params?.mcpServers);
    const [{ url, headers }] = opened.params.mcpServers;
    const id = await begin({ title: name, kind: 'other', input });
    const given = await callTool(
      { url, headers: Object.fromEntries(headers.map((one) => [one.name, one.value])) },
      { name, input },
    );
    await finish(id, given);
    await say(given);
  },
  text: (text) => STEPS.pieces(text.match(/\S+\s*/g) ?? []),
  pieces: async (pieces) => {
    for (const piece of pieces)
      await update({ sessionUpdate: 'agent_message_chunk', messageId: 'm', content: { type: 'text', text: piece } });
  },
  tool: async (tool) => {
    const id = await begin(tool);
    if (!tool.unfinished) await finish(id, tool.output ?? '', tool.failed ? 'failed' : 'completed');
  },
  /** What the session has cost, in US dollars. */
  cost: (amount) => update({ sessionUpdate: 'usage_update', used: 1, size: 2, cost: { amount, currency: 'USD' } }),
  permission: ask,
  printInput: () => say(JSON.stringify(received)),
  attempt: tryOut,
};

async function play(prompt) {
  for (const step of stepsFor(prompt.map(({ text }) => text).join('\n'))) {
    const [name, value] = Object.entries(step)[0];
    if (name === 'error') return { error: { code: -32603, message: value } };
    if (name === 'stop') return { result: { stopReason: value, usage: scenario.usage } };
    const { done, said } = await doDeed(step);
    if (said !== undefined) await say(said);
    if (!done) await STEPS[name](value);
  }
  return { result: { stopReason: 'end_turn', usage: scenario.usage ?? USAGE } };
}

const replay = (session) =>
  send({
    method: 'session/update',
    params: {
      sessionId: session,
      update: { sessionUpdate: 'agent_message_chunk', content: { type: 'text', text: 'OLD WORDS' } },
    },
  });
let isReplayDue = false;

const METHODS = {
  initialize: () => {
    if (scenario.silent) return undefined;
    const result = {
      protocolVersion: 1,
      agentCapabilities: { loadSession: true, mcpCapabilities: { http: true } },
      authMethods: [{ id: 'l', name: 'Log in' }],
      ...scenario.hello,
    };
    return { result };
  },
  'session/new': () =>
    scenario.loggedOut
      ? { error: { code: -32000, message: 'Authentication required' } }
      : { result: { sessionId, ...OFFERS } },
  'session/load': async ({ sessionId: asked }) => {
    if (scenario.forgets) return { error: { code: -32602, message: 'no such session' } };
    if (scenario.replaysLate) isReplayDue = true;
    else await replay(asked);
    sessionId = asked;
    return { result: OFFERS };
  },
  'session/resume': ({ sessionId: asked }) => {
    sessionId = asked;
    return { result: OFFERS };
  },
  'session/set_mode': () => ({ result: {} }),
  'session/set_model': () => ({ result: {} }),
  'session/set_config_option': () => ({ result: { configOptions: [] } }),
  'session/prompt': async ({ prompt }) => {
    if (isReplayDue) await replay(sessionId);
    const cancelled = new Promise((resolve) => {
      cancel = () => resolve({ result: { stopReason: 'cancelled' } });
    });
    return Promise.race([play(prompt), cancelled]);
  },
};

createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, method, params, result, error } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? { error });
  received.push({ method, params });
  if (method === 'session/cancel') return scenario.deafToCancel ? undefined : cancel();
  const answer = METHODS[method]
    ? await METHODS[method](params)
    : { error: { code: -32601, message: 'no such method' } };
  if (answer && id !== undefined) await send({ id, ...answer });
});
process.stdin.on('error', () => undefined);
if (scenario.outlivesInput) setInterval(() => undefined, 1_000);
