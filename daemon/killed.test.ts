import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import type { Conversation, MessageList } from './contract/conversations.js';
import { temporaryFolder, temporaryRepository } from './testing/temporary-folder.js';

const at = (path: string) => fileURLToPath(new URL(path, import.meta.url));
const AGENT = at('./testing/stand-ins/scripted-acp-agent.mjs');

async function launch(root: string, scenario: string): Promise<{ child: ChildProcess; address: string }> {
  const child = spawn(process.execPath, [at('../dist/daemon.js'), '--root', root, '--port', '0'], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      MESHD_ACP_COMMAND: JSON.stringify([process.execPath, AGENT, scenario]),
    },
  });
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  });
  const [word] = (await once(child, 'message')) as [{ type: string; address: string; message?: string }];
  if (word.type !== 'listening') throw new Error(word.message);
  return { child, address: word.address };
}

async function call<T>(address: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(address + path, {
    method,
    ...(body === undefined ? {} : { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  });
  return (await response.json()) as T;
}

/** Returns the processes of this machine whose arguments contain `word`. */
function processesWith(word: string): number[] {
  return readdirSync('/proc').flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(word) ? [Number(pid)] : [];
    } catch {
      // The process has ended since the folder was listed.
      return [];
    }
  });
}

async function until<T>(look: () => T | Promise<T>, isIt: (value: T) => boolean): Promise<T> {
  for (;;) {
    const value = await look();
    if (isIt(value)) return value;
    await new Promise(setImmediate);
  }
}

// Orphans are found through /proc, which only Linux has.
it.runIf(process.platform === 'linux')(
  'a killed daemon leaves no orphan 5 s after its restart, fails its turns and sends queued messages in order',
  async () => {
    const root = temporaryRepository({ 'README.md': '# Lighthouse\n' });
    const scenario = join(temporaryFolder(), 'scenario.json');
    writeFileSync(scenario, JSON.stringify({ session: 'kept', steps: [{ text: 'Working. ' }, { wait: 600_000 }] }));
    const first = await launch(root, scenario);
    const convs: string[] = [];
    for (let i = 0; i < 4; i += 1) {
      const { conv } = await call<Conversation>(first.address, 'POST', '/conversations', {
        member: 'developer',
        client: 'acp',
      });
      for (const text of ['one', 'two', 'three'])
        await call(first.address, 'POST', `/conversations/${conv}/messages`, { text });
      convs.push(conv);
    }
    await until(
      () => processesWith(scenario),
      (pids) => pids.length === 4,
    );
    first.child.kill('SIGKILL');
    await once(first.child, 'exit');

    writeFileSync(scenario, JSON.stringify({ session: 'kept', steps: [{ text: 'Done.' }] }));
    const orphans = processesWith(scenario);
    const second = await launch(root, scenario);
    const restarted = performance.now();
    await until(
      () => orphans.filter((pid) => processesWith(scenario).includes(pid)),
      (left) => left.length === 0,
    );
    expect(performance.now() - restarted).toBeLessThan(5_000);
    for (const conv of convs) {
      const read = () => call<MessageList>(second.address, 'GET', `/conversations/${conv}/messages`);
      const { turns, messages } = await until(read, (list) => list.turns.every(({ state }) => state === 'ended'));
      expect(turns.map(({ outcome, code }) => [outcome, code])).toEqual([
        ['failed', 'daemon_restarted'],
        ['answered', null],
        ['answered', null],
      ]);
      expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    }
    expect(processesWith(scenario)).toEqual([]);
  },
);
