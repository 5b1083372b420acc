/** What any scripted program can be told to do, whatever it speaks: the ways in which a program on the machine goes wrong. */
import { spawn } from 'node:child_process';
import { appendFileSync, closeSync, existsSync, readFileSync } from 'node:fs';

/** The scenario is a file, named by the first argument: `{steps: [...], ...}`. */
export const scenario = JSON.parse(readFileSync(process.argv[2], 'utf8'));

/** Where the scenario asks for it, every run leaves its whole environment in a file. */
if (scenario.environmentTo) appendFileSync(scenario.environmentTo, `${JSON.stringify(process.env)}\n`);

/** The steps for a prompt: of the first in `scenario.when`, `[{says, steps}]`, whose words are in it, else the scenario's own. */
export const stepsFor = (prompt) =>
  unrolled(scenario.when?.find(({ says }) => prompt.includes(says))?.steps ?? scenario.steps);

/** The steps with every `{repeat: {times, steps}}` among them unrolled as they are taken. */
function* unrolled(steps) {
  for (const step of steps) {
    if (!step.repeat) yield step;
    else for (let time = 0; time < step.repeat.times; time += 1) yield* unrolled(step.repeat.steps);
  }
}

export const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until the system has taken the bytes: what still waits in this process is lost when it exits. */
export const write = (bytes, stream = process.stdout) =>
  new Promise((resolve) => void stream.write(bytes, () => resolve()));

async function pour(bytes, piece, stream) {
  for (let written = 0; written < bytes; written += piece.length) await write(piece, stream);
}

const WAITS = 'setInterval(() => undefined, 1000)';
const DEAF = `process.on('SIGTERM', () => undefined); ${WAITS}`;

const DEEDS = {
  wait: pause,
  /** Goes on once the file at `path` is there. */
  until: async (path) => {
    while (!existsSync(path)) await pause(5);
  },
  hang: () => new Promise(() => setInterval(() => undefined, 1_000)),
  /** `raw`: written as it stands. */
  raw: (text) => write(text),
  /** Bytes in hexadecimal. */
  rawHex: (hex) => write(Buffer.from(hex, 'hex')),
  /** That many bytes in lines. */
  flood: (bytes) => pour(bytes, Buffer.from(`{"type":"noise","noise":"${'x'.repeat(65_000)}"}\n`)),
  /** That many bytes in no line at all. */
  noNewline: (bytes) => pour(bytes, Buffer.alloc(65_536, 'x')),
  /** That many bytes in lines that are no UTF-8. */
  invalidUtf8: (bytes) =>
    pour(bytes, Buffer.concat([Buffer.alloc(65_535, 'ffffffc0e28282', 'hex'), Buffer.from('\n')])),
  /** That many bytes to the other stream. */
  floodStderr: (bytes) => pour(bytes, Buffer.alloc(65_536, 'x'), process.stderr),
  stderr: (text) => void process.stderr.write(text),
  ignoreSigterm: () => void process.on('SIGTERM', () => undefined),
  stopItself: () => void process.kill(process.pid, 'SIGSTOP'),
  closeStdin: () => {
    process.stdin.destroy();
    try {
      closeSync(0);
    } catch {
      // Closed by the line above.
    }
  },
  exit: (code) => process.exit(code),
  /** Starts processes that outlive it: in its group, or in sessions of their own; deaf to SIGTERM or not. Gives their pids. */
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

/** Does `step` when it is one of these deeds. Gives `{done, said}`: `said` is text that the program is to answer with. */
export async function doDeed(step) {
  const [name, value] = Object.entries(step)[0];
  const deed = DEEDS[name];
  return deed ? { done: true, said: await deed(value) } : { done: false };
}
