import { describe, expect, it } from 'vitest';
import type { Permission, PermissionList } from '../../contract/conversations.js';
import type { EventFrame, EventWithType } from '../../contract/events.js';
import type { PermissionRuleList } from '../../contract/permissions.js';
import { asking, begin, ended, events, get, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';

describe('a permission request', () => {
  async function asked(app: TestApp, conv: string): Promise<Permission> {
    const client = await events(app);
    await postMessage(app, conv, 'go');
    const frame = await client.until(({ type }) => type === 'turn.permission');
    return (frame as Extract<EventFrame, { type: 'turn.permission' }>).permission;
  }

  it.each(['allow_once', 'deny'] as const)(
    'waits for the operator, whose decision %s is returned to the agent',
    async (decision) => {
      const app = await testApp({ clients: [asking()] });
      const { conv } = await begin(app);
      const client = await events(app);
      const question = await asked(app, conv);
      expect(question).toMatchObject({ tool: 'edit', target: 'src/a.ts', reason: 'to mend it', decision: null });
      expect((await get(app, conv)).permissions).toEqual([question]);
      const path = `/conversations/${conv}/permissions/${question.pid}`;
      expect((await app.call('POST', path, { decision })).body).toMatchObject({ decision, decided_by: 'operator' });
      await ended(client, question.turn);
      expect((await read(app, conv)).messages.at(-1)?.text).toBe(`May I? ${decision}`);
      expect((await app.call('POST', path, { decision })).status).toBe(404);
    },
  );

  it('is made only once for a tool and conversation that the operator always allowed', async () => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const client = await events(app);
    const question = await asked(app, conv);
    await app.call('POST', `/conversations/${conv}/permissions/${question.pid}`, { decision: 'allow_always' });
    await ended(client, question.turn);
    await ended(client, (await postMessage(app, conv, 'again')).turn);
    expect((await read(app, conv)).messages.at(-1)?.text).toBe('May I? allow_always');
    const other = await begin(app);
    expect((await asked(app, other.conv)).decision).toBeNull();
  });

  it('is decided through its own conversation only: another one has no such request, and it stays open', async () => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const other = await begin(app);
    const { pid, turn } = await asked(app, conv);
    const decide = (of: string, decision: string) =>
      app.call('POST', `/conversations/${of}/permissions/${pid}`, { decision });
    expect(await decide(other.conv, 'allow_once')).toMatchObject({ status: 404, body: { error: 'not_found' } });
    expect((await get(app, conv)).permissions).toMatchObject([{ pid, decision: null }]);
    const client = await events(app);
    expect((await decide(conv, 'deny')).status).toBe(200);
    await ended(client, turn);
    expect((await read(app, conv)).messages.at(-1)?.text).toBe('May I? deny');
  });

  it('of an outside ask sets needs_input, and after 60 s ends the ask as needs_permission', async () => {
    const app = await testApp({ clients: [asking()] });
    const client = await events(app);
    const { request_id } = await app.ask('consultant', { text: 'go' });
    await client.until(({ type }) => type === 'turn.permission');
    expect((await app.poll('consultant', request_id)).status).toBe('needs_input');
    app.clock.advance(60_000);
    const record = await app.poll('consultant', request_id, 30);
    expect(record).toMatchObject({ status: 'error', error: { code: 'needs_permission' } });
  });

  it('does not count towards the time limit of the run, and is denied by a restart', async () => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const question = await asked(app, conv);
    app.clock.advance(45 * 60_000);
    expect((await get(app, conv)).running).toBe(question.turn);
    await app.stop();
    const again = await testApp({ root: app.root, clock: app.clock, clients: [asking()] });
    expect(await get(again, conv)).toMatchObject({ running: null, permissions: [] });
    expect((await read(again, conv)).turns).toMatchObject([{ outcome: 'failed', code: 'daemon_restarted' }]);
    expect(
      (await again.call('POST', `/conversations/${conv}/permissions/${question.pid}`, { decision: 'allow_once' }))
        .status,
    ).toBe(404);
  });

  it('has exactly one decision, the first, under concurrent requests', async () => {
    const app = await testApp({ clients: [asking()] });
    const { conv } = await begin(app);
    const client = await events(app);
    const question = await asked(app, conv);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, count) =>
        app.call('POST', `/conversations/${conv}/permissions/${question.pid}`, {
          decision: count % 2 === 0 ? 'deny' : 'allow_once',
        }),
      ),
    );
    const given = answers.filter(({ status }) => status === 200).map(({ body }): Permission => body);
    expect([given.length, answers.filter(({ status }) => status === 404).length]).toEqual([1, 19]);
    const decision = given[0]?.decision;
    await ended(client, question.turn);
    expect((await read(app, conv)).messages.at(-1)?.text).toBe(`May I? ${decision}`);
    const told = client.frames.flatMap((frame) =>
      frame.type === 'turn.permission' ? [frame.permission.decision] : [],
    );
    expect(told).toEqual([null, decision]);
  });

  it('of an outside ask is made each time, whatever was always allowed before', async () => {
    const app = await testApp({ clients: [asking()] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const { conv } = await begin(app, { member: 'architect-master' });
    const client = await events(app);
    const own = await asked(app, conv);
    await app.call('POST', `/conversations/${conv}/permissions/${own.pid}`, { decision: 'allow_always' });
    await ended(client, own.turn);
    for (const turn of ['first', 'second']) {
      const { request_id } = await app.ask('architect-master', { text: 'go', session: 'one' });
      const { permission } = (await client.until(
        (frame) => frame.type === 'turn.permission' && frame.permission.decision === null,
      )) as EventWithType<'turn.permission'>;
      expect(permission, turn).toMatchObject({ always: [], scopes: [] });
      expect((await app.poll('architect-master', request_id)).status).toBe('needs_input');
      const path = `/conversations/${permission.conv}/permissions/${permission.pid}`;
      await app.call('POST', path, { decision: 'allow_always' });
      expect((await app.poll('architect-master', request_id, 30)).status).toBe('done');
    }
    expect((await app.call('GET', '/permissions/rules')).body).toMatchObject({ count: 1 });
  });
});

