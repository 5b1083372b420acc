import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RequestDetail, RequestList } from '../../contract/asks.js';
import type { MemberTests, MemberTestsList } from '../../contract/member-tests.js';
import {
  BLOCKING,
  event,
  FAILING,
  finish,
  getTestFilePath,
  member,
  put,
  read,
  refusal,
  TESTS,
} from '../../testing/apps/member-testing.js';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import type { Turn } from '../clients/client.js';

it('the description of the API tells what these requests do, and who may make them', async () => {
  const paths = /^\/(tests|team\/\{id\}\/tests.*|requests\/\{rid\}\/test)$/;
  expect(await describedOperations(await testApp(), paths)).toEqual({
    'GET /tests': 'team, operator, 200 MemberTestsList, Summary of the contract tests of all members',
    'GET /team/{id}/tests': 'team, operator, 200 MemberTests, Contract tests of a member and their last run',
    'PUT /team/{id}/tests': 'team, operator, 200 MemberTests, Write the tests of a member',
    'POST /team/{id}/tests/run': 'team, operator, 202 MemberTests, Run all or some tests; returns at once',
    'POST /team/{id}/tests/cancel': 'team, operator, 200 MemberTests, Cancel the running tests',
    'POST /requests/{rid}/test':
      'requests, operator, 201 MemberTests, Make the question of a request one of the tests of its member',
  });
});

