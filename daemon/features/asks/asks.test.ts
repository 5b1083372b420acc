import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { AskAccepted, AskRecord, RequestDetail, RequestList } from '../../contract/asks.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { verifyReceipt } from '../../lib/crypto/receipt.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { events, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, heldAnswer, ScriptedAgent } from '../../testing/processes/scripted-agent.js';

const held = () => new ScriptedAgent('acp', heldAnswer);
const bearer = async (app: TestApp, member = 'consultant') => ({
  authorization: `Bearer ${await app.getToken(member)}`,
});
const QUESTION = { text: 'On which port does it listen?' };

describe('ask and poll', () => {
  it('returns checked citations and a valid receipt, without a model or a key', async () => {
    const app = await testApp();
    const accepted = await app.ask('consultant', QUESTION);
    expect(accepted).toEqual({
      request_id: expect.stringMatching(/^req-[A-Za-z0-9_-]{16}$/),
      conv: expect.stringMatching(/^conv-[A-Za-z0-9_-]{16}$/),
      status: 'queued',
      poll: `/team/requests/${accepted.request_id}`,
    });
    const record = await app.poll('consultant', accepted.request_id, 30);
    expect(record).toMatchObject({ status: 'done', member: 'consultant', client: 'builtin', model: 'builtin' });
    expect(record.result_text).toContain('8123');
    expect(record.citations?.map(({ path, status }) => [path, status])).toContainEqual(['README.md', 'checked']);
    for (const citation of record.citations ?? []) {
      const lines = readFileSync(`${app.root}/${citation.path}`, 'utf8')
        .split('\n')
        .slice(citation.start_line - 1, citation.end_line);
      expect(citation.quote).toBe(lines.join('\n'));
      expect(citation.sha256).toBe(sha256Hex(citation.quote));
    }
    expect(verifyReceipt(record.receipt).valid).toBe(true);
    expect(record.receipt).toMatchObject({
      question_sha256: sha256Hex(QUESTION.text),
      answer_sha256: sha256Hex(record.result_text ?? ''),
    });
    const verdict = await app.call('POST', '/receipts/verify', { receipt: record.receipt });
    expect(verdict.body).toMatchObject({ valid: true, reasons: [], known: true });
  });

  it('stores the documents of an ask for the agent and the operator, as long as the ask', async () => {
    const agent = new ScriptedAgent('acp', () => answers('Read.'));
    const app = await testApp({ clients: [agent] });
    const context_docs = [{ filename: 'notes.md', content: 'Dusk comes early.' }];
    const { request_id, conv } = await app.ask('consultant', { ...QUESTION, context_docs });
    await app.poll('consultant', request_id, 30);
    expect(agent.turns[0]?.context_docs).toEqual(context_docs);
    const detail = async () => (await app.call('GET', `/requests/${request_id}`)).body as unknown as RequestDetail;
    expect((await detail()).context_docs).toEqual(context_docs);
    const kept = (table: string) =>
      openSqlite(join(app.root, '.mesh/state/mesh.db'), { readonly: true })
        .prepare(`SELECT count(*) FROM ${table}`)
        .pluck()
        .get();
    expect((await app.call('DELETE', `/conversations/${conv}`)).status).toBeLessThan(300);
    expect((await detail()).context_docs).toEqual(context_docs);
    await app.stop();
    expect([kept('turn_documents'), kept('ask_documents')]).toEqual([0, 1]);
  });

  it('answers that nothing was found when nothing matches', async () => {
    const app = await testApp();
    const { request_id } = await app.ask('consultant', {
      text: 'Which Kubernetes ingress controller terminates the payments webhook?',
    });
    const record = await app.poll('consultant', request_id, 30);
    expect(record.result_text).toContain('Not found in this project');
    expect(record.citations).toEqual([]);
  });

  it('returns the same 401 for unknown and internal members and for missing and wrong tokens, before parsing the body', async () => {
    const app = await testApp();
    const token = await app.getToken('consultant');
    const tries: [string, Record<string, string>][] = [
      ['nobody', { authorization: `Bearer ${token}` }],
      ['developer', { authorization: `Bearer ${token}` }],
      ['consultant', {}],
      ['consultant', { authorization: 'Bearer mk_wrong' }],
      ['consultant', { authorization: `Bearer ${token}x` }],
      ['consultant', { authorization: `Basic ${token}` }],
      ['..%2fconsultant', { authorization: `Bearer ${token}` }],
    ];
    const replies = await Promise.all(
      tries.map(([id, headers]) => app.call('POST', `/team/${id}/ask`, '{"nonsense": tru', headers)),
    );
    expect(new Set(replies.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect(replies[0]?.status).toBe(401);
  });

  it('64 KiB of a context document are bytes', async () => {
    const app = await testApp();
    const send = async (content: string) =>
      app.call(
        'POST',
        '/team/consultant/ask',
        { text: 'x', context_docs: [{ filename: 'a', content }] },
        await bearer(app),
      );
    expect((await send('é'.repeat(32_768))).status).toBe(202);
    const refused = await send(`${'é'.repeat(32_768)}x`);
    expect([refused.status, refused.body]).toMatchObject([400, { path: 'context_docs.0.content' }]);
  });

  it.each([
    [{}, 'text'],
    [{ text: '' }, 'text'],
    [{ text: 'x'.repeat(16_385) }, 'text'],
    [{ text: 7 }, 'text'],
    [{ text: 'x', session: 'a b' }, 'session'],
    [{ text: 'x', session: 'a'.repeat(49) }, 'session'],
    [{ text: 'x', context_docs: Array(9).fill({ filename: 'a', content: 'b' }) }, 'context_docs'],
    [{ text: 'x', context_docs: [{ filename: 'a', content: 'b', more: 1 }] }, 'context_docs.0.more'],
    [{ text: 'x', question: 'y' }, 'question'],
  ])('rejects body %# with its field path', async (body, path) => {
    const app = await testApp();
    const reply = await app.call('POST', '/team/consultant/ask', body, await bearer(app));
    expect(reply.status).toBe(400);
    expect(reply.body).toMatchObject({ path });
  });

  it('accepts at most six running or queued asks per member, even concurrently, with a Retry-After', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const headers = await bearer(app);
    const burst = () =>
      Promise.all(Array.from({ length: 20 }, () => app.call('POST', '/team/consultant/ask', QUESTION, headers)));
    const replies = (await Promise.all([burst(), burst()])).flat();
    expect(replies.filter(({ status }) => status === 202)).toHaveLength(6);
    const refused = replies.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(34);
    expect(refused[0]?.headers.get('retry-after')).toMatch(/^\d+$/);
    expect(refused[0]?.body).toMatchObject({ error: 'too_many_requests' });
  });

  it('runs four asks at once, reports the queue position, and starts the next as asks end', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const asks: AskAccepted[] = [];
    for (let i = 0; i < 6; i += 1) asks.push(await app.ask('consultant', QUESTION));
    await agent.untilHeld(4);
    const position = async (i: number) =>
      (await app.poll('consultant', (asks[i] as AskAccepted).request_id)).queue_position;
    expect([await position(3), await position(4), await position(5)]).toEqual([undefined, 1, 2]);
    agent.finishAll();
    await agent.untilHeld(6);
    agent.finishAll();
    const last = await app.poll('consultant', (asks[5] as AskAccepted).request_id, 30);
    expect(last).toMatchObject({ status: 'done', result_text: 'Thinking. Done.', client: 'acp', model: 'scripted-1' });
  });

  it('runs asks of one session one at a time in the same conversation', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const first = await app.ask('consultant', { ...QUESTION, session: 'one' });
    const second = await app.ask('consultant', { ...QUESTION, session: 'one' });
    const other = await app.ask('consultant', { ...QUESTION, session: 'two' });
    expect(second.conv).toBe(first.conv);
    expect(other.conv).not.toBe(first.conv);
    await agent.untilHeld(2);
    expect(agent.turns.map(({ conv }) => conv)).toEqual([first.conv, other.conv]);
  });

  it('uses one conversation for a singleton and ignores the session', async () => {
    const app = await testApp({ clients: [held()] });
    await app.call('PATCH', '/team/architect-master', { exposure: 'external' });
    const first = await app.ask('architect-master', { ...QUESTION, session: 'one' });
    const second = await app.ask('architect-master', { ...QUESTION, session: 'two' });
    expect(second.conv).toBe(first.conv);
  });

  it('holds a poll until the request ends or the wait time is over', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { request_id } = await app.ask('consultant', QUESTION);
    expect((await app.call('GET', '/requests?kind=answered')).body).toMatchObject({ count: 0 });
    await agent.untilHeld(1);
    const waiting = app.poll('consultant', request_id, 60);
    agent.finishAll();
    expect((await waiting).status).toBe('done');
    const reply = await app.call('GET', `/team/requests/${request_id}?wait=61`, undefined, await bearer(app));
    expect(reply.status).toBe(400);
  });

  it('returns 404 for reading or cancelling a request with the token of another member', async () => {
    const app = await testApp({ clients: [held()] });
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    const { request_id } = await app.ask('consultant', QUESTION);
    const other = await bearer(app, 'developer');
    for (const method of ['GET', 'DELETE']) {
      expect((await app.call(method, `/team/requests/${request_id}`, undefined, other)).status).toBe(404);
      expect((await app.call(method, `/team/requests/${request_id}`)).status).toBe(401);
    }
  });

  it('cancels a running and a queued request, each exactly once', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const running = await app.ask('consultant', { ...QUESTION, session: 's' });
    const queued = await app.ask('consultant', { ...QUESTION, session: 's' });
    await agent.untilHeld(1);
    for (const { request_id } of [queued, running, running]) {
      const reply = await app.call('DELETE', `/team/requests/${request_id}`, undefined, await bearer(app));
      expect(reply.body).toMatchObject({ status: 'error', error: { code: 'cancelled' } });
    }
    expect(agent.turns).toHaveLength(1);
  });

  it('ends a run at the time limit of the member', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { request_id } = await app.ask('consultant', QUESTION);
    await agent.untilHeld(1);
    const { limits } = (await app.call('GET', '/team/consultant')).body as { limits: { minutes: number } };
    app.clock.advance(limits.minutes * 60_000);
    const { status, error } = await app.poll('consultant', request_id, 30);
    expect({ status, code: error?.code }).toEqual({ status: 'error', code: 'deadline' });
  });

  it('ends a request as client_failed when the client fails, with secrets redacted', async () => {
    const failing = new ScriptedAgent('acp', async function* () {
      yield { type: 'text', text: 'half' } as const;
      throw new Error('refused by provider: Bearer sk-abcdefghijklmnopqrstuvwxyz');
    });
    const app = await testApp({ clients: [failing] });
    const { request_id } = await app.ask('consultant', QUESTION);
    const record = await app.poll('consultant', request_id, 30);
    expect(record).toMatchObject({ status: 'error', error: { code: 'client_failed' } });
    expect(record.error?.message).toContain('refused by provider');
    expect(JSON.stringify(record)).not.toContain('sk-abcdef');
    expect(record.result_text).toBeUndefined();
  });

  it('scrubs secrets from answers to outside callers', async () => {
    const agent = new ScriptedAgent('acp', () => answers(`The token is mk_${'a'.repeat(43)}.`));
    const app = await testApp({ clients: [agent] });
    const { request_id } = await app.ask('consultant', QUESTION);
    expect((await app.poll('consultant', request_id, 30)).result_text).toBe('The token is [redacted].');
  });

  it('scrubs secrets from streamed pieces, even across piece boundaries, and from tool calls', async () => {
    const token = `ghp_${'aB3'.repeat(12)}`;
    const agent = new ScriptedAgent('acp', async function* () {
      yield { type: 'tool', call: { id: '1', name: 'read', target: token, state: 'done', output: `key: ${token}` } };
      for (const text of `The token is ${token}, as it was before.`.match(/.{1,5}/g) ?? [])
        yield { type: 'text', text };
      yield { type: 'end', citations: [] };
    });
    const app = await testApp({ clients: [agent] });
    const client = await events(app);
    const { request_id, conv } = await app.ask('consultant', QUESTION);
    expect((await app.poll('consultant', request_id, 30)).result_text).toBe(
      'The token is [redacted], as it was before.',
    );
    await client.until(({ type }) => type === 'turn.ended');
    const pieces = client.frames.flatMap((event) => (event.type === 'turn.delta' ? [event] : []));
    expect(pieces.map(({ text }) => text).join('')).toBe('The token is [redacted], as it was before.');
    expect(pieces.map(({ index }) => index)).toEqual(pieces.map((_, index) => index));
    expect(JSON.stringify(client.frames)).not.toContain(token.slice(4, 16));
    expect(JSON.stringify(await read(app, conv))).not.toContain(token.slice(4, 16));
  });

  it('scrubs secrets from the partial answer of a failed turn', async () => {
    const agent = new ScriptedAgent('acp', async function* () {
      yield { type: 'text', text: 'The token is npm_abcd' };
      yield { type: 'text', text: 'EFGH1234' };
      throw new Error('out of luck');
    });
    const app = await testApp({ clients: [agent] });
    const { request_id, conv } = await app.ask('consultant', QUESTION);
    expect((await app.poll('consultant', request_id, 30)).status).toBe('error');
    expect((await read(app, conv)).messages.at(-1)?.text).toBe('The token is [redacted]');
  });
});

