import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConversationList } from '../../contract/conversations.js';
import type { EventFrame } from '../../contract/events.js';
import type { Roadmap, TaskPatch } from '../../contract/work/roadmap.js';
import { get, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { SocketClient } from '../../testing/processes/socket-client.js';
import { readTasks, withTask } from './task-list.js';

const TEXT = `# Roadmap

Some words of the operator.

- [ ] lamps: Light the lamps @developer
- [x] buoys: Paint the buoys   @deployer
- [-] chain: Inspect the chain
  reason: no diver
* [ ] log.v2: Keep the log
`;

describe('Task list', () => {
  it('parses id, text, member, state and reason, and ignores other lines', () => {
    expect(readTasks(TEXT)).toEqual({
      problems: [],
      tasks: [
        {
          id: 'lamps',
          text: 'Light the lamps',
          member: 'developer',
          state: 'open',
          reason: null,
          after: [],
          check: null,
          line: 5,
          heading: 'Roadmap',
        },
        {
          id: 'buoys',
          text: 'Paint the buoys',
          member: 'deployer',
          state: 'done',
          reason: null,
          after: [],
          check: null,
          line: 6,
          heading: 'Roadmap',
        },
        {
          id: 'chain',
          text: 'Inspect the chain',
          member: null,
          state: 'blocked',
          reason: 'no diver',
          after: [],
          check: null,
          line: 7,
          heading: 'Roadmap',
        },
        {
          id: 'log.v2',
          text: 'Keep the log',
          member: null,
          state: 'open',
          reason: null,
          after: [],
          check: null,
          line: 9,
          heading: 'Roadmap',
        },
      ],
    });
    expect(readTasks('- [ ] a: x\n- [ ] a: y\n').problems).toEqual([expect.stringContaining('Line 2')]);
    const grouped = '- [ ] a: x\n## Soon ##\r\n- [ ] b: y\n```\n# no heading\n```\n- [ ] c: z\n# Later\n- [x] d: w\n';
    expect(readTasks(grouped).tasks.map(({ heading }) => heading)).toEqual([null, 'Soon', 'Soon', 'Later']);
    // Takes minutes where a blank can belong to more than one part of the pattern.
    const blanks = ' '.repeat(100_000);
    expect(readTasks(`# Soon${blanks}#${blanks}x ##\n- [ ] a: x\n`).tasks[0]?.heading).toMatch(/^Soon {100000}# +x$/);
  });

  it.each<[string, TaskPatch, string, string]>([
    ['lamps', { state: 'done' }, '- [ ] lamps', '- [x] lamps'],
    ['lamps', { member: null }, 'the lamps @developer', 'the lamps'],
    [
      'chain',
      { state: 'open' },
      '- [-] chain: Inspect the chain\n  reason: no diver\n',
      '- [ ] chain: Inspect the chain\n',
    ],
    [
      'log.v2',
      { state: 'blocked', reason: 'too\nlong' },
      '* [ ] log.v2: Keep the log\n',
      '* [-] log.v2: Keep the log\n  reason: too long\n',
    ],
    ['buoys', { text: 'Paint them red' }, 'Paint the buoys   @', 'Paint them red   @'],
    [
      'chain',
      { after: ['lamps', 'buoys'], check: 'command test' },
      '  reason: no diver\n',
      '  reason: no diver\n  after: lamps, buoys\n  check: command test\n',
    ],
  ])('changes in task %s only what %j names', (id, patch, before, after) => {
    expect(withTask(TEXT, id, patch)).toBe(TEXT.replace(before, after));
    expect(withTask(TEXT.replaceAll('\n', '\r\n'), id, patch)).toBe(
      TEXT.replace(before, after).replaceAll('\n', '\r\n'),
    );
  });

  it('reads what a task waits for and its check, and keeps them when the state changes', () => {
    const text = '- [-] a: one\n  check: command test\n  reason: no\n  after: b,c\n- [ ] b: two\n- [ ] c: three\n';
    expect(readTasks(text).tasks[0]).toMatchObject({ reason: 'no', after: ['b', 'c'], check: 'command test' });
    expect(withTask(text, 'a', { state: 'done' })).toBe(text.replace('[-]', '[x]').replace('  reason: no\n', ''));
    expect(withTask(text, 'a', { after: [], check: null })).toBe(
      '- [-] a: one\n  reason: no\n- [ ] b: two\n- [ ] c: three\n',
    );
    expect(
      readTasks('- [ ] a: one\n  after: z y b\n- [ ] b: two\n  after: a\n- [ ] a: x\n- [ ] c: z\n  after: b').problems,
    ).toEqual([
      'Line 5: the id "a" stands in line 1 already; only that one counts.',
      'Line 1: "a" waits for "z", which is no task of the file.',
      'Line 1: "a" waits for "y", which is no task of the file.',
      'Line 1: "a" waits for itself: take one task out of its `after:`.',
      'Line 3: "b" waits for itself: take one task out of its `after:`.',
    ]);
  });

  it('preserves every other line byte for byte', () => {
    fc.assert(
      fc.property(fc.array(fc.string()), fc.array(fc.string()), (above, below) => {
        const clean = (lines: string[]) =>
          lines
            .map((line) => line.replaceAll(/[\n[\]`~<]/g, ''))
            .filter((line) => !/^\s+(?:reason|after|check):/.test(line));
        const text = [...clean(above), '- [ ] task: Do it', ...clean(below)].join('\n');
        expect(withTask(text, 'task', { state: 'done' })).toBe(
          text.replace('- [ ] task: Do it', () => '- [x] task: Do it'),
        );
      }),
    );
  });
});

/** The reason under a task that was answered and names no check. */
const UNCHECKED = '  reason: answered, and no check says that it is done: look at it, then mark it done\n';

async function appWith(text: string, agent: ScriptedAgent): Promise<TestApp> {
  const app = await testApp({ clients: [agent] });
  const path = join(app.root, '.mesh/roadmap.md');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  return app;
}
const getFile = (app: TestApp) => readFileSync(join(app.root, '.mesh/roadmap.md'), 'utf8');
const view = async (app: TestApp) => (await app.call('GET', '/roadmap')).body as Roadmap;

async function untilIdle(app: TestApp): Promise<void> {
  const client = new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events`);
  await client.next();
  while ((await view(app)).running) await client.until(({ type }) => type === 'roadmap.updated');
}

describe('Roadmap queue', () => {
  it('assigns ready tasks to their members in order up to the limit; what has no check waits for the operator', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await appWith(
      '- [ ] a: one @developer\n- [x] b: two\n- [ ] c: three @deployer\n- [ ] d: four\n',
      agent,
    );
    await app.call('POST', '/roadmap/run', { limit: 2 });
    await agent.untilHeld(2);
    expect((await view(app)).tasks.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'running'],
      ['b', 'done'],
      ['c', 'running'],
      ['d', 'open'],
    ]);
    agent.finishAll();
    await agent.untilHeld(3);
    agent.finishAll();
    await untilIdle(app);
    expect(agent.turns.map(({ member }) => member.id)).toEqual(['developer', 'deployer', 'developer']);
    expect(getFile(app)).toBe(
      `- [-] a: one @developer\n${UNCHECKED}- [x] b: two\n- [-] c: three @deployer\n${UNCHECKED}- [-] d: ` +
        `four\n${UNCHECKED}`,
    );
    expect((await view(app)).tasks[0]?.conv).toMatch(/^conv-/);
  });

  it('marks a task blocked with its reason when its turn fails or its member does not exist, and continues', async () => {
    const agent = new ScriptedAgent('acp', async function* (turn) {
      if (turn.text.startsWith('Task a ')) throw new Error('no tools');
      yield* answers('done');
    });
    const app = await appWith('- [ ] a: one\n- [ ] b: two @nobody\n- [ ] c: three\n', agent);
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    expect(getFile(app)).toBe(
      '- [-] a: one\n  reason: failed: The client failed: no tools\n- [-] b: two @nobody\n  reason: There is ' +
        'no member `nobody`.\n- [-] c: three\n' +
        UNCHECKED,
    );
  });

  it('run without a client that can work is 409 no_working_client, and the file is untouched', async () => {
    const app = await testApp();
    const text = '- [ ] a: Light the lamps\n- [ ] b: Clean them @deployer\n';
    writeFileSync(join(app.root, '.mesh/roadmap.md'), text);
    for (const body of [{}, undefined])
      expect(await app.call('POST', '/roadmap/run', body)).toMatchObject({
        status: 409,
        body: { error: 'no_working_client', members: ['developer', 'deployer'] },
      });
    expect([getFile(app), (await view(app)).running]).toEqual([text, false]);
    expect((await app.call('GET', '/conversations')).body).toMatchObject({ count: 0 });
  });

  it('leaves tasks of members without a working client open while it completes the others', async () => {
    const app = await appWith(
      '- [ ] a: one @deployer\n- [ ] b: two\n',
      new ScriptedAgent('acp', () => answers('done')),
    );
    await app.call('PATCH', '/team/deployer', { client: 'builtin' });
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    expect(getFile(app)).toBe(`- [ ] a: one @deployer\n- [-] b: two\n${UNCHECKED}`);
  });

  it('stops assigning tasks on request, finishes running ones, and keeps edits made on disk', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await appWith('- [ ] a: one\n- [ ] b: two\n', agent);
    await app.call('POST', '/roadmap/run', {});
    await agent.untilHeld(1);
    expect((await app.call('POST', '/roadmap/stop')).body).toMatchObject({ running: false });
    writeFileSync(join(app.root, '.mesh/roadmap.md'), '# New\n- [ ] b: two, rewritten\n- [ ] a: one\n');
    const client = new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events`);
    await client.next();
    agent.finishAll();
    await client.until(({ type }) => type === 'roadmap.updated');
    expect(getFile(app)).toBe(`# New\n- [ ] b: two, rewritten\n- [-] a: one\n${UNCHECKED}`);
    expect(agent.turns).toHaveLength(1);
  });

  it('changes one task on request and rejects unknown ones', async () => {
    const app = await appWith('- [ ] a: one\n', new ScriptedAgent('acp', heldAnswer));
    expect(
      (await app.call('PATCH', '/roadmap/a', { state: 'blocked', reason: 'rain', member: 'developer' })).status,
    ).toBe(200);
    expect(getFile(app)).toBe('- [-] a: one @developer\n  reason: rain\n');
    expect((await app.call('PATCH', '/roadmap/z', { state: 'done' })).status).toBe(404);
    expect((await app.call('PATCH', '/roadmap/a', { member: 'nobody' })).body).toMatchObject({ path: 'member' });
    expect((await app.call('PATCH', '/roadmap/a', { state: 'running' })).status).toBe(400);
    expect((await app.call('POST', '/roadmap/run', { limit: 9 })).status).toBe(400);
  });

  it('is empty and reports its path when there is no file', async () => {
    expect(await view(await testApp())).toEqual({
      path: '.mesh/roadmap.md',
      conv: null,
      problems: [],
      tasks: [],
      running: false,
      limit: 1,
      problem: null,
    });
  });
});

describe('After a restart', () => {
  const CHECKED = '- [ ] a: one\n  check: command ok\n- [ ] b: two\n  after: a\n  check: command ok\n';

  it('a task that was worked on is given out once more, and the run goes on to its end', async () => {
    const held = new ScriptedAgent('acp', heldAnswer);
    const app = await appWith(CHECKED, held);
    await app.call('PUT', '/roadmap/checks/ok', { command: 'true' });
    await app.call('POST', '/roadmap/run', {});
    await held.untilHeld(1);
    expect((await view(app)).tasks).toMatchObject([
      { state: 'running', step: 'working', attempt: 1, waits_for: [] },
      { state: 'open', step: null, attempt: null, waits_for: ['a'] },
    ]);
    const first = (await view(app)).tasks[0]?.conv;
    await app.stop();
    const agent = new ScriptedAgent('acp', () => answers('built'));
    const again = await testApp({ root: app.root, clock: app.clock, clients: [agent] });
    await untilIdle(again);
    expect(getFile(again)).toBe(CHECKED.replaceAll('[ ]', '[x]'));
    expect(agent.turns.map(({ text }) => text.split(' ')[1])).toEqual(['a', 'b']);
    const { tasks } = await view(again);
    expect(tasks[0]?.conv).toMatch(/^conv-/);
    expect(tasks[0]?.conv).not.toBe(first);
  });

  it('a task that was answered is checked and not worked on again', async () => {
    const app = await appWith(CHECKED.split('- [ ] b')[0] as string, new ScriptedAgent('acp', () => answers('built')));
    await app.call('PUT', '/roadmap/checks/ok', {
      // A process of it that ends after the shell does.
      command: "(trap 'sleep 0.1; exit' TERM; touch begun; sleep 600 & wait) & wait",
    });
    const client = new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events`);
    await client.next();
    await app.call('POST', '/roadmap/run', {});
    while ((await view(app)).tasks[0]?.step !== 'checking')
      await client.until(({ type }) => type === 'roadmap.updated');
    await expect.poll(() => existsSync(join(app.root, 'begun')), { timeout: 10_000 }).toBe(true);
    await app.call('PUT', '/roadmap/checks/ok', { command: 'true' });
    await app.stop();
    const agent = new ScriptedAgent('acp', () => answers('built'));
    const again = await testApp({ root: app.root, clock: app.clock, clients: [agent] });
    await untilIdle(again);
    expect(getFile(again)).toContain('- [x] a: one\n');
    expect(agent.turns).toEqual([]);
  });

  it('a task whose reviewer the stop cut off is reviewed again and not worked on again', async () => {
    const held = new ScriptedAgent('acp', (turn, signal, self) =>
      turn.member.id === 'commit-pr-reviewer' ? heldAnswer(turn, signal, self) : answers('built'),
    );
    const app = await appWith('- [ ] a: one\n  check: review @commit-pr-reviewer\n', held);
    await app.call('POST', '/roadmap/run', {});
    await held.untilHeld(1);
    await app.stop();
    const agent = new ScriptedAgent('acp', () => answers('PASSED'));
    const again = await testApp({ root: app.root, clock: app.clock, clients: [agent] });
    await untilIdle(again);
    expect(getFile(again)).toContain('- [x] a: one\n');
    expect(agent.turns.map(({ member }) => member.id)).toEqual(['commit-pr-reviewer']);
  });

  it('a run whose file cannot be read any more has ended, and the daemon serves', async () => {
    const held = new ScriptedAgent('acp', heldAnswer);
    const app = await appWith('- [ ] a: one\n', held);
    await app.call('POST', '/roadmap/run', {});
    await held.untilHeld(1);
    await app.stop();
    const path = join(app.root, '.mesh/roadmap.md');
    rmSync(path);
    symlinkSync('plan.md', path);
    const again = await testApp({ root: app.root, clock: app.clock, clients: [held] });
    expect(await again.call('GET', '/roadmap')).toMatchObject({ status: 403, body: { error: 'forbidden' } });
    rmSync(path);
    expect(await view(again)).toMatchObject({ running: false });
  });

  it('a run that was stopped stays stopped, and its task is open', async () => {
    const held = new ScriptedAgent('acp', heldAnswer);
    const app = await appWith('- [ ] a: one\n', held);
    await app.call('POST', '/roadmap/run', { limit: 3 });
    await held.untilHeld(1);
    await app.call('POST', '/roadmap/stop');
    await app.stop();
    const again = await testApp({ root: app.root, clock: app.clock, clients: [held] });
    expect(await view(again)).toMatchObject({ running: false, limit: 3, tasks: [{ state: 'open' }] });
    expect(held.turns).toHaveLength(1);
  });
});

describe('A run is one conversation of the orchestrator', () => {
  const children = async (app: TestApp, conv: string) =>
    ((await app.call('GET', `/conversations?parent=${conv}`)).body as ConversationList).conversations;

  it('that tells each step, and whose children are the conversations of the tasks', async () => {
    const said = ['FAILED: no test', 'PASSED'];
    const agent = new ScriptedAgent('acp', async function* (turn) {
      yield* answers(turn.member.id === 'commit-pr-reviewer' ? (said.shift() as string) : 'built it');
    });
    const app = await appWith(
      '- [ ] a: one\n  check: review @commit-pr-reviewer\n- [ ] b: two @deployer\n  after: a\n- [ ] c: three @nobody\n',
      agent,
    );
    expect((await view(app)).conv).toBeNull();
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    const run = (await view(app)).conv ?? '';
    expect(await get(app, run)).toMatchObject({
      member: 'roadmap-orchestrator',
      title: 'Roadmap',
      parent: null,
      running: null,
      last_outcome: 'answered',
    });
    const { messages, turns } = await read(app, run);
    const tasks = (await view(app)).tasks;
    expect(messages.map(({ role }) => role)).toEqual(messages.map(() => 'system'));
    expect(messages.map(({ text }) => text)).toEqual([
      'Run of .mesh/roadmap.md, at most 1 at once.\n\n- `a` for developer: ready\n- `b` for deployer: after a\n' +
        '- `c` for nobody: ready',
      `\`a\` was given to developer, in ${tasks[0]?.conv}.`,
      '`a`, attempt 1: the turn ended as answered.',
      '`a`, attempt 1: its check failed: commit-pr-reviewer: no test\n\nGiven back.',
      '`a`, attempt 2: the turn ended as answered.',
      '`a` is done: its check passed.',
      `\`b\` was given to deployer, in ${tasks[1]?.conv}.`,
      '`b`, attempt 1: the turn ended as answered.',
      '`b` is blocked: answered, and no check says that it is done: look at it, then mark it done',
      '`c` is blocked: There is no member `nobody`.',
      'No task is ready: the run has ended. 1 done, 2 blocked, 0 open.',
    ]);
    expect(turns).toHaveLength(1);
    const given = await children(app, run);
    expect(given.map(({ member }) => member).sort()).toEqual(['deployer', 'developer']);
    expect(given[0]?.parent).toMatchObject({ conv: run, turn: turns[0]?.turn, member: 'roadmap-orchestrator' });
    expect((await read(app, tasks[0]?.conv ?? '')).messages[0]?.asked_by).toBe('roadmap-orchestrator');
    const reviews = await children(app, tasks[0]?.conv ?? '');
    expect(reviews.map(({ title }) => title)).toEqual(['Review of a', 'Review of a']);
    await app.call('PATCH', '/roadmap/b', { state: 'open' });
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    expect((await view(app)).conv).toBe(run);
    expect((await read(app, run)).turns).toHaveLength(2);
  });

  it('and a run goes on without it when it is deleted', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await appWith('- [ ] a: one\n  check: command ok\n', agent);
    await app.call('PUT', '/roadmap/checks/ok', { command: 'true' });
    await app.call('POST', '/roadmap/run', {});
    await agent.untilHeld(1);
    await app.call('DELETE', `/conversations/${(await view(app)).conv}`);
    agent.finishAll();
    await untilIdle(app);
    expect(await view(app)).toMatchObject({ conv: null, tasks: [{ state: 'done' }] });
    expect(await get(app, (await view(app)).tasks[0]?.conv ?? '')).toMatchObject({ parent: null });
  });
});

describe('A task is done when its check passed', () => {
  it('by a command of the operator: what fails goes back to the member with the output, and then passes', async () => {
    const agent = new ScriptedAgent('acp', () => answers('built'));
    const app = await appWith(
      '- [ ] a: one\n  check: command test\n- [ ] b: two\n  after: a\n  check: command ok\n',
      agent,
    );
    const command = 'if test -e mended; then exit 0; fi; touch mended; echo lamp is dark; exit 3';
    expect((await app.call('PUT', '/roadmap/checks/test', { command })).body).toMatchObject({ count: 1 });
    await app.call('PUT', '/roadmap/checks/ok', { command: 'true' });
    await app.call('POST', '/roadmap/run', { limit: 2 });
    await untilIdle(app);
    expect(getFile(app)).toBe('- [x] a: one\n  check: command test\n- [x] b: two\n  after: a\n  check: command ok\n');
    expect(agent.turns.map(({ text }) => text.split('\n')[0])).toEqual([
      'Task a of .mesh/roadmap.md: one',
      `Task a is not done yet. Its check failed: \`${command}\` ended with 3. Its output ends: lamp is dark`,
      'Task b of .mesh/roadmap.md: two',
    ]);
    expect(agent.turns[0]?.text).toContain(`It is done when this passes: ${command}`);
  });

  it('and is blocked with what was said after the third failure; what waits for it stays open', async () => {
    const agent = new ScriptedAgent('acp', () => answers('built'));
    const app = await appWith('- [ ] a: one\n  check: command test\n- [ ] b: two\n  after: a\n', agent);
    await app.call('PUT', '/roadmap/checks/test', { command: 'exit 1' });
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    expect(getFile(app)).toBe(
      '- [-] a: one\n  reason: check failed after 3 attempts: `exit 1` ended with 1.\n  check: command test\n- ' +
        '[ ] b: two\n  after: a\n',
    );
    expect(agent.turns).toHaveLength(3);
  });

  it('by the verdict of another member', async () => {
    const said = ['It lacks a test.\n\nFAILED: no test', 'All is there.\n**PASSED**'];
    const agent = new ScriptedAgent('acp', async function* (turn) {
      yield* answers(turn.member.id === 'commit-pr-reviewer' ? (said.shift() as string) : 'built it');
    });
    const app = await appWith('- [ ] a: one\n  check: review @commit-pr-reviewer\n', agent);
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    expect(getFile(app)).toContain('- [x] a: one\n');
    expect(agent.turns.map(({ member }) => member.id)).toEqual([
      'developer',
      'commit-pr-reviewer',
      'developer',
      'commit-pr-reviewer',
    ]);
    expect(agent.turns[2]?.text).toContain('Its check failed: commit-pr-reviewer: no test');
    expect(agent.turns[1]?.text).toContain('built it');
  });

  it.each([
    ['a name that the operator has not set', 'command build', 'There is no check command "build" on this machine'],
    ['no check at all', 'rm -rf /', '"rm -rf /" is no check: write `command <name>`'],
    ['a member without tests', 'test developer', '`developer` has no tests'],
    ['a reviewer that is not there', 'review @nobody', 'There is no member `nobody`'],
  ])('and is blocked by %s', async (_, check, reason) => {
    const app = await appWith(`- [ ] a: one\n  check: ${check}\n`, new ScriptedAgent('acp', () => answers('built')));
    await app.call('POST', '/roadmap/run', {});
    await untilIdle(app);
    expect(getFile(app)).toContain(`- [-] a: one\n  reason: check failed after 3 attempts: ${reason}`);
  });

  it('by commands that only the operator sets: they are listed, replaced and removed', async () => {
    const app = await testApp();
    expect((await app.call('PUT', '/roadmap/checks/Bad%20name', { command: 'true' })).body).toMatchObject({
      path: 'name',
    });
    expect((await app.call('PUT', '/roadmap/checks/test', { command: 'a\nb' })).status).toBe(400);
    await app.call('PUT', '/roadmap/checks/test', { command: 'npm test' });
    await app.call('PUT', '/roadmap/checks/test', { command: 'npm run check' });
    expect((await app.call('GET', '/roadmap/checks')).body).toEqual({
      commands: [{ name: 'test', command: 'npm run check' }],
      count: 1,
    });
    expect((await app.call('DELETE', '/roadmap/checks/test')).body).toMatchObject({ count: 0 });
    expect((await app.call('DELETE', '/roadmap/checks/test')).status).toBe(404);
  });
});