describe('a run of the tests of a member', () => {
  it('sends each question as an ask, judges the answers, and keeps the result after a restart', async () => {
    const app = await testApp();
    expect((await put(app, 'consultant', FAILING)).status).toBe(200);
    await app.untilIndexed();
    const tests = await finish(app, 'consultant');
    expect(tests).toMatchObject({
      exists: true,
      problem: null,
      running: false,
      progress: null,
      blocks_exposure: false,
      path: '.mesh/asks/consultant.md',
    });
    expect(tests.last_run).toMatchObject({ outcome: 'finished', passed: 2, failed: 1, current: true });
    expect(tests.last_run?.results.map(({ passed, failures }) => [passed, failures])).toEqual([
      [true, []],
      [true, []],
      [false, ['Does not say "at high noon".']],
    ]);
    // The tests cannot be read by the agents that answer.
    expect((await app.call('GET', '/project/file?path=.mesh/asks/consultant.md&start=1&end=2')).status).toBe(404);
    const ids = tests.last_run?.results.map(({ request_id }) => request_id) ?? [];
    const request = (await app.call('GET', `/requests/${ids[0]}`)).body as RequestDetail;
    expect(request).toMatchObject({ status: 'done', member: 'consultant', caller: { user_agent: null, test: true } });
    expect(new Set(ids).size).toBe(3);

    await app.stop();
    const again = await testApp({ root: app.root });
    expect((await read(again, 'consultant')).last_run).toEqual(tests.last_run);
  });

  it('includes internal members, and is hidden from every member token', async () => {
    const app = await testApp();
    await app.call('PATCH', '/team/developer', { tools: ['read', 'search'] });
    await put(app, 'developer', TESTS);
    const tests = await finish(app, 'developer');
    expect(tests.last_run).toMatchObject({ passed: 2, failed: 0 });
    expect(await member(app, 'developer')).toMatchObject({ exposure: 'internal' });

    await put(app, 'consultant', TESTS);
    const { last_run } = await finish(app, 'consultant');
    const token = await app.getToken('consultant');
    const rid = last_run?.results[0]?.request_id;
    const peek = await app.call('GET', `/team/requests/${rid}`, undefined, { authorization: `Bearer ${token}` });
    expect(peek.status).toBe(404);
    const log = (await app.call('GET', '/requests')).body as RequestList;
    expect(log.requests.filter(({ caller }) => caller.test)).toHaveLength(4);
  });

  it('asks one question at a time, without counting towards the limit of outside callers', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    await put(app, 'consultant', FAILING);
    await app.call('POST', '/team/consultant/tests/run', {});
    await agent.untilHeld(1);
    const bearer = { authorization: `Bearer ${await app.getToken('consultant')}` };
    const asks = Array.from({ length: 8 }, (_, n) =>
      app.call('POST', '/team/consultant/ask', { text: `Question ${n}?` }, bearer),
    );
    const statuses = (await Promise.all(asks)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 202)).toHaveLength(6);
    const progress = (await read(app, 'consultant')).progress;
    expect(progress).toMatchObject({
      total: 3,
      asking: 'On which port does it listen?',
      results: [],
      request_id: expect.stringMatching(/^req-/),
    });
    const twice = await app.call('POST', '/team/consultant/tests/run', {});
    expect([twice.status, refusal(twice).error]).toEqual([409, 'in_flight']);
  });

  it('goes on when its member is hidden, which ends the asks of other programs only', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    await put(app, 'consultant', '## On which port?\n- says: Thinking\n');
    await app.call('POST', '/team/consultant/tests/run', {});
    await agent.untilHeld(1);
    const { request_id } = await app.ask('consultant', { text: 'And when?' });
    await agent.untilHeld(2);
    expect((await app.call('PATCH', '/team/consultant', { exposure: 'internal' })).status).toBe(200);
    expect((await app.call('GET', `/requests/${request_id}`)).body).toMatchObject({ error: { code: 'member_gone' } });
    expect(await read(app, 'consultant')).toMatchObject({ running: true });
    const ended = event(app, 'team.tests.ended', 'consultant');
    agent.finishAll();
    await ended;
    expect((await read(app, 'consultant')).last_run).toMatchObject({ outcome: 'finished', passed: 1, failed: 0 });
  });

  it('can be cancelled with its current question, keeps earlier results, and does not count as passed', async () => {
    const agent = new ScriptedAgent('acp', (turn, signal, self) =>
      turn.text.includes('port') ? answers('8123') : heldAnswer(turn, signal, self),
    );
    const app = await testApp({ clients: [agent] });
    await put(app, 'developer', BLOCKING('## On which port?\n- says: 8123\n\n## When?\n- says: dusk\n'));
    await app.call('POST', '/team/developer/tests/run', {});
    await agent.untilHeld(1);
    const { progress } = await read(app, 'developer');
    const cancelled = await app.call('POST', '/team/developer/tests/cancel');
    expect(cancelled.body).toMatchObject({
      running: false,
      last_run: { outcome: 'cancelled', passed: 1, failed: 0 },
      holds_door: true,
    });
    expect((await app.call('GET', `/requests/${progress?.request_id}`)).body).toMatchObject({
      status: 'error',
      error: { code: 'cancelled' },
    });
    // Without a run, cancel does nothing.
    expect((await app.call('POST', '/team/developer/tests/cancel')).status).toBe(200);
  });

  it('is reported as interrupted after a restart', async () => {
    const agent = new ScriptedAgent('acp', heldAnswer);
    const app = await testApp({ clients: [agent] });
    await put(app, 'developer', TESTS);
    await app.call('POST', '/team/developer/tests/run', {});
    await agent.untilHeld(1);
    // The state that a killed daemon leaves.
    const file = join(app.root, '.mesh/state/member-tests.json');
    const underWay = readFileSync(file, 'utf8');
    await app.stop();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ developer: { outcome: 'interrupted' } });
    writeFileSync(file, underWay);
    const again = await testApp({ root: app.root });
    expect((await read(again, 'developer')).last_run).toMatchObject({
      outcome: 'interrupted',
      passed: 0,
      failed: 0,
      results: [],
    });
  });

  it('can be limited to some questions, and keeps the other results while nothing has changed', async () => {
    let port = 'nowhere';
    const agent = new ScriptedAgent('acp', (turn: Turn) => answers(turn.text.includes('port') ? port : 'dusk'));
    const app = await testApp({ clients: [agent] });
    const text = '## On which port?\n- says: 8123\n\n## When?\n- says: dusk\n';
    const { revision } = (await put(app, 'developer', text)).body as MemberTests;
    expect((await finish(app, 'developer')).last_run).toMatchObject({ passed: 1, failed: 1 });
    port = '8123';
    const mended = await finish(app, 'developer', { only: [0] });
    expect(mended.last_run).toMatchObject({ outcome: 'finished', passed: 2, failed: 0 });
    expect(agent.turns).toHaveLength(3);
    await put(app, 'developer', `${text}- never says: dawn\n`, revision);
    expect((await read(app, 'developer')).last_run).toMatchObject({ current: false });
    expect((await finish(app, 'developer', { only: [1] })).last_run).toMatchObject({
      passed: 1,
      failed: 0,
      current: true,
    });
    const beyond = await app.call('POST', '/team/developer/tests/run', { only: [2] });
    expect([beyond.status, refusal(beyond).path]).toEqual([400, 'only']);
  });

  it('fails a question without an answer or with a permission request, with the reason', async () => {
    const agent = new ScriptedAgent('acp', async function* (turn, _signal, _agent, decide) {
      if (turn.text.includes('edit'))
        yield { type: 'text', text: await decide({ tool: 'edit', target: 'a', reason: '' }) };
      else throw new Error('out of order');
      yield { type: 'end', citations: [] };
    });
    const app = await testApp({ clients: [agent] });
    await put(app, 'developer', '## What?\n- says: a\n\n## Can you edit it?\n- says: a\n');
    const ended = event(app, 'team.tests.ended', 'developer');
    const waits = new Promise<void>((resolve) =>
      app.daemon.bus.watch(({ type }) => type === 'team.request.needs_input' && resolve()),
    );
    await app.call('POST', '/team/developer/tests/run', {});
    await waits;
    app.clock.advance(61_000);
    await ended;
    const { last_run } = await read(app, 'developer');
    expect(last_run?.results).toMatchObject([
      { passed: false, error_code: 'client_failed', failures: [expect.stringMatching(/^It did not answer: /)] },
      { passed: false, error_code: 'needs_permission', failures: [expect.stringMatching(/^It did not answer: /)] },
    ]);
  });

  it('is rejected without a test file, for an invalid file and for an unknown member', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    const run = async (id: string) =>
      (await app.call('POST', `/team/${id}/tests/run`, {})).body as { error: string; message: string };
    expect(await run('developer')).toMatchObject({
      error: 'not_found',
      message: expect.stringContaining('meshd team test developer --init'),
    });
    expect(await run('nobody')).toMatchObject({ error: 'not_found' });
    expect(await run('constructor')).toMatchObject({ error: 'not_found' });
    mkdirSync(join(app.root, '.mesh/asks'));
    writeFileSync(getTestFilePath(app, 'developer'), '## A?\n- say: a\n');
    expect(await run('developer')).toMatchObject({
      error: 'bad_request',
      message: expect.stringContaining('line 2'),
      problem: { line: 2 },
    });
    expect(await read(app, 'developer')).toMatchObject({
      problem_line: 2,
      problem: expect.stringContaining('not an expectation'),
      tests: [],
    });
  });
});

