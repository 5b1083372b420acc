import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testApp } from '../../testing/apps/test-app.js';
import { describedOperations } from '../../testing/parts/described-operations.js';
import { rawRequest } from '../../testing/processes/raw-request.js';

const ADA = '---\nname: Ada # hers\nmodel: opus\n---\n\nYou are Ada.\n\nA second paragraph.\n';

async function anApp() {
  const app = await testApp({
    files: { 'README.md': '# Lamp\n', '.mesh/team/ada.md': ADA, '.mesh/STANDARD_VERSION': '30\n' },
  });
  const path = (id: string) => join(app.root, '.mesh/team', `${id}.md`);
  return {
    ...app,
    path,
    revisionOf: async (id: string) => ((await app.call('GET', `/team/${id}`)).body as { revision: string }).revision,
  };
}

it('the description of the API tells what these requests do, and who may make them', async () => {
  const paths = /^\/(team(\/draft|\/\{id\}(\/restore|\/file|\/history(\/\{commit\})?)?)?|history)$/;
  const { 'POST /team/{id}': _a2a, ...described } = await describedOperations(await testApp(), paths);
  expect(described).toEqual({
    'GET /team': 'team, operator, 200 MemberList, The roster',
    'POST /team': 'team, operator, 201 MemberDetail, Make a member',
    'PATCH /team': 'team, operator, 200 MemberDetail, As PATCH /team/:id, with the id in the body',
    'DELETE /team': 'team, operator, 200 MemberDeleted, As DELETE /team/:id, with the id in the body',
    'GET /team/{id}': 'team, operator, 200 MemberDetail, One member whole',
    'PATCH /team/{id}': 'team, operator, 200 MemberDetail, Change only the given keys; null clears one',
    'DELETE /team/{id}': 'team, operator, 200 MemberDeleted, Remove a member and its token',
    'POST /team/draft': 'team, operator, 200 Draft, Generate a member from a description; writes nothing',
    'POST /team/{id}/restore': 'team, operator, 200 MemberDetail, Write a removed or default member back',
    'GET /team/{id}/file': 'team, operator, 200 MemberFile, The file as it stands on disk',
    'PUT /team/{id}/file': 'team, operator, 200 MemberDetail, Replace the text of the file',
    'GET /history': 'team, operator, 200 RosterHistory, How every member file stands against git HEAD',
    'GET /team/{id}/history': 'team, operator, 200 MemberHistory, The commits that changed a member file, newest first',
    'GET /team/{id}/history/{commit}':
      'team, operator, 200 MemberRevision, A member file as one commit left it, and before it',
  });
});

it('every answer with a member, and its file, names the revision as ETag', async () => {
  const { call } = await anApp();
  const text = ADA.replace('opus', 'haiku');
  for (const [method, path, body] of [
    ['GET', '/team/ada', undefined],
    ['PATCH', '/team/ada', { color: 'red' }],
    ['PATCH', '/team', { id: 'ada', color: 'blue' }],
    ['PUT', '/team/ada/file', { text }],
    ['GET', '/team/ada/file', undefined],
    ['POST', '/team', { id: 'eve' }],
    ['POST', '/team/developer/restore', undefined],
  ] as const) {
    const reply = await call(method, path, body);
    const { revision } = reply.body as { revision: string };
    expect([path, reply.headers.get('etag')]).toEqual([path, `"${revision}"`]);
  }
});

describe('GET /team', () => {
  it('lists the members without bodies and tokens', async () => {
    const { call } = await anApp();
    await call('PATCH', '/team/ada', { exposure: 'external' });
    const { status, body, text } = await call('GET', '/team');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      count: 1,
      members: [{ id: 'ada', name: 'Ada', state: 'ok', token_last4: expect.any(String) }],
      restorable: expect.any(Array),
      has_folder: true,
    });
    expect(text).not.toContain('mk_');
    expect(text).not.toContain('second paragraph');
  });
});