describe('GET /permissions', () => {
  const list = async (app: TestApp, query = '') =>
    (await app.call('GET', `/permissions${query}`)).body as PermissionList;

  it('lists open requests of all conversations, including archived ones, oldest first', async () => {
    const app = await testApp({ clients: [asking()] });
    expect(await list(app)).toEqual({ permissions: [], count: 0, next_cursor: null });
    const client = await events(app);
    const first = await begin(app, { member: 'developer', title: 'Mend it' });
    const { turn } = await postMessage(app, first.conv, 'go');
    await client.until(({ type }) => type === 'turn.permission');
    await app.call('PATCH', `/conversations/${first.conv}`, { archived: true });
    app.clock.advance(1_000);
    const { conv } = await app.ask('consultant', { text: 'go' });
    await client.until(({ type }) => type === 'turn.permission');
    const asked = Date.UTC(2026, 10, 21, 12, 0, 0);
    const at = (seconds: number) => new Date(asked + seconds * 1000).toISOString();
    const { permissions, count, next_cursor } = await list(app);
    expect([count, next_cursor]).toEqual([2, null]);
    const question = {
      ...{ tool: 'edit', target: 'src/a.ts', reason: 'to mend it', detail: null, decision: null, decided_by: null },
    };
    expect(permissions).toEqual([
      {
        ...question,
        pid: expect.stringMatching(/^perm-/),
        conv: first.conv,
        turn,
        member: 'developer',
        always: [{ match: 'tool', value: 'edit' }],
        scopes: ['conversation', 'member'],
        title: 'Mend it',
        from_outside: false,
        created_at: at(0),
        expires_at: at(3_600),
      },
      {
        ...question,
        pid: expect.stringMatching(/^perm-/),
        conv,
        turn: expect.stringMatching(/^turn-/),
        member: 'consultant',
        always: [],
        scopes: [],
        title: 'go',
        from_outside: true,
        created_at: at(1),
        expires_at: at(61),
      },
    ]);
    const [one, two] = permissions;
    await app.call('POST', `/conversations/${one?.conv}/permissions/${one?.pid}`, { decision: 'deny' });
    expect((await list(app)).permissions).toEqual([two]);
    app.clock.advance(60_000);
    await client.until((frame) => frame.type === 'turn.ended' && frame.turn === two?.turn);
    expect((await list(app)).count).toBe(0);
  });

  it('returns pages, and rejects an invalid cursor', async () => {
    const app = await testApp({ clients: [asking()] });
    const client = await events(app);
    for (let asked = 0; asked < 5; asked += 1) {
      await postMessage(app, (await begin(app)).conv, 'go');
      await client.until(({ type }) => type === 'turn.permission');
    }
    const whole = (await list(app)).permissions;
    const paged: Permission[] = [];
    let query = '?limit=2';
    for (const size of [2, 2, 1]) {
      const { permissions, count, next_cursor } = await list(app, query);
      expect([permissions.length, count, next_cursor === null]).toEqual([size, size, size === 1]);
      paged.push(...permissions);
      query = `?limit=2&cursor=${next_cursor}`;
    }
    expect(paged).toEqual(whole);
    for (const wrong of [
      'cursor=x',
      'cursor=1',
      'cursor=1.2.3',
      `cursor=${'9'.repeat(30)}.1`,
      'limit=0',
      'limit=201',
      'member=x',
    ]) {
      expect([wrong, (await app.call('GET', `/permissions?${wrong}`)).status]).toEqual([wrong, 400]);
    }
  });
});

