import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { standIn } from '../../testing/processes/daemon-stand-in.js';
import { userFolders } from '../../testing/user-folders.js';

const ENTRY = fileURLToPath(new URL('../meshd.ts', import.meta.url));

/** Runs a command until the daemon has its request, which is not answered, and presses Ctrl-C then. */
async function interrupted(silentRoute: string, answers: Readonly<Record<string, object>>, ...args: string[]) {
  let isAsked: (key: unknown) => void = () => undefined;
  const asked = new Promise<unknown>((resolve) => {
    isAsked = resolve;
  });
  const root = await standIn(({ line }, headers) => {
    if (!line.startsWith(silentRoute)) return answers[line] ?? {};
    isAsked(headers['idempotency-key']);
    return new Promise(() => undefined);
  });
  const child = spawn(process.execPath, ['--import', 'tsx', ENTRY, ...args, '--root', root], {
    env: { PATH: process.env['PATH'], ...userFolders() },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const text = { out: '', err: '' };
  child.stdout.on('data', (data) => (text.out += data));
  child.stderr.on('data', (data) => (text.err += data));
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const key = await asked;
  child.kill('SIGINT');
  return { exit: await ended, key, ...text };
}

const ADDRESS = '4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC';

it('says after Ctrl-C under which name a payment is repeated that goes on', async () => {
  const { exit, key, err } = await interrupted('POST /wallets/', {}, 'wallet', 'pay', ADDRESS, '--sol', '1');
  expect([exit, err]).toEqual([130, expect.stringContaining(`goes on: repeat the command with --once ${key},`)]);
  expect(key).toMatch(/^[\da-f-]{36}$/);
});

it('says after Ctrl-C how a call is found that goes on', async () => {
  const call = ['call', 'painter', 'paint', '--json'];
  const unknown = await interrupted('POST /calls', {}, ...call, '--once', 'lamp 1');
  expect([unknown.exit, unknown.key, JSON.parse(unknown.out)]).toEqual([
    130,
    'lamp 1',
    {
      error: 'interrupted',
      message: "The call goes on: repeat the command with --once 'lamp 1', and it is made once.",
      once: 'lamp 1',
    },
  ]);
  const begun = { 'POST /calls': { call_id: 'call-1', state: 'running' } };
  const known = await interrupted('GET /calls/call-1', begun, ...call);
  expect([known.exit, JSON.parse(known.out)]).toMatchObject([130, { error: 'interrupted', call_id: 'call-1' }]);
});