describe('GET /team/:id', () => {
  it('returns the full member, with its revision as ETag', async () => {
    const { call } = await anApp();
    const { status, body, headers } = await call('GET', '/team/ada');
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'ada',
      body: 'You are Ada.\n\nA second paragraph.\n',
      client: 'auto',
      client_resolved: 'builtin',
      unknown_keys: [],
    });
    expect(headers.get('etag')).toBe(`"${(body as { revision: string }).revision}"`);
  });

  it('has the origin and the vendor data that a member was made with; null clears them', async () => {
    const { call } = await anApp();
    const origin = { format: 'claude', path: '.claude/agents/eve.md', tight: true };
    const vendor = { claude: { hooks: { Stop: [] } } };
    const made = await call('POST', '/team', { id: 'eve', origin, vendor });
    expect(made).toMatchObject({ status: 201, body: { origin, vendor, unknown_keys: [] } });
    expect((await call('GET', '/team/eve')).body).toEqual(made.body);
    expect(await call('PATCH', '/team/eve', { vendor: 3 })).toMatchObject({ status: 400, body: { path: 'vendor' } });
    const { body } = await call('PATCH', '/team/eve', { vendor: null });
    expect([body, Object.hasOwn(body as object, 'vendor')]).toEqual([expect.objectContaining({ origin }), false]);
  });

  it('returns 400 for an invalid id, like every other route', async () => {
    const { address } = await anApp();
    const port = Number(new URL(address).port);
    const ids = [
      '..',
      '%2e%2e',
      '..%2f..%2fetc%2fpasswd',
      'A',
      '%C3%A9',
      '__proto__',
      'a%2fb',
      'draft',
      'x'.repeat(65),
      'a%00b',
      'a%5cb',
      '-a',
      'a',
    ];
    for (const id of ids) {
      for (const [method, path, body] of [
        ['GET', '', ''],
        ['PATCH', '', '{"name": "x"}'],
        ['DELETE', '', ''],
        ['POST', '/restore', ''],
        ['POST', '/token/rotate', ''],
        ['GET', '/file', ''],
        ['PUT', '/file', '{"text": "x"}'],
      ] as const) {
        const lines = [`Host: 127.0.0.1:${port}`, 'Content-Type: application/json', `Content-Length: ${body.length}`];
        const answer = await rawRequest(port, [`${method} /team/${id}${path} HTTP/1.1`, ...lines], body);
        expect(answer.status, `${method} /team/${id}${path}`).toBe(400);
        expect(JSON.parse(answer.body)).toMatchObject({ error: 'bad_request', path: 'id' });
      }
    }
  });

  it('returns 400 for an id that is a route name', async () => {
    const { call } = await anApp();
    for (const id of ['draft', 'requests']) {
      expect(await call('GET', `/team/${id}`)).toMatchObject({ status: 400, body: { path: 'id' } });
      expect(await call('PATCH', '/team', { id, name: 'x' })).toMatchObject({ status: 400, body: { path: 'id' } });
      expect(await call('DELETE', '/team', { id })).toMatchObject({ status: 400, body: { path: 'id' } });
    }
  });

  it('returns 404 for an unknown member', async () => {
    const { call } = await anApp();
    expect(await call('GET', '/team/nobody')).toMatchObject({ status: 404, body: { error: 'not_found' } });
  });
});

