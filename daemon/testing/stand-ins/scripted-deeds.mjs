/**
 * Steps that every scripted program supports, whatever its protocol: the ways in which a program on the machine can
 * fail.
 */
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, openSync, readFileSync } from 'node:fs';

/** The scenario is a JSON file, named by the first argument: `{steps: [...], ...}`. */
export const scenario = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** With `environmentTo`, every run appends its whole environment to that file. */
if (scenario.environmentTo) appendFileSync(scenario.environmentTo, `${JSON.stringify(process.env)}\n`);

/**
 * Returns the steps for a prompt: those of the first entry of `scenario.when`, `[{says, steps}]`, whose text occurs in
 * it, else the scenario's own.
 */
export const stepsFor = (prompt) =>
  unrolled(scenario.when?.find(({ says }) => prompt.includes(says))?.steps ?? scenario.steps);

/** Yields the steps and unrolls every `{repeat: {times, steps}}` lazily. */
function* unrolled(steps) {
  for (const step of steps) {
    if (!step.repeat) yield step;
    else for (let time = 0; time < step.repeat.times; time += 1) yield* unrolled(step.repeat.steps);
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * Resolves when the system has taken the bytes. Bytes that are still buffered in this process are lost when it exits.
 */
export const write = (bytes, stream = process.stdout) =>
  new Promise((resolve) => void stream.write(bytes, () => resolve()));

async function pour(bytes, piece, stream) {
  for (let written = 0; written < bytes; written += piece.length) await write(piece, stream);
}

const WAITS = 'setInterval(() => undefined, 1000)';
const DEAF = `process.on('SIGTERM', () => undefined); ${WAITS}`;

const DEEDS = {
  wait: pause,
  /** Creates the file at `path`. */
  touch: (path) => closeSync(openSync(path, 'a')),
  /** Continues when the file at `path` exists. */
  until: async (path) => {
    while (!existsSync(path)) await pause(5);
  },
  hang: () => new Promise(() => setInterval(() => undefined, 1_000)),
  /** Writes the text unchanged. */
  raw: (text) => write(text),
  /** Writes bytes given in hexadecimal. */
  rawHex: (hex) => write(Buffer.from(hex, 'hex')),
  /** Writes that many bytes in lines. */
  flood: (bytes) => pour(bytes, Buffer.from(`{"type":"noise","noise":"${'x'.repeat(65_000)}"}\n`)),
  /** Writes that many bytes without a line break. */
  noNewline: (bytes) => pour(bytes, Buffer.alloc(65_536, 'x')),
  /** Writes that many bytes in lines that are not UTF-8. */
  invalidUtf8: (bytes) =>
    pour(bytes, Buffer.concat([Buffer.alloc(65_535, 'ffffffc0e28282', 'hex'), Buffer.from('\n')])),
  /** Writes that many bytes to stderr. */
  floodStderr: (bytes) => pour(bytes, Buffer.alloc(65_536, 'x'), process.stderr),
  stderr: (text) => void process.stderr.write(text),
  ignoreSigterm: () => void process.on('SIGTERM', () => undefined),
  stopItself: () => void process.kill(process.pid, 'SIGSTOP'),
  closeStdin: () => {
    process.stdin.destroy();
    try {
      closeSync(0);
    } catch {
      // The statement above has closed it.
    }
  },
  exit: (code) => process.exit(code),
  /**
   * Starts processes that outlive this one: in its process group or in their own sessions, optionally ignoring SIGTERM.
   * Returns text with their pids.
   */
  fork: async ({ count = 1, detached = false, deaf = false }) => {
    const children = Array.from({ length: count }, () => {
      const child = spawn(process.execPath, ['-e', deaf ? DEAF : WAITS], {
        stdio: ['ignore', 'inherit', 'ignore'],
        detached,
      });
      child.unref();
      return child.pid;
    });
    await pause(150);
    return `pids ${children.join(' ')}.`;
  },
  printEnv: () => JSON.stringify(process.env),
  printArgs: () => JSON.stringify(process.argv.slice(3)),
};

/** Calls a tool of an MCP server, `{url, headers}`, and returns its text. */
export async function callTool({ url, headers }, { name, input = {} }) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { ...headers, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } }),
  });
  const body = await response.text();
  const data = body.match(/^data: (\{.*"id":1.*)$/m)?.[1] ?? body;
  const { result, error } = JSON.parse(data);
  return result?.content?.[0]?.text ?? JSON.stringify(error ?? JSON.parse(data));
}

/**
 * Executes `step` if it is one of the common steps. Returns `{done, said}`: `said` is text for the program to answer
 * with.
 */
export async function doDeed(step) {
  const [name, value] = Object.entries(step)[0];
  const deed = DEEDS[name];
  return deed ? { done: true, said: await deed(value) } : { done: false };
}
