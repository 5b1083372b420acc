#!/usr/bin/env node
/**
 * A scripted stand-in for the `claude` program in print mode. It writes the same stream of JSON lines as the real one
 * (2.1) and follows its scenario.
 *
 * Steps besides the common ones: {text}, {pieces: the chunks of a text}, {tool: {name, input, output?, failed?,
 * unfinished?}}, {permission: {name, input}}, {error}, {retry: {status, error}}, {stamps: {count, everyMs}},
 * {printInput}, {attempt: deed} (executed if its own options and the answer to its permission request allow it),
 * {backgroundTasks: the tasks that still run}, {result: fields} (a result before the end), {usage} and
 * {subagent: usage} (messages that report it).
 *
 * {call: {name, input}} calls a tool of the server in its `--mcp-config` and says what that returned.
 *
 * A result ends the stream unless `noResult` is set. A resumed session is announced unless `resumesSilently` is set.
 * The program says that it is of `version`.
 */
import { createInterface } from 'node:readline';
import { attempt } from './scripted-attempts.mjs';
import { isShown, verdictOn } from './scripted-claude-permissions.mjs';
import { callTool, doDeed, pause, scenario, stepsFor, write } from './scripted-deeds.mjs';

const args = process.argv.slice(3);
const resumed = args.includes('--resume') ? args[args.indexOf('--resume') + 1] : undefined;
const session_id = scenario.session ?? `scripted-${process.pid}`;
const received = [];
const waiting = new Map();
let wake = () => undefined;
let count = 0;
const next = () => {
  count += 1;
  return count;
};
let answer = '';

const send = (frame) => write(`${JSON.stringify({ ...frame, session_id, uuid: `u-${next()}` })}\n`);
const event = (body) => send({ type: 'stream_event', event: body, parent_tool_use_id: null });

async function say(text, pieces = text.match(/\S+\s*/g) ?? []) {
  const id = `msg_${next()}`;
  answer = text;
  await event({ type: 'message_start', message: { id, role: 'assistant', content: [] } });
  await event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (const piece of pieces)
    await event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: piece } });
  await send({
    type: 'assistant',
    message: { id, role: 'assistant', content: [{ type: 'text', text }] },
    parent_tool_use_id: null,
  });
  await event({ type: 'content_block_stop', index: 0 });
}

/** Writes chunks that each contain the time at which they are written, in milliseconds since 1970. */
async function sayStamps({ count: stamps, everyMs }) {
  const id = `msg_${next()}`;
  await event({ type: 'message_start', message: { id, role: 'assistant', content: [] } });
  await event({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  for (let stamp = 0; stamp < stamps; stamp += 1) {
    await pause(everyMs);
    await event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: `${Date.now()} ` } });
  }
  await event({ type: 'content_block_stop', index: 0 });
}

async function beginTool({ name, input }) {
  const id = `toolu_${next()}`;
  await send({
    type: 'assistant',
    message: { id: `msg_${count}`, content: [{ type: 'tool_use', id, name, input }] },
    parent_tool_use_id: null,
  });
  return id;
}

const endTool = (id, content, is_error = false) =>
  send({
    type: 'user',
    message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content, is_error }] },
    parent_tool_use_id: null,
  });

/** Sends a permission request and returns the reply with the id of the tool call. */
async function question({ name, input, reason }) {
  const tool_use_id = await beginTool({ name, input });
  const request_id = `ask-${next()}`;
  const replied = new Promise((resolve) => waiting.set(request_id, resolve));
  const permission_suggestions = [
    { type: 'addRules', rules: [{ toolName: name }], behavior: 'allow', destination: 'localSettings' },
  ];
  const request = {
    subtype: 'can_use_tool',
    tool_name: name,
    input,
    description: reason,
    permission_suggestions,
    tool_use_id,
  };
  await write(`${JSON.stringify({ type: 'control_request', request_id, request })}\n`);
  return { tool_use_id, reply: await replied };
}

async function ask(permission) {
  const { tool_use_id, reply } = await question(permission);
  await endTool(tool_use_id, reply.behavior === 'allow' ? 'done' : reply.message, reply.behavior !== 'allow');
  await say(`Told ${JSON.stringify(reply)}.`);
}

