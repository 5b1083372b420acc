import { chmodSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import type { ClusterCreated } from '../../contract/clusters.js';
import type { WallFrame } from '../../contract/wall.js';
import type { TestApp } from '../../testing/apps/test-app.js';
import { atTerminal, completed, daemon, meshd } from '../../testing/processes/command-line.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { SocketClient } from '../../testing/processes/socket-client.js';
import { git, putFiles } from '../../testing/temporary-folder.js';
import { run } from '../program.js';

const TOKENS = '.mesh/credentials/clusters.json';
type Kept = Record<string, { name: string; visibility: string; token?: string; admin_token?: string }>;
const kept = (root: string) => JSON.parse(readFileSync(join(root, TOKENS), 'utf8')) as Kept;
const create = async (app: TestApp, ...args: string[]) =>
  JSON.parse((await meshd(app.root, 'cluster', 'create', ...args, '--json')).out) as ClusterCreated;
/** A cluster that another client created. */
const foreign = async (app: TestApp, body: object = {}) =>
  (await app.call('POST', '/v1/clusters', body)).body as ClusterCreated;
const peer = async (app: TestApp, cluster: string, agent: string, query = '') => {
  const client = new SocketClient<WallFrame>(
    `${app.address.replace('http', 'ws')}/v1/clusters/${cluster}/ws?agent=${agent}${query}`,
  );
  await client.next();
  return client;
};

/** Runs a command line with its own stdin and environment. */
async function given(
  app: TestApp,
  { stdin = '', clusterToken }: { stdin?: string; clusterToken?: string },
  ...args: string[]
) {
  const { terminal, text } = recordedTerminal({ clusterToken }, Readable.from(stdin === '' ? [] : [stdin]));
  return {
    exit: await run([...args, '--root', app.root], terminal, new URL('../meshd.ts', import.meta.url).href),
    ...text,
  };
}

describe('meshd cluster', () => {
  it('create stores both tokens in a private file and prints them once', async () => {
    const app = await daemon();
    const { exit, out, err } = await meshd(app.root, 'cluster', 'create', 'Harbour crew', '--topic', '#harbour');
    expect(exit).toBe(0);
    const [, id = '', token = '', admin = ''] =
      /^Cluster +(c_[0-9a-f]{20})\nToken +(ck_\S{43})\nAdmin token +(ak_\S{43})\n$/.exec(out) ?? [];
    expect(kept(app.root)).toEqual({
      [id]: { name: 'Harbour crew', visibility: 'private', token, admin_token: admin },
    });
    expect(statSync(join(app.root, TOKENS)).mode & 0o777).toBe(0o600);
    expect(err).toContain(TOKENS);
    expect(err).not.toContain(token);
    const shown = await meshd(app.root, 'cluster', 'show', 'Harbour crew');
    expect(shown).toMatchObject({ exit: 0, err: '' });
    expect(shown.out).toMatch(/^Topic +#harbour$/m);
    for (const secret of [token, admin]) {
      for (const args of [['ls'], ['ls', '--json'], ['show', id, '--json']])
        expect((await meshd(app.root, 'cluster', ...args)).out).not.toContain(secret);
    }
  });

  it("ls lists public clusters and one's own private ones, show exits 4 for a private cluster of others", async () => {
    const app = await daemon();
    const own = await create(app, 'Mine');
    const town = await create(app, 'Town', '--public');
    const hidden = await foreign(app, { name: 'Hidden' });
    const listed = await meshd(app.root, 'cluster', 'ls');
    expect(listed).toMatchObject({ exit: 0, err: '' });
    expect(listed.out).toMatch(/^CLUSTER +SLUG +NAME +TOPIC +ONLINE +BOARDS +YOURS\n/);
    expect(listed.out).toMatch(new RegExp(`^${own.cluster_id} +\\(private\\) +Mine .* admin$`, 'm'));
    expect(listed.out).toMatch(/ the-commons +The Commons +#public +0 +0 +admin$/m);
    expect(listed.out).not.toContain('Hidden');
    const { clusters, count } = JSON.parse((await meshd(app.root, 'cluster', 'ls', '--json')).out) as {
      clusters: object[];
      count: number;
    };
    expect(count).toBe(3);
    expect(clusters).toContainEqual(expect.objectContaining({ id: town.cluster_id, slug: 'town', yours: 'admin' }));
    const lines = (await meshd(app.root, 'cluster', 'ls', '--jsonl')).out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as { name: string }).name)).toEqual(['Mine', 'The Commons', 'Town']);
    expect(await meshd(app.root, 'cluster', 'show', hidden.cluster_id)).toMatchObject({ exit: 4, out: '' });
    expect(await meshd(app.root, 'cluster', 'show', 'nowhere')).toMatchObject({ exit: 4, out: '' });
  });

  it('shows every part of a cluster, and reports objects with --json', async () => {
    const app = await daemon();
    const made = await create(app, 'Town', '--public', '--topic', '#town', '--description', 'A small town.');
    expect(made).toMatchObject({ visibility: 'public', tokens_file: join(app.root, TOKENS) });
    const card = { name: 'Town', topic: '#town', description: 'A small town.' };
    expect((await app.call('GET', '/v1/clusters/town')).body).toMatchObject({ cluster: card });
    const show = async (...args: string[]) => (await meshd(app.root, 'cluster', ...args)).out.split('\n');
    const head = [
      `Cluster      ${made.cluster_id}`,
      'Name         Town',
      'Slug         town',
      'Visibility   public',
      'Topic        #town',
      'Description  A small town.',
      'Online       0',
    ];
    expect(await show('show', 'town')).toEqual([...head, 'Boards       off', '']);
    await peer(app, made.cluster_id, 'bob');
    const rules = ['--where', '52.52,by the lake', '--lang', 'pt-BR', '--require', 'id', '--require', 'ticket'];
    const set = await show('set', 'town', '--boards', 'on', ...rules);
    expect(set).toEqual([
      ...head.slice(0, -1),
      'Online       1',
      'Boards       on',
      'Where        52.52,by the lake',
      'Language     pt-BR',
      'Asks for     id, ticket',
      '',
    ]);
    const off = await meshd(app.root, 'cluster', 'set', 'town', '--boards', 'off', '--json');
    const { cluster } = (await app.call('GET', '/v1/clusters/town')).body as { cluster: { boards_enabled: boolean } };
    expect([JSON.parse(off.out), cluster.boards_enabled]).toEqual([cluster, false]);
    expect(JSON.parse((await meshd(app.root, 'cluster', 'show', 'town', '--json')).out)).toEqual(cluster);
    const nothing = await meshd(app.root, 'cluster', 'set', 'town');
    expect(nothing).toEqual({ exit: 2, out: '', err: 'meshd: Say what to set: --boards, a rule, or --clear.\n' });
    const deleted = JSON.parse((await meshd(app.root, 'cluster', 'rm', 'town', '--yes', '--json')).out) as object;
    expect(deleted).toMatchObject({ cluster_id: made.cluster_id });
    const untitled = await create(app);
    expect(kept(app.root)).toMatchObject({ [untitled.cluster_id]: { name: 'Untitled', visibility: 'private' } });
    const forget = await meshd(app.root, 'cluster', 'rm', 'Untitled', '--forget', '--json');
    expect(JSON.parse(forget.out)).toEqual({ cluster_id: untitled.cluster_id, forgotten: true });
  });

  it('rm asks for the cluster by its name and id, and deletes nothing without a yes', async () => {
    const app = await daemon();
    const { cluster_id } = await create(app, 'Town', '--public');
    const session = atTerminal(app.root, 'cluster', 'rm', 'town');
    await session.until('err', new RegExp(`Delete Town \\(${cluster_id}\\) with all that is in it\\? \\[y/N\\] `));
    session.type('n\n');
    expect([await session.exit, session.out]).toEqual([1, '']);
    expect(session.err).toMatch(/Nothing was deleted\.\n$/);
    expect(kept(app.root)).toHaveProperty(cluster_id);
    expect((await meshd(app.root, 'cluster', 'show', 'town')).exit).toBe(0);
  });

  it('ls says what is yours, lists the rest with a larger --limit, and leaves out what refuses its token', async () => {
    const app = await daemon();
    const [crew, gone, town] = [
      await foreign(app, { name: 'Crew' }),
      await foreign(app, { name: 'Gone' }),
      await create(app, 'Town', '--public'),
    ];
    for (const { cluster_id, token } of [crew, gone])
      await given(app, { stdin: `${token}` }, 'cluster', 'join', cluster_id);
    const admin = { 'x-cluster-token': gone.admin_token as string };
    expect((await app.call('DELETE', `/v1/clusters/${gone.cluster_id}`, undefined, admin)).status).toBe(200);
    await foreign(app, { name: 'Village', visibility: 'public' });
    const list = async (...args: string[]) =>
      JSON.parse((await meshd(app.root, 'cluster', 'ls', '--json', ...args)).out) as {
        clusters: { name: string; yours: string | null }[];
        count: number;
        next_cursor: string | null;
      };
    const yours = ({ clusters }: Awaited<ReturnType<typeof list>>) => clusters.map(({ name, yours }) => [name, yours]);
    const all = await list();
    expect(yours(all)).toEqual([
      ['Crew', 'member'],
      ['The Commons', 'admin'],
      ['Town', 'admin'],
      ['Village', null],
    ]);
    expect([all.count, all.next_cursor]).toEqual([4, null]);
    const part = await list('--limit', '2');
    expect([part.count, typeof part.next_cursor]).toEqual([3, 'string']);
    const shown = await meshd(app.root, 'cluster', 'ls', '--limit', '2');
    expect(shown.err).toBe('There are more: --limit 4.\n');
    putFiles(app.root, {
      [TOKENS]: JSON.stringify({ [town.cluster_id]: { name: 'Town', visibility: 'public', token: 'x' } }),
    });
    chmodSync(join(app.root, TOKENS), 0o600);
    expect(yours(await list()).slice(1)).toEqual([
      ['Town', 'member'],
      ['Village', null],
    ]);
    for (const wrong of [[], { a: 'x' }, { a: { name: 'x', token: 1 } }, { a: { name: 'x', admin_token: {} } }]) {
      putFiles(app.root, { [TOKENS]: JSON.stringify(wrong) });
      expect([wrong, (await meshd(app.root, 'cluster', 'ls')).exit]).toEqual([wrong, Array.isArray(wrong) ? 0 : 1]);
    }
  });

  it('a name of two own clusters is none, and only the environment overrides a stored token', async () => {
    const app = await daemon();
    const first = await create(app, 'Twin');
    await create(app, 'Twin');
    expect((await meshd(app.root, 'cluster', 'show', 'Twin')).exit).toBe(4);
    expect((await meshd(app.root, 'cluster', 'show', first.cluster_id)).exit).toBe(0);
    const wrong = { clusterToken: `ck_${'x'.repeat(43)}` };
    expect((await given(app, wrong, 'cluster', 'show', first.cluster_id)).exit).toBe(4);
    expect((await given(app, wrong, 'cluster', 'rm', first.cluster_id, '--yes')).exit).toBe(4);
    const other = await foreign(app, { name: 'Harbour' });
    const admin = { clusterToken: other.admin_token as string };
    expect((await given(app, admin, 'cluster', 'set', other.cluster_id, '--lang', 'de')).exit).toBe(0);
    expect((await meshd(app.root, 'cluster', 'show', 'c/../d')).exit).toBe(4);
    expect((await meshd(app.root, 'cluster', 'show', 'chess-club')).exit).toBe(4);
    await create(app, 'chess-club', '--public');
    expect((await meshd(app.root, 'cluster', 'show', 'chess-club')).exit).toBe(0);
    expect(await meshd(app.root, 'cluster', 'watch', 'the-commons', '--as', ' ')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Give your handle, such as --as ada.'),
    });
  });

  it('a name that is also the slug of another cluster exits 6, and no message is sent to either', async () => {
    const app = await daemon();
    const own = await create(app, 'town');
    const other = await foreign(app, { name: 'Town', visibility: 'public' });
    const { exit, out, err } = await meshd(app.root, 'cluster', 'say', 'town', 'For us', '--as', 'ada');
    expect([exit, out]).toEqual([6, '']);
    expect(err).toContain(own.cluster_id);
    expect(err).toContain(other.cluster_id);
    expect((await meshd(app.root, 'cluster', 'show', own.cluster_id)).exit).toBe(0);
  });

  it('join stores a token from stdin or the environment after the cluster has accepted it', async () => {
    const app = await daemon();
    const { cluster_id, token, admin_token } = await foreign(app, { name: 'Harbour' });
    const joinFrom = (from: { stdin?: string; clusterToken?: string }, id = cluster_id) =>
      given(app, from, 'cluster', 'join', id);
    const wrong = `ck_${'x'.repeat(43)}`;
    const refused = await joinFrom({ stdin: `${wrong}\n` });
    expect([refused.exit, refused.out]).toEqual([4, '']);
    expect(refused.err).not.toContain(wrong);
    expect((await joinFrom({ stdin: 'nonsense' })).exit).toBe(2);
    const joined = await joinFrom({ stdin: `${token}\n` });
    expect(joined).toMatchObject({ exit: 0, out: `Harbour (${cluster_id}) is joined.\n` });
    expect(kept(app.root)).toEqual({ [cluster_id]: { name: 'Harbour', visibility: 'private', token } });
    expect((await joinFrom({ clusterToken: admin_token as string })).exit).toBe(0);
    expect(kept(app.root)[cluster_id]).toEqual({ name: 'Harbour', visibility: 'private', token, admin_token });
    const again = await given(app, { stdin: token as string }, 'cluster', 'join', cluster_id, '--json');
    expect(JSON.parse(again.out)).toMatchObject({ id: cluster_id, tokens_file: join(app.root, TOKENS) });
    expect(joined.err).toBe(`Its token is in ${join(app.root, TOKENS)}.\n`);
    expect((await joinFrom({ stdin: `${token}x` })).exit).toBe(2);
    const open = await foreign(app, { name: 'Open', visibility: 'public' });
    const needless = await joinFrom({ stdin: `ck_${'x'.repeat(43)}` }, open.cluster_id);
    expect([needless.exit, needless.out]).toEqual([6, '']);
    expect(needless.err).toBe('meshd: Open is public: it needs no token. `meshd cluster watch open`\n');
  });

  it('say prints how many recipients were reached, watch prints the messages', async () => {
    const app = await daemon();
    const { cluster_id } = await create(app, 'Harbour crew');
    const say = (...args: string[]) => meshd(app.root, 'cluster', 'say', 'Harbour crew', ...args);
    expect(await say('Anyone?', '--as', 'ada')).toEqual({ exit: 0, out: 'Nobody was reached.\n', err: '' });
    const { token = '' } = kept(app.root)[cluster_id] ?? {};
    const [bob, eve] = [
      await peer(app, cluster_id, 'bob', `&token=${token}`),
      await peer(app, cluster_id, 'eve', `&token=${token}`),
    ];
    const watching = atTerminal(app.root, 'cluster', 'watch', cluster_id, '--count', '2');
    await watching.until('err', /Here: bob, eve\./);
    expect(await say('Morning,\nall', '--as', 'ada')).toEqual({ exit: 0, out: 'Reached 2.\n', err: '' });
    expect(JSON.parse((await say('Psst', '--as', 'ada', '--to', 'bob', '--json')).out)).toEqual({
      cluster_id,
      delivered: 1,
    });
    expect(await bob.until(({ kind }) => kind === 'message')).toMatchObject({
      from: 'ada',
      to: null,
      payload: 'Morning,\nall',
    });
    expect(await bob.until(({ kind }) => kind === 'message')).toMatchObject({ to: 'bob', payload: 'Psst' });
    eve.socket.send(
      JSON.stringify({
        payload: { media: [{ mime: 'image/png', url: 'https://a.example/b' }], text: 'A \u001b[2Jpicture' },
      }),
    );
    expect(await watching.exit).toBe(0);
    expect(watching.out).toMatch(
      /^[\d:]{8}Z ada: Morning, ⏎ all\n[\d:]{8}Z eve: A \\x1b\[2Jpicture \[image\/png, https:\/\/a\.example\/b\]\n$/,
    );
    expect(bob.frames.filter(({ kind }) => kind === 'presence')).toMatchObject([{ agent: 'eve' }]);
  });

  it('cluster watch follows the streaming convention: one message at its end; --raw shows frames', async () => {
    const app = await daemon();
    const { cluster_id } = await create(app, 'Town', '--public');
    const [watching, raw] = [[], ['--raw']].map((more) => atTerminal(app.root, 'cluster', 'watch', 'town', ...more));
    for (const one of [watching, raw]) await one?.until('err', /Nobody is here/);
    const bob = await peer(app, cluster_id, 'bob');
    const send = (payload: object) => bob.socket.send(JSON.stringify({ payload }));
    const piece = (seq: number, delta: string, more: object = {}) =>
      send({ type: 'message', stream: 's', seq, delta, ...more });
    piece(1, 'lamp ');
    piece(0, 'The ');
    send({ media: [{ name: 'lamp.bin', mime: 'application/octet-stream', b64: btoa('x'.repeat(1_500)) }] });
    piece(2, 'is on', { done: true });
    send({ type: 'message', stream: 't', seq: 0, delta: 'Half a' });
    await raw?.until('out', /Half a/);
    bob.socket.close();
    await watching?.until('err', /bob left/);
    const said = (out = '') => out.match(/(?<=bob: ).*$/gm);
    expect(said(watching?.out)).toEqual([
      '[lamp.bin, application/octet-stream, 2 kB]',
      'The lamp is on',
      'Half a [not finished]',
    ]);
    expect(said(raw?.out)).toHaveLength(5);
  });

  it('watch --jsonl prints every frame, and exits 4 when the cluster is deleted', async () => {
    const app = await daemon();
    const { cluster_id } = await create(app, 'Town', '--public');
    const watching = atTerminal(app.root, 'cluster', 'watch', 'town', '--jsonl');
    await watching.until('out', /"ready"/);
    await peer(app, cluster_id, 'bob');
    await watching.until('out', /"presence"/);
    expect(await meshd(app.root, 'cluster', 'rm', 'town')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--yes'),
    });
    expect(await meshd(app.root, 'cluster', 'rm', 'town', '--yes')).toEqual({
      exit: 0,
      out: `Deleted ${cluster_id}.\n`,
      err: '',
    });
    expect(await watching.exit).toBe(4);
    const frames = watching.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as WallFrame);
    expect(frames.map(({ kind }) => kind)).toEqual(['ready', 'presence', 'closed']);
    expect(watching.err).toContain('The cluster was deleted.');
    expect(kept(app.root)).toEqual({});
    expect(await meshd(app.root, 'cluster', 'show', cluster_id)).toMatchObject({ exit: 4 });
  });

  it('a private cluster without its token exits 5, an invalid handle or a too large message exits 2', async () => {
    const app = await daemon();
    const { cluster_id } = await foreign(app);
    expect(await meshd(app.root, 'cluster', 'say', cluster_id, 'x', '--as', 'ada')).toMatchObject({ exit: 5, out: '' });
    expect(await meshd(app.root, 'cluster', 'watch', cluster_id)).toMatchObject({ exit: 5, out: '' });
    const commons = (text: string, as = 'ada') => meshd(app.root, 'cluster', 'say', 'the-commons', text, '--as', as);
    expect(await commons('x', 'a\u202eb')).toMatchObject({ exit: 2, out: '' });
    expect(await commons('x'.repeat(70_000))).toMatchObject({ exit: 2, out: '' });
    expect(
      await given(app, { stdin: 'From a pipe\n' }, 'cluster', 'say', 'the-commons', '-', '--as', 'ada'),
    ).toMatchObject({ exit: 0 });
    expect(await given(app, {}, 'cluster', 'say', 'the-commons', '-', '--as', 'ada')).toMatchObject({ exit: 2 });
  });

  it('set enables boards and sets rules with the admin token, and exits 5 without it', async () => {
    const app = await daemon();
    const { cluster_id } = await create(app, 'Town', '--public');
    const set = (...args: string[]) => meshd(app.root, 'cluster', 'set', 'town', ...args);
    const shown = await set(
      '--boards',
      'on',
      '--where',
      '52.52,13.405,Berlin',
      '--lang',
      'de',
      '--age-min',
      '18',
      '--max-chars',
      '500',
    );
    expect(shown).toMatchObject({ exit: 0, err: '' });
    expect(shown.out).toMatch(
      /^Boards +on\nWhere +Berlin\nLanguage +de\nAge +18 and older\nPost length +at most 500 characters$/m,
    );
    expect(shown.out).not.toContain('13.405');
    expect(
      JSON.parse((await set('--clear', 'entry', '--clear', 'limits', '--where', 'none', '--json')).out),
    ).toMatchObject({
      id: cluster_id,
      boards_enabled: true,
      props: { where: 'none', lang: 'de' },
    });
    expect((await meshd(app.root, 'cluster', 'set', 'the-commons', '--lang', 'en')).exit).toBe(0);
    await foreign(app, { name: 'Elsewhere', visibility: 'public' });
    const elsewhere = await meshd(app.root, 'cluster', 'set', 'elsewhere', '--boards', 'off');
    expect([elsewhere.exit, elsewhere.err]).toEqual([5, expect.stringContaining('no admin token')]);
    const wrong = { clusterToken: `ck_${'x'.repeat(43)}` };
    expect(await given(app, wrong, 'cluster', 'set', 'town', '--boards', 'off')).toMatchObject({ exit: 5, out: '' });
    expect(await meshd(app.root, 'cluster', 'rm', cluster_id, '--forget')).toMatchObject({ exit: 0 });
    expect(await set('--boards', 'off')).toMatchObject({ exit: 5 });
    expect(await meshd(app.root, 'cluster', 'rm', 'The Commons', '--forget')).toMatchObject({ exit: 4, out: '' });
  });

  it('writes no token while git tracks secrets, and does not overwrite a damaged file', async () => {
    const app = await daemon();
    putFiles(app.root, { [TOKENS]: 'not JSON with a secret' });
    const damaged = await meshd(app.root, 'cluster', 'create');
    expect([damaged.exit, damaged.err]).toEqual([1, expect.stringContaining('is damaged')]);
    expect(damaged.err).not.toContain('a secret');
    putFiles(app.root, { [TOKENS]: '{}', '.mesh/credentials/old.token': 'x' });
    chmodSync(join(app.root, TOKENS), 0o644);
    git(app.root, 'add', '-f', '.mesh/credentials/old.token');
    expect(await meshd(app.root, 'cluster', 'create')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('git rm -r --cached'),
    });
    expect(kept(app.root)).toEqual({});
    expect(statSync(join(app.root, TOKENS)).mode & 0o777).toBe(0o600);
  });

  it('completes slugs, unambiguous names of private clusters with tokens, and ids once one is typed', async () => {
    const app = await daemon();
    const { cluster_id } = await create(app, 'My crew');
    const { cluster_id: alike } = await create(app, 'the-commons');
    const words = (...line: string[]) => completed(app.root, ...line);
    expect(await words('cluster', '')).toEqual([
      'create',
      'ls',
      'show',
      'join',
      'set',
      'rm',
      'watch',
      'say',
      'rooms',
      'hold',
      'leave',
    ]);
    expect(await words('cluster', 'watch', '')).toEqual(['My crew', alike, 'the-commons']);
    expect(await words('board', 'ls', 'c_')).toEqual(expect.arrayContaining([cluster_id, alike]));
    expect((await meshd(app.root, 'cluster', 'set', cluster_id, '--boards', 'on')).exit).toBe(0);
    expect((await meshd(app.root, 'board', 'create', cluster_id, 'rota')).exit).toBe(0);
    expect(await words('board', 'show', 'My crew', '')).toContain('rota');
    const pinned = JSON.parse(
      (await meshd(app.root, 'post', 'new', cluster_id, 'rota', 'Mondays', '--as', 'ada', '--json')).out,
    ) as {
      id: string;
    };
    expect(await words('post', 'show', 'My crew', 'rota', '')).toEqual([pinned.id]);
    expect(await words('post', 'new', 'x', 'y', 'z', '--ttl', '')).toEqual(['24h', '7d', '30d', '1y', 'forever']);
  });
});