describe('an idempotency key', () => {
  it('returns the first response for the same body, and 422 for another body', async () => {
    const app = await testApp({ clients: [held()] });
    const key = { 'idempotency-key': 'once' };
    const first = await app.ask('consultant', QUESTION, key);
    const replies = await Promise.all(Array.from({ length: 10 }, () => app.ask('consultant', QUESTION, key)));
    for (const again of replies) expect(again).toEqual(first);
    const other = await app.call(
      'POST',
      '/team/consultant/ask',
      { text: 'Another?' },
      { ...(await bearer(app)), ...key },
    );
    expect([other.status, (other.body as { error: string }).error]).toEqual([422, 'idempotency_mismatch']);
    expect(((await app.call('GET', '/requests')).body as RequestList).count).toBe(1);
    app.clock.step(24 * 3_600_000 + 1);
    expect((await app.ask('consultant', QUESTION, key)).request_id).not.toBe(first.request_id);
  });

  it('must have 1 to 128 printable characters', async () => {
    const app = await testApp();
    const reply = await app.call('POST', '/team/consultant/ask', QUESTION, {
      ...(await bearer(app)),
      'idempotency-key': 'x'.repeat(129),
    });
    expect(reply.status).toBe(400);
  });
});

describe('the token', () => {
  it('is invalid for the next request after rotation or revocation, and pending polls end', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { request_id } = await app.ask('consultant', QUESTION);
    await agent.untilHeld(1);
    const old = await bearer(app);
    const rotated = await app.call('POST', '/team/consultant/token/rotate');
    expect(rotated.status).toBe(200);
    expect((await app.call('GET', `/team/requests/${request_id}`, undefined, old)).status).toBe(401);
    expect((await app.call('POST', '/team/consultant/ask', QUESTION, old)).status).toBe(401);
    expect((await app.poll('consultant', request_id)).status).toBe('running');
    const current = await bearer(app);
    const waiting = app.call('GET', `/team/requests/${request_id}?wait=60`, undefined, current);
    expect((await app.call('PATCH', '/team/consultant', { exposure: 'internal' })).status).toBe(200);
    expect((await waiting).status).toBe(401);
    expect((await app.call('POST', '/team/consultant/ask', QUESTION, current)).status).toBe(401);
    const detail = (await app.call('GET', `/requests/${request_id}`)).body as RequestDetail;
    expect(detail.error?.code).toBe('member_gone');
  });
});