async function tryOut(deed) {
  const { name, verdict } = verdictOn(deed);
  const { read, list, edit, run: command, fetch: url, search: pattern, path } = deed;
  const use = { name, input: { command, file_path: read ?? edit, path: path ?? list, pattern, url } };
  const asked = verdict === 'asks' ? await question(use) : undefined;
  const id = asked?.tool_use_id ?? (await beginTool(use));
  const isLet = asked ? asked.reply.behavior === 'allow' : verdict === 'free';
  const given = isLet ? await attempt(deed, isShown) : `Not allowed: ${name}.`;
  await endTool(id, given, !isLet);
  await say(`I tried ${name}. ${given}`);
}

/** The server of the configuration, with the variables of the environment filled in as the real program does. */
function findServer() {
  const config = args[args.indexOf('--mcp-config') + 1].replaceAll(/\$\{(\w+)\}/g, (_, name) => process.env[name]);
  return JSON.parse(config).mcpServers.meshd;
}

const STEPS = {
  call: async ({ name, input }) => {
    const id = await beginTool({ name: `mcp__meshd__${name}`, input });
    const given = await callTool(findServer(), { name, input });
    await endTool(id, given);
    await say(given);
  },
  attempt: tryOut,
  text: (text) => say(text),
  pieces: (pieces) => say(pieces.join(''), pieces),
  stamps: sayStamps,
  tool: async (tool) => {
    const id = await beginTool(tool);
    if (!tool.unfinished) await endTool(id, tool.output ?? '', tool.failed);
  },
  /** One message whose parts report the usage again. */
  usage: async (usage) => {
    const id = `msg_${next()}`;
    await event({ type: 'message_start', message: { id, role: 'assistant', content: [], usage } });
    await event({ type: 'message_delta', delta: {}, usage: { output_tokens: usage.output_tokens + 1 } });
    await send({ type: 'assistant', message: { id, content: [], usage }, parent_tool_use_id: null });
  },
  /** One message of a subagent, which comes again with each of its parts. */
  subagent: async (usage) => {
    const message = { id: `msg_${next()}`, content: [], usage };
    for (let part = 0; part < 2; part += 1)
      await send({ type: 'assistant', message, parent_tool_use_id: 'toolu_task' });
  },
  permission: ask,
  retry: ({ status, error }) =>
    send({
      type: 'system',
      subtype: 'api_retry',
      attempt: 1,
      max_retries: 10,
      retry_delay_ms: 500,
      error_status: status,
      error,
    }),
  printInput: () => say(JSON.stringify(received)),
  backgroundTasks: (tasks) => send({ type: 'system', subtype: 'background_tasks_changed', tasks }),
  result: (over) => result(over),
};

const result = (over) =>
  send({
    type: 'result',
    subtype: 'success',
    is_error: false,
    result: answer,
    total_cost_usd: 0.0125,
    usage: { input_tokens: 20, cache_read_input_tokens: 5, output_tokens: 24 },
    ...over,
  });

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const frame = JSON.parse(line);
    if (frame.type === 'control_response') waiting.get(frame.response.request_id)?.(frame.response.response);
    else received.push(frame);
    if (frame.type === 'user') wake();
  })
  .on('close', () => {
    if (!scenario.outlivesInput && !received.some(({ type }) => type === 'user')) process.exit(1);
  });
process.stdin.on('error', () => undefined);

if (resumed !== undefined && scenario.forgets) {
  const errors = [`No conversation found with session ID: ${resumed}`];
  process.stderr.write(`${errors[0]}\n`);
  await result({ subtype: 'error_during_execution', is_error: true, result: undefined, errors });
  process.exit(1);
}
await new Promise((resolve) => {
  wake = resolve;
});
const claude_code_version = scenario.version;
await send({ type: 'system', subtype: 'init', cwd: process.cwd(), tools: [], model: 'scripted', claude_code_version });
if (resumed !== undefined && !scenario.resumesSilently) await say(`Resumed ${resumed}.`);
const prompt = received.find(({ type }) => type === 'user').message.content[0].text;
for (const step of stepsFor(prompt)) {
  const [name, value] = Object.entries(step)[0];
  if (name === 'error') {
    await result({ subtype: 'error_during_execution', is_error: true, errors: [value] });
    process.exit(1);
  }
  const { done, said } = await doDeed(step);
  if (said !== undefined) await say(said);
  if (!done) await STEPS[name](value);
}
if (!scenario.noResult) await result({});
process.exit(0);
