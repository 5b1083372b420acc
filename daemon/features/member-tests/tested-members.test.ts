import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AskAccepted, RequestDetail } from '../../contract/asks.js';
import type { MemberDetail, MemberList } from '../../contract/team.js';
import { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import type { JsonAdapter, JsonObject } from '../../storage/files/json-file.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type MemberVersion, withDefaults } from '../team/member-file.js';
import type { GoneHook, RemovedHook } from '../team/member-hooks.js';
import { TestFiles } from './test-files.js';
import { TestRuns } from './test-runs.js';
import { TestedMembers } from './tested-members.js';

const TWO = '## A?\n- says: dusk\n\n## B?\n- says: dusk\n';
const BLOCKING = `---\nblocks_exposure: true\n---\n\n${TWO}`;
const version = (id: string, more: Partial<MemberVersion> = {}): MemberVersion => ({
  ...withDefaults(id, {}, ''),
  ...{ body: '', unknown_keys: [], revision: 'r1' },
  ...more,
});

/** Asks that are answered at once with `text.answer`, but for the questions in `held`, which wait for `finish`. */
function someAsks(text: { answer: string }, held: Set<string>) {
  const open = new Set<string>();
  const cancelled: string[] = [];
  let wake: (() => void)[] = [];
  const begun: (() => void)[] = [];
  const asks = {
    acceptTestAsk: async (_member: string, question: string) => {
      if (question === 'Fault?') throw new TypeError('a fault');
      const request_id = `req-${question}`;
      if (held.has(question)) open.add(request_id);
      return { request_id } as AskAccepted;
    },
    wait: (_id: string, _seconds: number, signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => {
          wake = wake.filter((other) => other !== resolve);
          resolve();
        });
        wake.push(resolve);
        for (const tell of begun.splice(0)) tell();
      }),
    detail: async (request_id: string) => {
      const status = open.has(request_id) ? 'running' : 'done';
      const created_at = '2026-01-01T00:00:00.000Z';
      const request = { text: 'Where?', member: 'ada', rating: { value: 'up' }, citations: [] };
      return { ...request, request_id, status, created_at, result_text: text.answer } as unknown as RequestDetail;
    },
    cancelAskAsOperator: async (id: string) => void cancelled.push(id),
  };
  return {
    asks,
    cancelled,
    untilHeld: () => new Promise<void>((resolve) => (wake.length > 0 ? resolve() : begun.push(resolve))),
    finish: () => {
      open.clear();
      for (const resolve of wake) resolve();
      wake = [];
    },
  };
}

async function someMembers(texts: Record<string, string> = { ada: TWO }, held: readonly string[] = []) {
  const root = temporaryFolder(
    Object.fromEntries(Object.entries(texts).map(([id, text]) => [`.mesh/asks/${id}.md`, text])),
  );
  const members = new Map<string, MemberVersion | undefined>([['ada', version('ada')]]);
  const hooks = {
    removed: [] as RemovedHook[],
    gone: [] as GoneHook[],
    changed: [] as ((id: string) => Promise<void>)[],
  };
  const team = {
    get: async (id: string) => {
      if (!members.has(id)) throw new MeshError('not_found', `There is no member \`${id}\`.`);
      return {} as MemberDetail;
    },
    list: async () => ({ members: [...members.keys()].map((id) => ({ id })) }) as MemberList,
    serving: (id: string) => members.get(id),
    onRemoved: (hook: RemovedHook) => void hooks.removed.push(hook),
    onGone: (hook: GoneHook) => void hooks.gone.push(hook),
    onChanged: (hook: (id: string) => Promise<void>) => void hooks.changed.push(hook),
  };
  const disk = { content: null as JsonObject | null, isFull: false, writes: 0 };
  const file: JsonAdapter = {
    read: async () => disk.content,
    write: async (data) => {
      if (disk.isFull) throw new MeshError('no_space', 'The disk is full.');
      disk.writes += 1;
      disk.content = structuredClone(data);
    },
  };
  const clock = new FakeClock(Date.UTC(2026, 0, 1));
  const bus = new Bus(clock);
  const events: string[] = [];
  bus.watch((event) => events.push(`${event.type} ${'id' in event ? event.id : ''}`));
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const exposure = { opened: [] as string[], failure: undefined as Error | undefined, held: false };
  const text = { answer: 'At dusk.' };
  const { asks, ...control } = someAsks(text, new Set(held));
  const tested = new TestedMembers({
    ...{ team, asks, bus, clock, warn },
    exposure: {
      openHeld: async (id) => {
        exposure.opened.push(id);
        if (exposure.failure) throw exposure.failure;
      },
      isHeld: () => exposure.held,
    },
    files: new TestFiles(new MarkdownFolder(root, ['.mesh', 'asks'], warn), warn),
    runs: new TestRuns(file, warn),
  });
  await tested.start();
  onTestFinished(() => tested.stop());
  const path = (id: string) => join(root, '.mesh/asks', `${id}.md`);
  return { tested, members, hooks, disk, clock, events, warnings, exposure, text, path, ...control };
}

