import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { beFound, daemon, meshd, PROGRAM, Session } from '../../testing/processes/command-line.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { temporaryRepository } from '../../testing/temporary-folder.js';

const lines = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; seq: number; conv?: string });
/** A daemon with the number that its first event follows. */
async function talking() {
  const app = await daemon(new ScriptedAgent('acp', () => answers('The angle is\n-6.')));
  return { app, start: String(app.clock.now()) };
}

describe('meshd events', () => {
  it('prints one object a line: where the stream begins, then the events of the asked types', async () => {
    const { app, start } = await talking();
    const all = new Session(app.root, false).start(['events', '--json', '--count', '1']);
    await all.until('out', /"type":"hello"/);
    await meshd(app.root, 'talk', 'developer', 'Set it');
    expect(await all.exit).toBe(0);
    const since = ['events', '--since', start];
    const ended = await meshd(app.root, ...since, '--jsonl', '--type', 'turn.ended', '--count', '1');
    const shown = await meshd(app.root, ...since, '--type', 'message,turn', '--count', '4');
    expect(lines(all.out)).toEqual([
      {
        type: 'hello',
        seq: expect.any(Number),
        ts: expect.any(Number),
        version: '0.0.0-test',
        project: expect.any(String),
      },
      expect.objectContaining({ type: 'conversation.created' }),
    ]);
    expect(lines(ended.out)).toMatchObject([{ type: 'turn.ended', outcome: 'answered' }]);
    expect(shown.out).toMatch(/^[\d:]{8}Z message\.added conv=conv-\S+ user: Set it$/m);
    expect(shown.out).toMatch(/^[\d:]{8}Z turn\.delta .*text=The angle is -6\.$/m);
    expect(shown.err).toBe('');
  });

  it('follows one conversation, continues after a number, and says when events are missing', async () => {
    const { app, start } = await talking();
    await meshd(app.root, 'talk', 'developer', 'one');
    const all = new Session(app.root, false).start(['events', '--json', '--since', start, '--count', '2']);
    await all.exit;
    const [first, second] = lines(all.out);
    expect(second?.seq).toBe((first?.seq ?? 0) + 1);
    const later = await meshd(app.root, 'events', '--json', '--since', String(first?.seq), '--count', '1');
    expect(lines(later.out)).toEqual([second]);
    await meshd(app.root, 'talk', 'developer', 'two');
    const named = await meshd(app.root, 'events', '--json', '--since', start, '--type', 'conversation', '--count', '1');
    const conv = lines(named.out)[0]?.conv ?? 'none';
    const own = lines(
      (await meshd(app.root, 'events', '--json', '--since', start, '--conv', conv, '--type', 'turn', '--count', '1'))
        .out,
    );
    expect(own).toMatchObject([{ conv }]);
    const gone = new Session(app.root, false).start(['events', '--since', '999999', '--type', 'hello,team']);
    await gone.until('err', /does not hold the events in between/);
    app.publish('team.updated', { id: 'developer' });
    await gone.until('out', /team\.updated id=developer/);
  });

  it('continues after the daemon restarted, with a new hello', async () => {
    const root = temporaryRepository({ 'README.md': '# x\n' });
    const start = async () => {
      const app = await testApp({ root, clock: new FakeClock(Date.now()) });
      beFound(app);
      return app;
    };
    const before = await start();
    const session = new Session(root, false).start(['events', '--json', '--count', '1']);
    await session.until('out', /"type":"hello"/);
    await before.stop();
    const after = await start();
    await session.until('out', /"type":"hello"/);
    after.publish('team.updated', { id: 'developer' });
    expect(await session.exit).toBe(0);
    expect(lines(session.out).map(({ type }) => type)).toEqual(['hello', 'hello', 'team.updated']);
  });

  it('names a wrong option, and that no daemon runs', async () => {
    const root = temporaryRepository({ 'README.md': '# x\n' });
    expect(await meshd(root, 'events', '--type', 'turn.endet')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('There is no event "turn.endet"'),
    });
    expect(await meshd(root, 'events', '--since', 'now')).toMatchObject({ exit: 2 });
    expect(await meshd(root, 'events')).toMatchObject({ exit: 3, out: '' });
    const { exit, out } = await meshd(root, 'events', '--json');
    expect([exit, JSON.parse(out)]).toMatchObject([3, { error: 'unreachable' }]);
  });

  it('ends without a failure when its reader is gone', async () => {
    const app = await daemon();
    const child = spawn(process.execPath, [PROGRAM, 'events', '--root', app.root], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill());
    let err = '';
    child.stderr.on('data', (data) => {
      err += String(data);
    });
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    const ended = new Promise((resolve) => child.once('close', resolve));
    app.publish('team.updated', { id: 'developer' });
    expect([await ended, err]).toEqual([0, '']);
  });
});