describe('the test file', () => {
  it('is replaced by revision, rejected with its problem, and suggested when missing', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    const none = await read(app, 'consultant');
    expect(none).toMatchObject({
      exists: false,
      text: null,
      revision: null,
      tests: [],
      last_run: null,
      starter: expect.stringContaining('## '),
    });
    const written = await put(app, 'consultant', none.starter ?? '');
    expect(written.body).toMatchObject({
      exists: true,
      text: none.starter,
      starter: null,
      problem: null,
      tests: { length: 5 },
    });
    expect(readFileSync(getTestFilePath(app, 'consultant'), 'utf8')).toBe(none.starter);

    const { revision } = written.body as MemberTests;
    for (const stale of [null, 'f'.repeat(64)]) {
      const refused = await put(app, 'consultant', TESTS, stale);
      expect([refused.status, refusal(refused).error, refusal(refused).revision]).toEqual([
        412,
        'file_changed',
        revision,
      ]);
    }
    const wrong = await put(app, 'consultant', '## A?\n- say: a\n', revision);
    expect([wrong.status, refusal(wrong).problem]).toEqual([400, { line: 2, column: 1, reason: expect.any(String) }]);
    const secret = await put(app, 'consultant', `## A?\n- says: mk_${'a1'.repeat(16)}\n`, revision);
    expect([secret.status, refusal(secret).error]).toEqual([400, 'secret_in_member_file']);
    expect((await put(app, 'consultant', `## A?\n- says: a\n<!-- ${'x'.repeat(262_144)} -->`, revision)).status).toBe(
      413,
    );
    expect((await put(app, 'nobody', TESTS)).status).toBe(404);
    expect((await app.call('PUT', '/team/..%2f..%2fx/tests', { text: TESTS, revision: null })).status).toBe(400);
    expect((await put(app, 'consultant', TESTS, revision)).body).toMatchObject({ text: TESTS });
  });

  it('is neither read nor written through a symbolic link', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    mkdirSync(join(app.root, '.mesh/asks'));
    symlinkSync(join(app.root, 'README.md'), getTestFilePath(app, 'developer'));
    const tests = await read(app, 'developer');
    expect(tests).toMatchObject({
      exists: true,
      text: null,
      tests: [],
      blocks_exposure: true,
      problem: expect.stringContaining('symbolic link'),
    });
    expect((await put(app, 'developer', TESTS, '')).status).toBe(412);
    rmSync(join(app.root, '.mesh/asks'), { recursive: true });
    symlinkSync(join(app.root, 'src'), join(app.root, '.mesh/asks'));
    expect(await read(app, 'consultant')).toMatchObject({ problem: expect.stringContaining('symbolic link') });
    expect((await put(app, 'consultant', TESTS, '')).status).toBe(403);
    expect(existsSync(join(app.root, 'src/consultant.md'))).toBe(false);
  });

  it('is read again after a change on disk, which is published', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', heldAnswer)] });
    await put(app, 'developer', TESTS);
    const changed = event(app, 'team.tests.changed', 'developer');
    writeFileSync(getTestFilePath(app, 'developer'), FAILING);
    await changed;
    const { members } = (await app.call('GET', '/tests')).body as MemberTestsList;
    expect(members).toHaveLength(9);
    expect(members.filter(({ exists }) => exists)).toMatchObject([
      { id: 'developer', count: 3, last_run: null, running: false },
    ]);
  });
});