describe('after a restart', () => {
  it('running asks fail with daemon_restarted, queued asks are answered, and earlier answers remain readable', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const done = await app.ask('consultant', QUESTION);
    await agent.untilHeld(1);
    agent.finishAll();
    await app.poll('consultant', done.request_id, 30);
    const running = await app.ask('consultant', { ...QUESTION, session: 's' });
    const queued = await app.ask('consultant', { ...QUESTION, session: 's' });
    await agent.untilHeld(2);
    const token = await app.getToken('consultant');
    await app.stop();

    const again = await testApp({
      root: app.root,
      clock: app.clock,
      clients: [new ScriptedAgent('acp', () => answers('Later.'))],
    });
    expect(await again.getToken('consultant')).toBe(token);
    const read = (id: string, wait = 0) => again.poll('consultant', id, wait);
    expect(await read(running.request_id)).toMatchObject({ status: 'error', error: { code: 'daemon_restarted' } });
    expect(await read(queued.request_id, 30)).toMatchObject({ status: 'done', result_text: 'Later.' });
    expect(await read(done.request_id)).toMatchObject({ status: 'done', result_text: 'Thinking. Done.' });
  });
});

describe('GET /requests', () => {
  it('filters by member, status, kind, words, caller and time, and pages newest first', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', (turn) => answers(`About ${turn.text}`))] });
    await app.call('PATCH', '/team/developer', { exposure: 'external' });
    const ask = async (member: string, text: string): Promise<AskRecord> => {
      const { request_id } = await app.ask(member, { text });
      app.clock.advance(1000);
      return app.poll(member, request_id, 30);
    };
    const lanterns = await ask('consultant', 'lanterns at dusk');
    const buoys = await ask('developer', 'buoys and chains');
    const anchors = await ask('consultant', 'anchors');
    const list = async (query: string) => (await app.call('GET', `/requests?${query}`)).body as RequestList;
    const ids = async (query: string) => (await list(query)).requests.map(({ request_id }) => request_id);
    expect(await ids('')).toEqual([anchors, buoys, lanterns].map(({ request_id }) => request_id));
    expect(await ids('member=developer')).toEqual([buoys.request_id]);
    expect(await ids('q=lant')).toEqual([lanterns.request_id]);
    expect(await ids('q=%22%27%29%20OR%20*')).toEqual([]);
    expect(await ids('status=error')).toEqual([]);
    expect([await ids('kind=found'), await ids('kind=answered')]).toEqual([[], await ids('')]);
    expect(await ids(`since=${encodeURIComponent(anchors.created_at)}`)).toEqual([anchors.request_id]);
    const page = await list('limit=2');
    expect(page).toMatchObject({ count: 2, next_cursor: expect.any(String) });
    expect(await list(`limit=2&cursor=${page.next_cursor}`)).toMatchObject({ count: 1, next_cursor: null });
    for (const bad of [
      'since=yesterday',
      'cursor=x',
      'limit=0',
      'limit=201',
      'status=fine',
      'kind=sure',
      'color=red',
    ]) {
      expect((await app.call('GET', `/requests?${bad}`)).status).toBe(400);
    }
    const header = {
      authorization: `Bearer ${await app.getToken('consultant')}`,
      'user-agent': 'Harbour-Clock/2.1 (linux)',
    };
    const { body: clock } = await app.call('POST', '/team/consultant/ask', { text: 'tides' }, header);
    const clockId = (clock as { request_id: string }).request_id;
    await app.poll('consultant', clockId, 30);
    expect(await ids('caller=harbour-clock')).toEqual([clockId]);
    expect(await ids('caller=%25')).toEqual([]);
    expect(await ids('caller=a%20browser')).toEqual([]);
    const browser = { ...header, 'user-agent': 'Mozilla/5.0 (X11)' };
    const { body: asked } = await app.call('POST', '/team/consultant/ask', { text: 'tides' }, browser);
    expect(await ids('caller=a%20Browser')).toEqual([(asked as { request_id: string }).request_id]);
    const fromDashboard = { ...browser, 'sec-fetch-site': 'same-origin' };
    const { body: own } = await app.call('POST', '/team/consultant/ask', { text: 'tides' }, fromDashboard);
    const ownId = (own as { request_id: string }).request_id;
    expect(await ids('caller=you')).toEqual([ownId]);
    expect((await app.call('GET', `/requests/${ownId}`)).body).toMatchObject({ caller: { operator: true } });
  });

  it('hides and then removes records after 30 days', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('x'))] });
    const { request_id } = await app.ask('consultant', QUESTION);
    await app.poll('consultant', request_id, 30);
    app.clock.step(30 * 86_400_000 + 1);
    expect((await app.call('GET', `/requests/${request_id}`)).status).toBe(404);
    expect(((await app.call('GET', '/requests')).body as RequestList).count).toBe(0);
  });
});

