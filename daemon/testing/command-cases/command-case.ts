import { PassThrough, type Readable } from 'node:stream';
import { expect } from 'vitest';
import { run } from '../../cli/program.js';
import { recordedTerminal } from '../processes/recorded-terminal.js';

/** Whether the command writes for a person or, with `--json`, for a program. */
type Turn = 'plain' | 'json';

/** The environment of a case: the project, values kept by earlier cases, and the command line. */
export interface Desk {
  root: string;
  kept: Record<string, string>;
  meshd(args: readonly string[], stdin?: string): Promise<{ exit: number; out: string; err: string }>;
}

/** The expected output of one command. Each command runs twice: plain and with `--json`. */
export interface CommandCase {
  /** The words of the command, without its arguments. */
  command: string;
  /** The arguments. */
  args?: (desk: Desk, turn: Turn) => readonly string[] | Promise<readonly string[]>;
  stdin?: string;
  /** Expected exit status, 0 by default. */
  exit?: number;
  /** stdout and stderr of the plain run; stderr is empty by default. */
  out: string | RegExp;
  err?: string | RegExp;
  /** Expected contents of the JSON object of the `--json` run, which writes nothing else. */
  json: object;
  /** Exit status of the `--json` run if it differs. */
  jsonExit?: number;
  /** The command has `--jsonl`, whose lines are the rows under this key of the object. */
  rows?: string;
  /** Keeps values of the object that later cases need. */
  keep?: (object: never, desk: Desk) => void;
}

/** The file of the program. The program looks for the daemon next to it. */
const ENTRY = new URL('../../cli/meshd.js', import.meta.url).href;

export function aDesk(root: string, known: Record<string, string> = {}): Desk {
  const meshd: Desk['meshd'] = async (args, stdin) => {
    const input = new PassThrough();
    input.end(stdin);
    const { terminal, text } = recordedTerminal({}, input as unknown as Readable);
    return { exit: await run([...args, '--root', root], terminal, ENTRY), ...text };
  };
  return { root, kept: known, meshd };
}

const fits = (text: string, expected: string | RegExp, what: string) =>
  typeof expected === 'string' ? expect(text, what).toBe(expected) : expect(text, what).toMatch(expected);

/** Runs the case both ways and checks stdout, stderr, the exit status and the object. */
export async function tryCommand(desk: Desk, one: CommandCase): Promise<void> {
  const { command, args, stdin, exit = 0, out, err = '', json, jsonExit = exit, rows, keep } = one;
  const words = async (turn: Turn) => [...command.split(' '), ...((await args?.(desk, turn)) ?? [])];
  const plain = await desk.meshd(await words('plain'), stdin);
  const what = `meshd ${command}: ${JSON.stringify(plain)}`;
  expect(plain.exit, what).toBe(exit);
  fits(plain.out, out, what);
  fits(plain.err, err, what);
  const told = await desk.meshd([...(await words('json')), '--json'], stdin);
  const toldWhat = `meshd ${command} --json: ${JSON.stringify(told)}`;
  expect(told.exit, toldWhat).toBe(jsonExit);
  expect(told.err, toldWhat).toBe('');
  const object: unknown = JSON.parse(told.out);
  expect(object, toldWhat).toMatchObject(json);
  if (rows !== undefined) {
    const streamed = await desk.meshd([...(await words('json')), '--jsonl'], stdin);
    const lines = streamed.out.split('\n').slice(0, -1);
    expect([streamed.exit, lines.map((line) => JSON.parse(line) as unknown)], `meshd ${command} --jsonl`).toEqual([
      exit,
      (object as Record<string, unknown>)[rows],
    ]);
  }
  keep?.(object as never, desk);
}