describe('POST /team', () => {
  it('returns 201 with the member, and 409 with a suggested id for a duplicate', async () => {
    const { call, path } = await anApp();
    const member = { name: 'Doc Writer', prompt: 'You write.', tools: ['read'], limits: { turns: 3 } };
    expect(await call('POST', '/team', member)).toMatchObject({
      status: 201,
      body: { id: 'doc-writer', body: 'You write.', limits: { turns: 3, minutes: 10 } },
    });
    expect(readFileSync(path('doc-writer'), 'utf8')).toBe(
      '---\nname: Doc Writer\ndescription: You write.\nkind: profile\nmodel: strongest\ntools: [read]\nlimits: ' +
        '{turns: 3}\n---\n\nYou write.',
    );
    expect(await call('POST', '/team', member)).toMatchObject({
      status: 409,
      body: { error: 'member_exists', suggested: 'doc-writer-2' },
    });
  });

  it.each([
    [{ id: 'eve', colour: 'red' }, 'unknown_key', 'colour'],
    [{ id: 'eve', limits: { hours: 1 } }, 'unknown_key', 'limits.hours'],
    [{ id: 'eve', model: '' }, 'bad_request', 'model'],
    [{ id: 'eve', model: 7 }, 'bad_request', 'model'],
    [{ id: 'eve', kind: 'boss' }, 'bad_request', 'kind'],
    [{ id: 'eve', tools: 'read' }, 'bad_request', 'tools'],
    [{ id: 'eve', required: true, kind: 'singleton' }, 'bad_request', 'required'],
    [{ id: '../eve' }, 'bad_request', 'id'],
    [{}, 'bad_request', 'name'],
  ])('returns 400 with the field path for %j', async (body, error, path) => {
    const { call } = await anApp();
    expect(await call('POST', '/team', body)).toMatchObject({ status: 400, body: { error, path } });
  });

  it('returns 400 for a secret without repeating it', async () => {
    const { call } = await anApp();
    const answer = await call('POST', '/team', { id: 'eve', body: `Use ghp_${'a'.repeat(36)}.` });
    expect(answer).toMatchObject({ status: 400, body: { error: 'secret_in_member_file' } });
    expect(answer.text).not.toContain('aaaa');
  });
});

describe('PATCH /team/:id', () => {
  it('changes only the given keys, with the id in the path or in the body', async () => {
    const { call, path } = await anApp();
    expect(await call('PATCH', '/team/ada', { model: 'haiku' })).toMatchObject({
      status: 200,
      body: { model: 'haiku' },
    });
    expect(await call('PATCH', '/team', { id: 'ada', color: 'red' })).toMatchObject({
      status: 200,
      body: { color: 'red' },
    });
    expect(await call('PATCH', '/team/ada', { color: null })).toMatchObject({ status: 200 });
    expect(readFileSync(path('ada'), 'utf8')).toBe(ADA.replace('opus', 'haiku'));
  });

  it('respects If-Match, quoted or bare', async () => {
    const { call, path, revisionOf: getRevision } = await anApp();
    const revision = await getRevision('ada');
    expect(await call('PATCH', '/team/ada', { color: 'red' }, { 'if-match': `"${revision}"` })).toMatchObject({
      status: 200,
    });
    expect(await call('PATCH', '/team/ada', { color: 'blue' }, { 'if-match': `"${revision}"` })).toMatchObject({
      status: 412,
      body: { error: 'file_changed' },
    });
    const now = await getRevision('ada');
    writeFileSync(path('ada'), ADA);
    expect(await call('PATCH', '/team', { id: 'ada', color: 'blue' }, { 'if-match': now })).toMatchObject({
      status: 412,
    });
    expect(await call('PATCH', '/team/ada', { color: 'blue' }, { 'if-match': '*' })).toMatchObject({ status: 200 });
  });

  it('returns 409 for kind and required, and 400 for an unknown key', async () => {
    const { call } = await anApp();
    expect(await call('PATCH', '/team/ada', { kind: 'singleton' })).toMatchObject({
      status: 409,
      body: { error: 'immutable_field', path: 'kind' },
    });
    expect(await call('PATCH', '/team', { id: 'ada', required: true })).toMatchObject({
      status: 409,
      body: { error: 'immutable_field', path: 'required' },
    });
    expect(await call('PATCH', '/team/ada', { id: 'eve' })).toMatchObject({
      status: 400,
      body: { error: 'unknown_key', path: 'id' },
    });
    expect(await call('PATCH', '/team/ada', { 'x-own': 1 })).toMatchObject({
      status: 400,
      body: { error: 'unknown_key' },
    });
    expect(await call('PATCH', '/team', { color: 'red' })).toMatchObject({
      status: 400,
      body: { error: 'bad_request', path: 'id' },
    });
  });
});