describe('a permission rule', () => {
  const detail = { kind: 'command', command: 'npm run lint', folder: '/p', environment: ['PATH'] } as const;
  const always = (value: string, scope: 'conversation' | 'member', match = 'command_prefix') => ({
    decision: 'allow_always',
    always: { match, value, scope },
  });
  const list = async (app: TestApp) => (await app.call('GET', '/permissions/rules')).body as PermissionRuleList;

  /** Sends a message; returns the question that it leads to, or the answer when a rule allowed it. */
  async function send(app: TestApp, conv: string): Promise<{ question?: Permission; text?: string | undefined }> {
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'go');
    const frame = await client.until(({ type }) => type === 'turn.permission' || type === 'turn.ended');
    if (frame.type === 'turn.permission') return { question: frame.permission };
    expect(frame).toMatchObject({ turn });
    return { text: (await read(app, conv)).messages.at(-1)?.text };
  }

  it('of a member holds in its other conversations, is counted, and asks again once it is taken back', async () => {
    const app = await testApp({ clients: [asking({ ...detail, environment: ['PATH'] })] });
    const { conv } = await begin(app);
    const { question } = await send(app, conv);
    expect(question).toMatchObject({ detail, scopes: ['conversation', 'member'] });
    const path = `/conversations/${conv}/permissions/${question?.pid}`;
    for (const wrong of [always('npm', 'member'), always('npm run lint', 'member', 'tool')])
      expect((await app.call('POST', path, wrong)).body).toMatchObject({ error: 'bad_request' });
    const once = { ...always('npm run', 'member'), decision: 'allow_once' };
    expect((await app.call('POST', path, once)).status).toBe(400);
    const client = await events(app);
    expect((await app.call('POST', path, always('npm run', 'member'))).status).toBe(200);
    await ended(client, question?.turn ?? '');
    const other = await begin(app);
    expect((await send(app, other.conv)).text).toBe('May I? allow_always');
    const { rules } = await list(app);
    expect(rules).toMatchObject([
      { match: 'command_prefix', value: 'npm run', scope: 'member', member: 'developer', conv, uses: 1 },
    ]);
    const [rule] = rules;
    expect((await app.call('DELETE', `/permissions/rules/${rule?.rule}`)).body).toEqual(rule);
    expect((await app.call('DELETE', `/permissions/rules/${rule?.rule}`)).status).toBe(404);
    expect((await send(app, other.conv)).question).toBeDefined();
  });

  it('without a choice is the narrowest, in its conversation, and goes with it', async () => {
    const app = await testApp({ clients: [asking({ ...detail, environment: [] })] });
    const { conv } = await begin(app);
    const { question } = await send(app, conv);
    const client = await events(app);
    await app.call('POST', `/conversations/${conv}/permissions/${question?.pid}`, { decision: 'allow_always' });
    await ended(client, question?.turn ?? '');
    expect((await list(app)).rules).toMatchObject([{ match: 'command', value: 'npm run lint', scope: 'conversation' }]);
    expect((await send(app, (await begin(app)).conv)).question).toBeDefined();
    await app.call('DELETE', `/conversations/${conv}`);
    expect(await list(app)).toEqual({ rules: [], count: 0 });
  });

  it('goes with its member, so that a later one of this name asks again', async () => {
    const app = await testApp({ clients: [asking({ ...detail, environment: [] })] });
    const { conv } = await begin(app);
    const { question } = await send(app, conv);
    const path = `/conversations/${conv}/permissions/${question?.pid}`;
    await app.call('POST', path, always('npm run lint', 'member', 'command'));
    expect((await list(app)).count).toBe(1);
    expect((await app.call('DELETE', '/team/developer')).status).toBe(200);
    expect((await list(app)).count).toBe(0);
  });

  it('is not made for a command that nobody can read to its end: it is denied', async () => {
    const command = `true ${'x'.repeat(40_000)}`;
    const app = await testApp({ clients: [asking({ ...detail, command, environment: [] })] });
    expect((await send(app, (await begin(app)).conv)).text).toBe('May I? deny');
  });
});