describe('The rating of an answer', () => {
  it('is kept with its note, listed, changed and withdrawn by the operator, and shown to no caller', async () => {
    const app = await testApp();
    const { request_id, poll } = await app.ask('consultant', { text: 'On which port does it listen?' });
    await app.poll('consultant', request_id, 30);
    const rate = (body: object) => app.call('PUT', `/requests/${request_id}/rating`, body);
    expect((await rate({ value: 'down', note: ' The wrong file. ' })).body).toMatchObject({
      rating: { value: 'down', note: 'The wrong file.', rated_at: '2026-11-21T12:00:00.000Z' },
    });
    const list = async (rating: string) =>
      ((await app.call('GET', `/requests?rating=${rating}`)).body as RequestList).requests.map((row) => row.rating);
    expect([await list('down'), await list('up')]).toEqual([['down'], []]);
    expect((await rate({ value: 'up' })).body).toMatchObject({ rating: { value: 'up', note: '' } });
    expect([await list('down'), await list('up')]).toEqual([[], ['up']]);

    const token = await app.getToken('consultant');
    const seen = await app.call('GET', poll, undefined, { authorization: `Bearer ${token}` });
    expect(seen.body).not.toHaveProperty('rating');
    expect((await app.call('DELETE', `/requests/${request_id}/rating`)).body).not.toHaveProperty('rating');
    expect([await list('down'), await list('up')]).toEqual([[], []]);
  });

  it('stands in the Markdown of its conversation, on one line', async () => {
    const app = await testApp();
    const { request_id, conv } = await app.ask('consultant', QUESTION);
    await app.poll('consultant', request_id, 30);
    const exported = async () => (await app.call('GET', `/conversations/${conv}/export?format=md`)).text;
    expect(await exported()).not.toContain('Rated');
    await app.call('PUT', `/requests/${request_id}/rating`, { value: 'down', note: 'Wrong\n\n## file' });
    expect((await exported()).match(/^Rated .*$/gm)).toEqual(['Rated bad: Wrong ## file']);
  });

  it('is refused for a request that does not exist or has no answer, and for other values', async () => {
    const app = await testApp({ clients: [held()] });
    const body = { value: 'up' };
    expect((await app.call('PUT', '/requests/req-none/rating', body)).status).toBe(404);
    const { request_id } = await app.ask('consultant', QUESTION);
    const path = `/requests/${request_id}/rating`;
    const refused = await app.call('PUT', path, body);
    expect(refused).toMatchObject({ status: 400, body: { message: expect.stringContaining('no answer') } });
    expect((await app.call('PUT', path, { value: 'well' })).status).toBe(400);
    expect((await app.call('PUT', path, { value: 'up', note: 'x'.repeat(1_001) })).status).toBe(400);
  });
});

