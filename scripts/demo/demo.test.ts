import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { AskRecord } from '../../daemon/contract/asks.js';

const PROGRAM = fileURLToPath(new URL('./run.ts', import.meta.url));

async function firstLine(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('stdout is not read.');
  for await (const line of createInterface({ input: child.stdout })) return line;
  throw new Error('The demo ended without a word.');
}

it('the demo starts a filled project that answers, and removes everything on SIGINT', async () => {
  const child = spawn(process.execPath, ['--import', 'tsx', PROGRAM, '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const exited = once(child, 'exit');
  const demo = JSON.parse(await firstLine(child)) as {
    address: string;
    root: string;
    exposed: string[];
    conversations: number;
    requests: { request_id: string; status: string }[];
    agents: string[];
    payment: string | null;
  };
  expect(demo).toMatchObject({ exposed: ['consultant', 'developer'], conversations: 3, agents: { length: 3 } });
  expect(demo.requests.map(({ status }) => status)).toEqual(['done', 'done', 'done', 'done', 'done']);
  expect(['done', null]).toContain(demo.payment);
  const answers = await Promise.all(
    demo.requests.map(
      async ({ request_id }) => (await (await fetch(`${demo.address}/requests/${request_id}`)).json()) as AskRecord,
    ),
  );
  expect(answers.map(({ citations }) => (citations ?? []).length > 0)).toEqual([true, true, true, true, false]);
  child.kill('SIGINT');
  expect(await exited).toEqual([0, null]);
  expect(existsSync(demo.root)).toBe(false);
  await expect(fetch(demo.address)).rejects.toThrow();
});