/** Resolves when no tests of `ada` run. */
async function settled(tested: TestedMembers): Promise<void> {
  while ((await tested.get('ada')).running) await new Promise((resolve) => setImmediate(resolve));
}

describe('a run', () => {
  it('is told from its start to its end, and its result names what ran', async () => {
    const { tested, events, exposure, disk, clock } = await someMembers();
    clock.step(1_500);
    expect(await tested.runToEnd('ada')).toEqual({ passed: 2, failed: 0, outcome: 'finished' });
    expect(events).toEqual([
      'team.tests.started ada',
      ...['team.tests.progress ada', 'team.tests.progress ada', 'team.tests.progress ada', 'team.tests.progress ada'],
      'team.tests.ended ada',
    ]);
    expect(exposure.opened).toEqual(['ada']);
    const { last_run, running, progress } = await tested.get('ada');
    expect([running, progress]).toEqual([false, null]);
    expect(last_run).toMatchObject({ at: '2026-01-01T00:00:01.500Z', member_revision: 'r1', current: true });
    expect(disk.content).toMatchObject({
      ada: { outcome: 'finished', results: [{ question: 'A?' }, { question: 'B?' }] },
    });
    // Its start, each of two results, and its end.
    expect(disk.writes).toBe(4);
  });

  it('shows at once that it runs, and stores each result when it is there', async () => {
    const { tested, disk, untilHeld, finish } = await someMembers({ ada: TWO }, ['B?']);
    expect(await tested.run('ada', {})).toMatchObject({ running: true, progress: { total: 2 }, last_run: null });
    await untilHeld();
    expect(disk.content).toMatchObject({ ada: { outcome: 'running', results: [{ question: 'A?', passed: true }] } });
    await expect(tested.run('ada', {})).rejects.toMatchObject({
      ...{ code: 'in_flight', message: 'The tests of `ada` are running already.' },
    });
    expect((await tested.get('ada')).progress).toMatchObject({ asking: 'B?', request_id: 'req-B?' });
    finish();
    await settled(tested);
    expect((await tested.get('ada')).last_run).toMatchObject({ outcome: 'finished', passed: 2 });
  });

  it.each<[string, string, Record<string, string>, object]>([
    ['an unknown member', 'nobody', {}, { code: 'not_found', message: 'There is no member `nobody`.' }],
    [
      'no file',
      'ada',
      {},
      {
        code: 'not_found',
        message: '`ada` has no tests: write .mesh/asks/ada.md, or begin with `meshd team test ada --init`.',
      },
    ],
    [
      'a file with a mistake',
      'ada',
      { ada: '## A?\n- cites:\n' },
      {
        code: 'bad_request',
        message: '.mesh/asks/ada.md, line 2: `cites` needs a file, as `path`, `path:line` or `path:start-end`.',
        details: { problem: { line: 2, column: 1, reason: expect.any(String) } },
      },
    ],
    [
      'a broken member',
      'bea',
      { bea: TWO },
      { code: 'member_gone', message: 'The file of `bea` is broken, and no version of it can run: mend it first.' },
    ],
  ])('is refused for %s', async (_title, id, texts, refusal) => {
    const { tested, members, events } = await someMembers(texts);
    members.set('bea', undefined);
    await expect(tested.run(id, {})).rejects.toMatchObject(refusal);
    expect(events.filter((event) => event.startsWith('team.tests.started'))).toEqual([]);
  });

  it('does not begin when its start cannot be stored, and can be repeated', async () => {
    const { tested, disk, events } = await someMembers();
    disk.isFull = true;
    await expect(tested.run('ada', {})).rejects.toMatchObject({ code: 'no_space' });
    expect(events).toEqual([]);
    expect((await tested.get('ada')).running).toBe(false);
    disk.isFull = false;
    expect(await tested.runToEnd('ada')).toMatchObject({ outcome: 'finished' });
  });

  it('that breaks off is interrupted, with a warning, and the results before are kept', async () => {
    const { tested, warnings } = await someMembers({ ada: `${TWO}\n## Fault?\n- says: a\n` });
    expect(await tested.runToEnd('ada')).toEqual({ passed: 2, failed: 0, outcome: 'interrupted' });
    expect(warnings).toEqual(['The tests of ada broke off: a fault']);
  });

  it('of some questions keeps the other results in the order of the file, while nothing has changed', async () => {
    const { tested, members, text } = await someMembers();
    const passed = async (only?: number[]) => {
      await tested.run('ada', only ? { only } : {});
      await settled(tested);
      return (await tested.get('ada')).last_run?.results.map((result) => [result.question, result.passed]);
    };
    text.answer = 'At dawn.';
    expect(await passed()).toEqual([
      ['A?', false],
      ['B?', false],
    ]);
    text.answer = 'At dusk.';
    expect(await passed([1])).toEqual([
      ['A?', false],
      ['B?', true],
    ]);
    expect(await passed([0])).toEqual([
      ['A?', true],
      ['B?', true],
    ]);
    members.set('ada', version('ada', { body: 'Another.' }));
    expect(await passed([1])).toEqual([['B?', true]]);
  });

  it('of a member that changed meanwhile counts for neither version', async () => {
    const { tested, members, untilHeld, finish } = await someMembers({ ada: TWO }, ['A?']);
    await tested.run('ada', {});
    await untilHeld();
    members.set('ada', version('ada', { exposure: 'external', revision: 'r2' }));
    finish();
    await settled(tested);
    expect((await tested.get('ada')).last_run).toMatchObject({ current: true, member_revision: 'r1' });
    await tested.run('ada', {});
    await untilHeld();
    members.set('ada', version('ada', { body: 'Another.' }));
    finish();
    await settled(tested);
    expect((await tested.get('ada')).last_run).toMatchObject({ outcome: 'finished', current: false });
    members.set('ada', version('ada'));
    expect((await tested.get('ada')).last_run).toMatchObject({ current: false });
  });

  it('of a member that was removed meanwhile leaves nothing behind', async () => {
    const { tested, members, hooks, disk, events, warnings, cancelled, untilHeld } = await someMembers({ ada: TWO }, [
      'B?',
    ]);
    const ended = tested.runToEnd('ada');
    await untilHeld();
    members.set('ada', undefined);
    for (const hook of [...hooks.removed, ...hooks.gone]) await hook('ada', 'edit');
    expect(await ended).toEqual({ passed: 0, failed: 0, outcome: 'interrupted' });
    expect([disk.content, cancelled, warnings]).toEqual([{}, ['req-B?'], []]);
    expect(events.at(-1)).toBe('team.tests.ended ada');
  });

  it('warns when the run of such a member cannot be deleted', async () => {
    const { tested, members, disk, warnings, untilHeld, finish } = await someMembers({ ada: TWO }, ['B?']);
    const ended = tested.runToEnd('ada');
    await untilHeld();
    members.set('ada', undefined);
    disk.isFull = true;
    finish();
    await ended;
    expect(warnings).toContain('The disk is full.');
  });

  it('ends as cancelled when the operator says so, and as interrupted when the daemon stops', async () => {
    const { tested, cancelled, untilHeld } = await someMembers({ ada: TWO }, ['B?']);
    const ended = tested.runToEnd('ada');
    await untilHeld();
    expect(await tested.cancel('ada')).toMatchObject({ running: false, last_run: { outcome: 'cancelled', passed: 1 } });
    expect(await ended).toEqual({ passed: 1, failed: 0, outcome: 'cancelled' });
    const again = tested.runToEnd('ada');
    await untilHeld();
    await tested.stop();
    expect(await again).toEqual({ passed: 1, failed: 0, outcome: 'interrupted' });
    expect(cancelled).toEqual(['req-B?', 'req-B?']);
    await expect(tested.run('ada', {})).rejects.toMatchObject({ code: 'in_flight' });
  });
});