describe('DELETE /team/:id', () => {
  it('returns the deleted id, with the id in the path or in the body', async () => {
    const { call } = await anApp();
    await call('POST', '/team', { id: 'eve' });
    expect(await call('DELETE', '/team/ada', undefined, { 'content-type': 'application/json' })).toMatchObject({
      status: 200,
      body: { ok: true, deleted: 'ada' },
    });
    expect(await call('DELETE', '/team', { id: 'eve' })).toMatchObject({
      status: 200,
      body: { ok: true, deleted: 'eve' },
    });
    expect(await call('DELETE', '/team/ada')).toMatchObject({ status: 404 });
    expect(await call('DELETE', '/team')).toMatchObject({ status: 400 });
  });

  it('returns 409 for a singleton', async () => {
    const { call } = await anApp();
    await call('POST', '/team/architect-master/restore');
    expect(await call('DELETE', '/team/architect-master')).toMatchObject({
      status: 409,
      body: { error: 'member_protected' },
    });
  });
});

describe('POST /team/draft', () => {
  it('returns a draft that can be posted, and writes nothing', async () => {
    const { call } = await anApp();
    const { status, body } = await call('POST', '/team/draft', {
      raw_text: 'A form tester that checks forms.',
      emoji: '🧪',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      id: 'form-tester',
      name: 'Form Tester',
      emoji: '🧪',
      drafted_by: 'template',
      warnings: expect.any(Array),
    });
    expect((await call('GET', '/team')).body).toMatchObject({ count: 1 });
    const { drafted_by: _by, warnings: _warnings, ...member } = body as Record<string, unknown>;
    expect(await call('POST', '/team', member)).toMatchObject({ status: 201, body: { id: 'form-tester' } });
  });

  it('returns 409 when the name is taken, and 400 without text', async () => {
    const { call } = await anApp();
    expect(await call('POST', '/team/draft', { text: 'x', name: 'ADA' })).toMatchObject({
      status: 409,
      body: { error: 'member_exists', suggested: 'ada-2' },
    });
    expect(await call('POST', '/team/draft', {})).toMatchObject({ status: 400, body: { path: 'text' } });
    expect(await call('POST', '/team/draft', { text: '   ' })).toMatchObject({ status: 400, body: { path: 'text' } });
    expect(await call('POST', '/team/draft', { text: 'x', tone: 'y' })).toMatchObject({
      status: 400,
      body: { error: 'unknown_key' },
    });
  });
});

describe('POST /team/:id/restore', () => {
  it('restores a default member, and rejects other and valid members', async () => {
    const { call } = await anApp();
    expect(await call('POST', '/team/consultant/restore')).toMatchObject({
      status: 200,
      body: { id: 'consultant', token: expect.stringMatching(/^mk_/) },
    });
    expect(await call('POST', '/team/consultant/restore')).toMatchObject({
      status: 409,
      body: { error: 'member_exists' },
    });
    expect(await call('POST', '/team/ada/restore')).toMatchObject({ status: 409, body: { error: 'member_exists' } });
    expect(await call('POST', '/team/nobody/restore')).toMatchObject({ status: 404 });
  });
});