describe('the question of a request', () => {
  it('becomes a test with what a good answer cites, or with the places named for a bad one', async () => {
    const app = await testApp();
    const text = 'On which\n\nport does it listen?';
    const { request_id } = await app.ask('consultant', { text });
    await app.poll('consultant', request_id, 30);
    const add = (body: object) => app.call('POST', `/requests/${request_id}/test`, body);
    const rate = (value: string) => app.call('PUT', `/requests/${request_id}/rating`, { value });
    expect(await add({})).toMatchObject({ status: 400, body: { message: expect.stringMatching(/^Rate the answer/) } });
    await rate('down');
    expect(await add({})).toMatchObject({ status: 400, body: { path: 'cites' } });
    expect(await add({ cites: ['../secret'] })).toMatchObject({ status: 400, body: { path: 'cites' } });
    expect(existsSync(getTestFilePath(app, 'consultant'))).toBe(false);

    await rate('up');
    expect(await add({})).toMatchObject({
      status: 201,
      body: {
        problem: null,
        tests: [
          {
            question: 'On which port does it listen?',
            cites: expect.arrayContaining([expect.stringMatching(/^README/)]),
          },
        ],
      },
    });
    const written = readFileSync(getTestFilePath(app, 'consultant'), 'utf8');
    expect((await add({})).status).toBe(201);
    expect(readFileSync(getTestFilePath(app, 'consultant'), 'utf8')).toBe(written);
    expect((await add({ cites: ['src/dusk.ts'] })).body).toMatchObject({ error: 'bad_request' });
    expect((await finish(app, 'consultant')).last_run).toMatchObject({ passed: 1, failed: 0 });
  });

  it('is added to the tests that are there, and to none that cannot be read', async () => {
    const app = await testApp();
    await put(app, 'consultant', TESTS);
    const { request_id } = await app.ask('consultant', { text: 'When do the lights go on?' });
    await app.poll('consultant', request_id, 30);
    const add = () => app.call('POST', `/requests/${request_id}/test`, { cites: ['src/dusk.ts:4'] });
    const { tests } = (await add()).body as MemberTests;
    expect(tests).toHaveLength(3);
    expect(tests[2]).toMatchObject({ question: 'When do the lights go on?', cites: ['src/dusk.ts:4'] });
    writeFileSync(getTestFilePath(app, 'consultant'), '## No expectation\n');
    expect((await add()).status).toBe(400);
    expect(readFileSync(getTestFilePath(app, 'consultant'), 'utf8')).toBe('## No expectation\n');
  });
});