describe('a member that its tests held', () => {
  it('is opened when its file, its tests or their result change', async () => {
    const { tested, hooks, exposure, events, path } = await someMembers();
    for (const hook of hooks.changed) await hook('ada');
    writeFileSync(path('ada'), BLOCKING);
    await tested.look('ada', false);
    expect(exposure.opened).toEqual(['ada', 'ada']);
    expect(events).toEqual(['team.tests.changed ada']);
  });

  it('loses its last run when it is removed', async () => {
    const { tested, hooks, disk } = await someMembers();
    await tested.runToEnd('ada');
    for (const hook of [...hooks.removed, ...hooks.gone]) await hook('ada', 'edit');
    expect([disk.content, (await tested.get('ada')).last_run]).toEqual([{}, null]);
    await expect(tested.cancel('nobody')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('stays held with a warning when it cannot be opened', async () => {
    const { tested, exposure, warnings } = await someMembers();
    exposure.failure = new Error('no token');
    expect(await tested.runToEnd('ada')).toMatchObject({ outcome: 'finished' });
    expect(warnings).toEqual(['Member ada: no token']);
  });

  it('is shown so while it could not be opened, and not when it is open', async () => {
    const { tested, members, exposure } = await someMembers({ ada: BLOCKING });
    const isHeld = async () => (await tested.get('ada')).holds_door;
    expect(await isHeld()).toBe(true);
    members.set('ada', version('ada', { exposure: 'external' }));
    expect(await isHeld()).toBe(false);
    exposure.held = true;
    expect(await isHeld()).toBe(true);
    members.set('ada', undefined);
    expect(await isHeld()).toBe(false);
    members.set('ada', version('ada'));
    await tested.runToEnd('ada');
    expect(await isHeld()).toBe(false);
  });

  it('is told why, and its card shows the result', async () => {
    const { tested, text } = await someMembers({ ada: BLOCKING });
    expect(tested.findHold(version('ada'))).toContain('were never run');
    expect(tested.findHold(version('bea'))).toBeUndefined();
    expect(tested.cardTests(version('ada'))).toMatchObject({ passed: 0, at: null });
    expect(tested.cardTests(version('bea'))).toBeUndefined();
    text.answer = 'At dawn.';
    await tested.runToEnd('ada');
    expect(tested.findHold(version('ada'))).toContain('2 of 2 tests of `ada` failed');
    expect(tested.cardTests(version('ada'))).toMatchObject({ passed: 0, failed: 2, current: true });
  });
});

describe('the tests of the members', () => {
  it('are listed in the order of the roster, each as it is on disk', async () => {
    const { tested, members, path } = await someMembers({ bea: TWO });
    members.set('bea', undefined);
    members.set('cleo', version('cleo'));
    writeFileSync(path('cleo'), BLOCKING);
    expect(await tested.list()).toMatchObject({
      members: [
        { id: 'ada', exists: false, count: 0 },
        { id: 'bea', exists: true, count: 2, holds_door: false },
        { id: 'cleo', exists: true, count: 2, holds_door: true },
      ],
      count: 3,
    });
  });

  it('are written for a member that exists, when they can be read and the revision is right', async () => {
    const { tested, events, path } = await someMembers({});
    const write = (id: string, text: string, revision: string | null) => tested.write(id, { text, revision });
    await expect(write('nobody', TWO, null)).rejects.toMatchObject({ code: 'not_found' });
    await expect(write('ada', '## A?\n', null)).rejects.toMatchObject({ code: 'bad_request' });
    await expect(write('ada', TWO, 'r')).rejects.toMatchObject({ code: 'file_changed' });
    expect(events).toEqual([]);
    const { revision, text } = await write('ada', TWO, null);
    expect([text, readFileSync(path('ada'), 'utf8')]).toEqual([TWO, TWO]);
    expect(events).toEqual(['team.tests.changed ada']);
    expect((await write('ada', BLOCKING, revision)).blocks_exposure).toBe(true);
  });

  it('take the question of a request of a member that exists, unless it makes a text that is refused', async () => {
    const { tested, members, path } = await someMembers();
    expect((await tested.addFromRequest('req-1', {})).tests).toHaveLength(3);
    expect(readFileSync(path('ada'), 'utf8')).toBe(`${TWO}\n## Where?\n\n- not found\n`);
    writeFileSync(path('ada'), '## A?\n');
    await expect(tested.addFromRequest('req-1', {})).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'text' } },
    });
    expect(readFileSync(path('ada'), 'utf8')).toBe('## A?\n');
    members.delete('ada');
    await expect(tested.addFromRequest('req-1', {})).rejects.toMatchObject({ code: 'not_found' });
  });
});