describe('the raw file', () => {
  it('can be read, and replaced with If-Match', async () => {
    const { call, path } = await anApp();
    const { status, body, headers } = await call('GET', '/team/ada/file');
    expect(status).toBe(200);
    expect(body).toMatchObject({ id: 'ada', path: '.mesh/team/ada.md', text: ADA, committed_text: ADA });
    const text = ADA.replace('opus', 'haiku');
    const etag = headers.get('etag') ?? '';
    expect(await call('PUT', '/team/ada/file', { text }, { 'if-match': etag })).toMatchObject({
      status: 200,
      body: { model: 'haiku' },
    });
    expect(readFileSync(path('ada'), 'utf8')).toBe(text);
    expect((await call('GET', '/team/ada/file')).body).toMatchObject({ text, committed_text: ADA });
    expect(await call('PUT', '/team/ada/file', { text: ADA }, { 'if-match': etag })).toMatchObject({ status: 412 });
    expect(await call('PUT', '/team/ada/file', { text: '---\nname: [\n---\n' })).toMatchObject({
      status: 400,
      body: { error: 'bad_request', path: 'text', problem: { line: expect.any(Number), column: expect.any(Number) } },
    });
  });
});

describe('POST /team/:id/token/rotate', () => {
  it('returns the new token and invalidates the old one at once', async () => {
    const { call, getToken } = await anApp();
    await call('PATCH', '/team/ada', { exposure: 'external' });
    const old = await getToken('ada');
    const { status, body } = await call('POST', '/team/ada/token/rotate');
    expect(status).toBe(200);
    expect(body).toEqual({ id: 'ada', token: await getToken('ada'), rotated_at: '2026-11-21T12:00:00.000Z' });
    const poll = (token: string) => call('POST', '/team/ada/ask', { text: 'x' }, { authorization: `Bearer ${token}` });
    expect(await poll(old)).toMatchObject({ status: 401 });
  });

  it('returns 409 for an internal member', async () => {
    const { call } = await anApp();
    expect(await call('POST', '/team/ada/token/rotate')).toMatchObject({ status: 409, body: { error: 'not_exposed' } });
  });
});

describe('the Git history', () => {
  const git = (root: string, ...args: string[]) => execFileSync('git', args, { cwd: root });

  it('reports the state of each file, follows edits, and recognizes uncommitted files', async () => {
    const { call, root, path } = await anApp();
    expect((await call('GET', '/history')).body).toEqual({
      repository: true,
      members: [{ id: 'ada', standing: 'committed' }],
      count: 1,
    });
    writeFileSync(path('ada'), ADA.replace('opus', 'haiku'));
    writeFileSync(path('bob'), '---\nname: Bob\n---\n\nYou are Bob.\n');
    expect((await call('GET', '/history')).body).toMatchObject({
      members: [
        { id: 'ada', standing: 'changed' },
        { id: 'bob', standing: 'uncommitted' },
      ],
    });
    git(root, 'commit', '-qam', 'A smaller model');
    const { body } = await call('GET', '/team/ada/history');
    expect(body).toMatchObject({
      id: 'ada',
      path: '.mesh/team/ada.md',
      repository: true,
      standing: 'committed',
      count: 2,
      has_more: false,
    });
    const { commits } = body as { commits: { commit: string; subject: string }[] };
    expect(commits[0]?.subject).toBe('A smaller model');
    expect((await call('GET', `/team/ada/history/${commits[0]?.commit}`)).body).toMatchObject({
      text: ADA.replace('opus', 'haiku'),
      before: ADA,
    });
    expect((await call('GET', `/team/ada/history/${commits[1]?.commit}`)).body).toMatchObject({
      text: ADA,
      before: null,
    });
    expect((await call('GET', '/team/ada/history?limit=1')).body).toMatchObject({ count: 1, has_more: true });
    expect((await call('GET', '/team/bob/history')).body).toMatchObject({ standing: 'uncommitted', commits: [] });
  });

  it('rejects an invalid commit, and returns 404 for unknown commits and members', async () => {
    const { call } = await anApp();
    for (const commit of ['HEAD', '--output=x', 'a'.repeat(39), 'HEAD%5E']) {
      expect((await call('GET', `/team/ada/history/${commit}`)).status, commit).toBe(400);
    }
    expect((await call('GET', `/team/ada/history/${'a'.repeat(40)}`)).status).toBe(404);
    expect((await call('GET', '/team/nobody/history')).status).toBe(404);
  });
});
