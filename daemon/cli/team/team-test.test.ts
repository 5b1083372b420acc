import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MemberTests } from '../../contract/member-tests.js';
import type { Turn } from '../../features/clients/client.js';
import { daemon, meshd, Session } from '../../testing/processes/command-line.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { putFiles } from '../../testing/temporary-folder.js';
import { userFolders } from '../../testing/user-folders.js';

const ENTRY = fileURLToPath(new URL('../meshd.ts', import.meta.url));

const knowing = () =>
  new ScriptedAgent('acp', (turn: Turn) => answers(turn.text.includes('port') ? 'It listens on 8123.' : 'At noon.'));

describe('meshd team test', () => {
  it('prints each question with a check or a cross and what was missing, and exits 7 when some failed', async () => {
    const app = await daemon(knowing());
    putFiles(app.root, {
      '.mesh/asks/developer.md': '## On which port?\n- says: 8123\n\n## When?\n- says: dusk\n- never says: noon\n',
      '.mesh/asks/deployer.md': '## On which port?\n- says: 8123\n',
    });
    const failed = await meshd(app.root, 'team', 'test', 'developer');
    expect(failed.out).toMatch(
      /^✓ On which port\?\n✗ When\?\n {4}Does not say "dusk"\.\n {4}Says "noon", which it must never say\.\n {4}meshd requests show req-\S+\n$/,
    );
    expect(failed.err).toContain('developer: 1 of 2 passed.');
    expect(failed.exit).toBe(7);
    expect(await meshd(app.root, 'team', 'test', 'deployer')).toMatchObject({ exit: 0, out: '✓ On which port?\n' });

    const json = await meshd(app.root, 'team', 'test', 'developer', '--json');
    expect([json.exit, json.err]).toEqual([7, '']);
    expect(JSON.parse(json.out)).toMatchObject({ id: 'developer', running: false, last_run: { passed: 1, failed: 1 } });

    putFiles(app.root, { '.mesh/asks/consultant.md': '## A?\n- say: a\n' });
    const all = await meshd(app.root, 'team', 'test', '--all', '--jsonl');
    expect(all.exit).toBe(7);
    expect(all.err).toContain('.mesh/asks/consultant.md, line 2: ');
    const object = await meshd(app.root, 'team', 'test', '--all', '--json');
    expect([object.exit, JSON.parse(object.out)]).toMatchObject([
      7,
      {
        count: 2,
        not_run: [{ id: 'consultant', message: expect.stringContaining('.mesh/asks/consultant.md, line 2: ') }],
      },
    ]);
    const lines = all.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { member: string; passed: boolean });
    expect(lines.map(({ member, passed }) => [member, passed])).toEqual([
      ['developer', true],
      ['developer', false],
      ['deployer', true],
    ]);
  });

  it('creates a file with --init once, and exits 4 for a missing member or file, 2 for invalid arguments', async () => {
    const app = await daemon(knowing());
    const none = await meshd(app.root, 'team', 'test', 'developer');
    expect([none.exit, none.err]).toEqual([4, expect.stringContaining('--init')]);
    expect((await meshd(app.root, 'team', 'test', 'nobody')).exit).toBe(4);
    expect((await meshd(app.root, 'team', 'test', 'nobody', '--init')).exit).toBe(4);
    expect((await meshd(app.root, 'team', 'test', 'developer', '--init')).exit).toBe(0);
    expect((await meshd(app.root, 'team', 'test', 'developer', '--init')).exit).toBe(6);
    for (const args of [[], ['developer', '--all'], ['--all', '--init']])
      expect((await meshd(app.root, 'team', 'test', ...args)).exit).toBe(2);
  });

  it('exits 9 when a required decision was not made, and reports the current question meanwhile', async () => {
    const agent = new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
      yield { type: 'text', text: await decide({ tool: 'edit', target: 'a', reason: '' }) };
      yield { type: 'end', citations: [] };
    });
    const app = await daemon(agent);
    putFiles(app.root, { '.mesh/asks/developer.md': '## May you edit it?\n- says: a\n' });
    const waits = new Promise<void>((resolve) =>
      app.daemon.bus.watch(({ type }) => type === 'team.request.needs_input' && resolve()),
    );
    const session = new Session(app.root, false).start(['team', 'test', 'developer']);
    await waits;
    await session.until('err', /1 of 1: May you edit it\?/);
    app.clock.advance(61_000);
    expect(await session.exit).toBe(9);
  });

  it('cancels a run at a Ctrl-C that comes before the daemon has answered', async () => {
    const app = await daemon(new ScriptedAgent('acp', heldAnswer));
    putFiles(app.root, { '.mesh/asks/developer.md': '## On which port?\n- says: 8123\n' });
    app.daemon.bus.watch(({ type }) => type === 'team.tests.started' && child.kill('SIGINT'));
    const ended = new Promise<void>((resolve) => {
      app.daemon.bus.watch(({ type }) => type === 'team.tests.ended' && resolve());
    });
    const child = spawn(process.execPath, ['--import', 'tsx', ENTRY, 'team', 'test', 'developer', '--root', app.root], {
      env: { PATH: process.env['PATH'], ...userFolders() },
      stdio: 'ignore',
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(130);
    await ended;
    const tests = (await app.call('GET', '/team/developer/tests')).body as MemberTests;
    expect(tests.last_run?.outcome).toBe('cancelled');
  });

  it('marks a member that its tests keep internal in the roster, and refuses to expose it', async () => {
    const app = await daemon(knowing());
    putFiles(app.root, {
      '.mesh/asks/developer.md': '---\nblocks_exposure: true\n---\n## On which port?\n- says: 8123\n',
    });
    const refused = await meshd(app.root, 'team', 'expose', 'developer');
    expect([refused.exit, refused.err]).toEqual([6, expect.stringContaining('`meshd team test developer`')]);
    putFiles(app.root, {
      '.mesh/team/porter.md': '---\nexposure: external\n---\nYou open doors.\n',
      '.mesh/asks/porter.md': '---\nblocks_exposure: true\n---\n## A?\n- says: x\n',
    });
    expect((await meshd(app.root, 'team', 'ls')).out).toContain('external in its file, internal until you approve');
    expect((await meshd(app.root, 'team', 'expose', 'porter')).exit).toBe(6);
    expect((await meshd(app.root, 'team', 'ls')).out).toContain(
      'external in its file, internal: tests have not passed',
    );
    expect((await meshd(app.root, 'team', 'test', 'developer')).exit).toBe(0);
    expect((await meshd(app.root, 'team', 'expose', 'developer')).exit).toBe(0);
  });
});
