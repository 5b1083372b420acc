import { spawn } from 'node:child_process';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  asksFirst,
  atTerminal,
  conversations,
  daemon,
  meshd,
  PROGRAM,
  Session,
  silent,
} from '../../testing/processes/command-line.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { scriptedDaemon } from '../../testing/processes/scripted-daemon.js';
import { temporaryRepository } from '../../testing/temporary-folder.js';
import { complete } from '../help/completion-words.js';
import { createProgram } from '../program.js';

describe('talk with a text', () => {
  it('sends it once and streams the answer; the built-in search needs no API key', async () => {
    const app = await daemon();
    await app.untilIndexed();
    const { exit, out, err } = await meshd(app.root, 'talk', 'consultant', 'On which port does it listen?');
    expect([exit, err]).toEqual([0, expect.stringContaining('consultant (builtin')]);
    expect(out).toContain('8123');
    expect(out).toMatch(/^README\.md:\d+-\d+ ✓$/m);
  });

  it('reads stdin when it is not a terminal, and prints one object with --json', async () => {
    const agent = new ScriptedAgent('acp', (turn) => answers(`You said ${turn.text}.`));
    const app = await daemon(agent);
    const session = new Session(app.root, true);
    Object.assign(session.stdin, { isTTY: false });
    session.start(['talk', 'developer', '--json', '--effort', 'high']).stdin.end('  well  ');
    expect(await session.exit).toBe(0);
    expect(JSON.parse(session.out)).toMatchObject({
      conv: expect.stringMatching(/^conv-/),
      member: 'developer',
      outcome: 'answered',
      text: 'You said well.',
      effort: 'high',
    });
    expect(session.err).toBe('');
  });

  it('continues a named conversation, and the live one of a singleton', async () => {
    const app = await daemon(new ScriptedAgent('acp', (turn) => answers(`after ${turn.history.length}`)));
    await meshd(app.root, 'talk', 'developer', 'one');
    const [first] = await conversations(app);
    const conv = first?.conv ?? '';
    expect((await meshd(app.root, 'talk', conv, 'two')).out).toBe('after 2\n');
    expect((await meshd(app.root, 'talk', 'developer', '--conv', conv, 'three')).out).toBe('after 4\n');
    expect(await meshd(app.root, 'talk', 'consultant', '--conv', conv, 'four')).toMatchObject({ exit: 2, out: '' });
    await meshd(app.root, 'talk', 'architect-master', 'one');
    expect((await meshd(app.root, 'talk', 'architect-master', 'two')).out).toBe('after 2\n');
    expect((await meshd(app.root, 'talk', 'developer', 'anew')).out).toBe('after 0\n');
    expect((await conversations(app)).map(({ unread }) => unread)).toEqual([0, 0, 0]);
  });

  it.each([
    [[], {}],
    [['--client', 'builtin'], { client: 'builtin' }],
    [['--model', 'scripted-0'], { model: 'scripted-0' }],
    [
      ['--effort', 'high', '--isolation', 'worktree', '--model', 'm', '--client', 'api'],
      { client: 'api', model: 'm', effort: 'high', isolation: 'worktree' },
    ],
  ])('begins with %j a conversation with %j', async (options, overrides) => {
    const { root, sent } = await scriptedDaemon({});
    expect(await meshd(root, 'talk', 'developer', 'hello', ...options)).toMatchObject({ exit: 4 });
    expect(sent).toEqual([['POST /conversations', { member: 'developer', ...overrides }]]);
  });

  it('exits 4 when its conversation is deleted: while its turn runs, and while the user types', async () => {
    const app = await daemon(new ScriptedAgent('acp', heldAnswer));
    const remove = async () => {
      const [{ conv } = { conv: '' }] = await conversations(app);
      expect((await app.call('DELETE', `/conversations/${conv}`)).status).toBe(200);
    };
    const running = new Session(app.root, false).start(['talk', 'developer', 'slowly']);
    await running.until('out', /Thinking/);
    await remove();
    expect(await running.exit).toBe(4);
    const idle = atTerminal(app.root, 'talk', 'developer');
    await idle.until('err', /\/help lists/);
    await remove();
    expect(await idle.exit).toBe(4);
    expect(idle.err).toContain('The conversation was deleted.');
  });

  it('is what --json needs: without one at a terminal nothing is begun', async () => {
    const { root, sent } = await scriptedDaemon({});
    const session = atTerminal(root, 'talk', 'developer', '--json');
    session.stdin.end();
    expect(await session.exit).toBe(2);
    expect(session.out + session.err).toContain('--json needs a text');
    expect(sent).toEqual([]);
  });

  it('exits 7 with the reason when the turn fails', async () => {
    const app = await daemon(
      // biome-ignore lint/correctness/useYield: it fails before it yields anything.
      new ScriptedAgent('acp', async function* () {
        throw new Error('the model is away');
      }),
    );
    const { exit, out, err } = await meshd(app.root, 'talk', 'developer', 'hello');
    expect([exit, out]).toEqual([7, '']);
    expect(err).toContain('failed: The client failed: the model is away (client_failed)');
  });

  it('exits 8 at the time limit: that of the member, or that of --wait, after which the turn continues', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const waiting = await meshd(app.root, 'talk', 'developer', 'slowly', '--wait', '0');
    expect(waiting).toMatchObject({ exit: 8, err: expect.stringContaining('The turn continues') });
    agent.finishAll();
    const session = new Session(app.root, false).start(['talk', 'developer', 'too slowly']);
    await session.until('out', /Thinking/);
    await agent.untilHeld(2);
    app.clock.advance(24 * 3_600_000);
    expect(await session.exit).toBe(8);
    expect(session.err).toContain('out of time: ');
  });

  it('exits 4 for an unknown member and 2 for an empty or too long text, and leaves no empty conversation', async () => {
    const app = await daemon(new ScriptedAgent('acp', () => answers('x')));
    expect(await meshd(app.root, 'talk', 'nobody', 'hello')).toMatchObject({ exit: 4 });
    expect(await meshd(app.root, 'talk', 'developer', '-')).toMatchObject({ exit: 2 });
    expect(await meshd(app.root, 'talk', 'developer', 'x'.repeat(131_073))).toMatchObject({ exit: 2, out: '' });
    expect(await conversations(app)).toEqual([]);
  });

  it('asks nobody when the text was read from stdin, also at a terminal', async () => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const session = new Session(app.root, true).start(['talk', 'developer', '-']);
    session.stdin.end('set it');
    expect(await session.exit).toBe(9);
    expect(session.err).toContain('meshd inbox allow|always|deny perm-');
  });

  it('prints tool calls on stderr, and exits 9 with the answering command when no prompt is possible', async () => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const { exit, out, err } = await meshd(app.root, 'talk', 'developer', 'set it');
    expect([exit, out]).toEqual([9, 'Looking. \n']);
    expect(err).toContain('· Read src/dusk.ts\n');
    expect(err).toContain('? developer asks to use Edit src/dusk.ts\n    to set the angle\n');
    const [, pid = ''] = /meshd inbox allow\|always\|deny (perm-\S+)/.exec(err) ?? [];

    expect(await meshd(app.root, 'inbox', '--check')).toMatchObject({ exit: 9, out: expect.stringContaining(pid) });
    const listed = JSON.parse((await meshd(app.root, 'inbox', '--json')).out);
    expect(listed).toMatchObject({
      count: 1,
      permissions: [{ pid, member: 'developer', tool: 'Edit', target: 'src/dusk.ts' }],
    });
    const offered = await complete(createProgram(silent(), ''), ['inbox', 'deny', ''], async (named) => [
      { word: named },
    ]);
    expect(offered.candidates).toEqual([{ word: 'permission' }]);
    const { conv } = listed.permissions[0];
    const follower = new Session(app.root, false).start(['conv', 'say', conv, 'and then?']);
    expect(await follower.exit).toBe(0);
    expect(await meshd(app.root, 'inbox', 'always', pid)).toMatchObject({
      exit: 0,
      out: expect.stringContaining('Allowed from now on'),
    });
    expect(await meshd(app.root, 'inbox', 'deny', pid)).toMatchObject({ exit: 4 });
    // A permission that is always allowed is not requested again.
    expect(await meshd(app.root, 'talk', conv, 'again')).toMatchObject({ exit: 0, out: 'Looking. allow_always\n' });
    expect(await meshd(app.root, 'inbox', '--check')).toEqual({ exit: 0, out: '', err: 'Nothing needs you.\n' });
  });

  it('prompts the user at the terminal, until the request is answered there or elsewhere', async () => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const session = atTerminal(app.root, 'talk', 'developer', 'set it');
    await session.until('err', /\[y\/a\/n\]/);
    session.type('what\r');
    await session.until('err', /\[y\/a\/n\]/);
    session.type('n\r');
    expect(await session.exit).toBe(0);
    expect(session.out).toBe('Looking. deny\n');

    const other = atTerminal(app.root, 'talk', 'developer', 'set it', '--json');
    await other.until('err', /\[y\/a\/n\]/);
    const { permissions } = JSON.parse((await meshd(app.root, 'inbox', '--json')).out);
    await meshd(app.root, 'inbox', 'allow', permissions[0].pid);
    expect(await other.exit).toBe(0);
    expect(JSON.parse(other.out)).toMatchObject({ outcome: 'answered', text: 'Looking. allow_once' });
  });

  it('takes only whole words that were typed after the question', async () => {
    const app = await daemon(new ScriptedAgent('acp', asksFirst));
    const session = new Session(app.root, true);
    session.type('y\ralso run the tests\r');
    session.start(['talk', 'developer', 'set it']);
    await session.until('err', /\[y\/a\/n\]/);
    for (const other of ['abort', 'yikes no', 'are you sure?']) {
      session.type(`${other}\r`);
      await session.until('err', /\[y\/a\/n\]/);
    }
    session.type('No\r');
    expect(await session.exit).toBe(0);
    expect(session.out).toBe('Looking. deny\n');
  });

  it('stops the turn and exits 130 on Ctrl-C', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const child = spawn(process.execPath, [PROGRAM, 'talk', 'developer', 'slowly'], {
      cwd: app.root,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    let err = '';
    child.stderr.on('data', (data) => (err += data));
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
    await new Promise<void>((resolve) => child.stdout.once('data', () => resolve()));
    await agent.untilHeld(1);
    child.kill('SIGINT');
    expect(await ended).toBe(130);
    expect(err).toContain('stopped: Stopped by the operator.');
    expect(await conversations(app)).toMatchObject([{ running: null, last_outcome: 'cancelled' }]);
  });
});