describe('The trace of an answer', () => {
  it('is for the operator alone, and ends with its request', async () => {
    const app = await testApp();
    const { request_id, poll } = await app.ask('consultant', QUESTION);
    const record = await app.poll('consultant', request_id, 30);
    const trace = () => app.call('GET', `/requests/${request_id}/trace`);
    expect((await trace()).body).toMatchObject({
      source: 'text',
      words: [{ written: 'port' }, { written: 'listen' }],
      candidates: expect.arrayContaining([expect.objectContaining({ path: 'README.md', fate: 'quoted' })]),
    });
    expect(record).not.toHaveProperty('trace');
    const token = { authorization: `Bearer ${await app.getToken('consultant')}` };
    expect((await app.call('GET', `${poll}/trace`, undefined, token)).status).toBe(404);

    const kept = () =>
      openSqlite(join(app.root, '.mesh/state/mesh.db'), { readonly: true })
        .prepare('SELECT count(*) FROM ask_traces')
        .pluck()
        .get();
    app.clock.step(31 * 86_400_000);
    app.clock.advance(3_600_000);
    expect((await trace()).status).toBe(404);
    await app.stop();
    expect(kept()).toBe(0);
  });

  it('is missing for a request without an answer, and for the answer of another client, which is said', async () => {
    const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('Read.'))] });
    const { request_id } = await app.ask('consultant', QUESTION);
    await app.poll('consultant', request_id, 30);
    expect(await app.call('GET', `/requests/${request_id}/trace`)).toMatchObject({
      status: 404,
      body: { message: 'The request has no trace: only the built-in search leaves one, and `acp` answered.' },
    });
    expect((await app.call('GET', '/requests/req-none/trace')).status).toBe(404);
  });
});