describe('interactive talk', () => {
  it('sends lines in order, answers permission requests, stops and quits', async () => {
    const app = await daemon(
      new ScriptedAgent('acp', (turn, signal, agent, decide) =>
        turn.text === 'wait'
          ? heldAnswer(turn, signal, agent)
          : turn.text === 'ask'
            ? asksFirst(turn, signal, agent, decide)
            : answers(`[${turn.text}]`),
      ),
    );
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    session.type('one\r//two\rthree\\\rlines\r');
    await session.until('out', /\[one\]\n/);
    await session.until('out', /\[\/two\]\n/);
    await session.until('out', /\[three\nlines\]\n/);
    session.type('ask\r');
    await session.until('err', /\/allow, \/always or \/deny/);
    session.type('/allow\r');
    await session.until('out', /Looking\. allow_once\n/);
    session.type('/allow\r');
    await session.until('err', /No permission question is open/);
    session.type('/dance\r');
    await session.until('err', /\/dance is not one of/);
    session.type('wait\r');
    await session.until('out', /Thinking/);
    session.type('/stop\r');
    await session.until('err', /stopped: Stopped by the operator/);
    session.type('wait\r');
    await session.until('out', /Thinking/);
    session.type('\u0003');
    await session.until('err', /stopped: Stopped by the operator/);
    session.type('\u0003');
    expect(await session.exit).toBe(0);
  });

  it('takes pasted lines for one message without commands, which Enter sends', async () => {
    const agent = new ScriptedAgent('acp', asksFirst);
    const app = await daemon(agent);
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    session.type('see \u001b[200~this:\r\t/quit\r/always\r\r  b\r\u001b[201~');
    session.type('\r');
    await session.until('err', /\/allow, \/always or \/deny/);
    expect(agent.turns.map(({ text }) => text)).toEqual(['see this:\n\t/quit\n/always\n\n  b']);
    session.type('\u001b[200~/always\r\u001b[201~\r  /always\r');
    await session.until('err', /Queued behind/);
    await session.until('err', /Queued behind/);
    session.type('/deny\r');
    await session.until('out', /Looking\. deny\n/);
    session.type('/quit\r');
    expect(await session.exit).toBe(0);
    expect(session.err.match(/\[\?2004[hl]/g)).toEqual(['[?2004h', '[?2004l']);
  });

  it('does not answer another question than the one that was read', async () => {
    const app = await daemon(
      new ScriptedAgent('acp', async function* (_turn, _signal, _agent, decide) {
        const first = await decide({ tool: 'Edit', target: 'src/dusk.ts', reason: '' });
        const second = await decide({ tool: 'Edit', target: 'src/dawn.ts', reason: '' });
        yield* answers(`${first} ${second}`);
      }),
    );
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    session.type('set them\r');
    await session.until('err', /use Edit src\/dusk\.ts/);
    const { permissions } = JSON.parse((await meshd(app.root, 'inbox', '--json')).out);
    await meshd(app.root, 'inbox', 'allow', permissions[0].pid);
    await session.until('err', /question about Edit src\/dusk\.ts is no longer open/);
    await session.until('err', /use Edit src\/dawn\.ts/);
    session.type('/allow\r');
    await session.until('err', /question about Edit src\/dusk\.ts is no longer open/);
    await session.until('err', /use Edit src\/dawn\.ts/);
    session.type('/deny\r');
    await session.until('out', /allow_once deny\n/);
    session.type('/quit\r');
    expect(await session.exit).toBe(0);
  });

  it('drops queued messages, while the running turn continues', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await daemon(agent);
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    session.type('/drop\r');
    await session.until('err', /Nothing is queued/);
    session.type('one\r');
    await session.until('out', /Thinking/);
    session.type('two\r');
    await session.until('err', /Queued behind/);
    session.type('/drop\r');
    await session.until('err', /stopped: Dropped by the operator before it was begun/);
    agent.finishAll();
    await session.until('out', /Done/);
    session.type('/quit\r');
    expect(await session.exit).toBe(0);
    expect(agent.turns.map(({ text }) => text)).toEqual(['one']);
  });

  it('shows messages of other clients, and deletes a new conversation without messages', async () => {
    const app = await daemon(new ScriptedAgent('acp', (turn) => answers(`[${turn.text}]`)));
    const session = atTerminal(app.root, 'talk', 'developer');
    await session.until('err', /\/help lists/);
    const [{ conv } = { conv: '' }] = await conversations(app);
    await meshd(app.root, 'conversations', 'say', conv, 'from elsewhere');
    await session.until('err', /» from elsewhere/);
    await session.until('out', /\[from elsewhere\]/);
    session.type('/quit\r');
    expect(await session.exit).toBe(0);
    const idle = atTerminal(app.root, 'talk', 'developer');
    await idle.until('err', /\/help lists/);
    idle.type('\u0004');
    expect(await idle.exit).toBe(0);
    expect(await conversations(app)).toHaveLength(1);
  });
});

describe('the built program', () => {
  it('talks to its own daemon through a pipe', async () => {
    const root = temporaryRepository({ 'README.md': '# Lamp\n\nThe keeper trims the lamp every four hours.\n' });
    const start = (...args: string[]) => {
      const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: root, stdio: 'pipe' });
      let out = '';
      child.stdout.on('data', (data) => (out += data));
      return {
        child,
        ended: new Promise<[number | null, string]>((resolve) => child.once('close', (exit) => resolve([exit, out]))),
      };
    };
    onTestFinished(async () => void (await start('down').ended));
    expect((await start('up', '--port', '0').ended)[0]).toBe(0);
    const { child, ended } = start('talk', 'consultant');
    child.stdin.end('How often is the lamp trimmed?\n');
    const [exit, out] = await ended;
    expect(exit).toBe(0);
    expect(out).toContain('every four hours');
    expect((await start('conv', 'ls').ended)[1]).toMatch(/consultant +answered +How often is the lamp trimmed\?/);
  });
});
