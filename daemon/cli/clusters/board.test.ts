import { describe, expect, it } from 'vitest';
import type { BoardCreated, BoardList, BoardRead, Post, PostCreated, PostList } from '../../contract/boards.js';
import type { TestApp } from '../../testing/apps/test-app.js';
import { atTerminal, daemon, meshd, meshdPiped } from '../../testing/processes/command-line.js';

/** Creates a public cluster with boards, administered by this command line. */
async function town(): Promise<TestApp> {
  const app = await daemon();
  await meshd(app.root, 'cluster', 'create', 'Town', '--public');
  await meshd(app.root, 'cluster', 'set', 'town', '--boards', 'on');
  return app;
}

const parsed = async <T>(app: TestApp, ...args: string[]) =>
  JSON.parse((await meshd(app.root, ...args, '--json')).out) as T;
const utc = (seconds: number) => new Date(seconds * 1000).toISOString().slice(0, 16).replace('T', ' ');
const DAY = 86_400;

describe('meshd board', () => {
  it('creates, lists, shows, edits and removes boards', async () => {
    const app = await town();
    const board = (...args: string[]) => meshd(app.root, 'board', ...args);
    expect(await board('ls', 'town')).toEqual({ exit: 0, out: '', err: 'No boards.\n' });
    const made = await board(
      'create',
      'town',
      'flats',
      '--about',
      'Rooms to let.',
      '--lang',
      'de',
      '--where',
      'none',
      '--max-chars',
      '20',
    );
    expect(made).toMatchObject({
      exit: 0,
      out: expect.stringMatching(/^Created #flats \(b_[0-9a-f]{16}\)\.\n$/),
      err: '',
    });
    const other = JSON.parse(
      (await board('create', 'town', 'jumble', '--kind', 'buysell', '--name', 'Jumble sale', '--json')).out,
    ) as BoardCreated;
    expect(other.board).toMatchObject({ slug: 'jumble', name: 'Jumble sale', kind: 'buysell', about: '', props: null });
    expect((await board('ls', 'town')).out).toBe(
      'BOARD    KIND     POSTS  NAME         ABOUT\n#flats   generic  0      flats        Rooms to ' +
        'let.\n#jumble  buysell  0      Jumble sale\n',
    );
    const shown = await board('show', 'town', 'flats');
    expect(shown.out).toMatch(
      /^About +Rooms to let\.\nWhere +anywhere\nLanguage +de\nPost length +at most 20 characters\nPosts +0\n$/m,
    );
    expect(await board('edit', 'town', 'flats', '--name', 'Flats', '--clear', 'lang')).toEqual({
      exit: 0,
      out: 'Edited #flats.\n',
      err: '',
    });
    expect(JSON.parse((await board('edit', 'town', 'flats', '--clear-all', '--json')).out)).toMatchObject({
      name: 'Flats',
      props: null,
    });
    expect(await board('rm', 'town', 'flats')).toMatchObject({ exit: 2, err: expect.stringContaining('--yes') });
    expect(await board('rm', 'town', 'flats', '--yes')).toEqual({ exit: 0, out: 'Deleted flats.\n', err: '' });
    expect(await board('show', 'town', 'flats')).toMatchObject({ exit: 4, out: '' });
  });

  it('exits 6 for disabled boards and for a taken slug, 2 for an invalid slug', async () => {
    const app = await town();
    const create = (slug: string) => meshd(app.root, 'board', 'create', 'town', slug);
    expect((await create('flats')).exit).toBe(0);
    expect(await create('flats')).toMatchObject({ exit: 6, out: '', err: expect.stringContaining('already') });
    expect(await create('No Slug')).toMatchObject({ exit: 2, out: '' });
    await meshd(app.root, 'cluster', 'set', 'town', '--boards', 'off');
    expect(await meshd(app.root, 'board', 'ls', 'town')).toMatchObject({ exit: 0, err: 'No boards.\n' });
    const off = await meshd(app.root, 'board', 'show', 'town', 'flats', '--json');
    expect([off.exit, off.err, JSON.parse(off.out)]).toEqual([
      6,
      '',
      expect.objectContaining({ error: 'boards_disabled' }),
    ]);
  });
});

describe('the output of meshd board', () => {
  it('holds every part of a board, and the objects of the daemon with --json and --jsonl', async () => {
    const app = await town();
    const board = (...args: string[]) => meshd(app.root, 'board', ...args);
    const charter = ['--kind', 'events', '--about', 'What is on.', '--require', 'id', '--require', 'ticket'];
    await board('create', 'town', 'stage', '--name', 'The stage', ...charter, '--age-min', '16');
    await board('create', 'town', 'flats');
    const { body: read } = await app.call('GET', '/v1/clusters/town/boards/stage');
    expect(await parsed(app, 'board', 'show', 'town', 'stage')).toEqual(read);
    const { id } = (read as BoardRead).board;
    expect(await board('show', 'town', 'stage')).toEqual({
      exit: 0,
      err: '',
      out: [
        `Board     #stage (${id})`,
        'Name      The stage',
        'Kind      events',
        'About     What is on.',
        'Age       16 and older',
        'Asks for  id, ticket',
        'Posts     0\n',
      ].join('\n'),
    });
    const list = (await app.call('GET', '/v1/clusters/town/boards')).body as BoardList;
    expect(await parsed(app, 'board', 'ls', 'town')).toEqual(list);
    const lines = (await board('ls', 'town', '--jsonl')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual(list.boards);
    expect(JSON.parse((await board('rm', 'town', 'stage', '--yes', '--json')).out)).toEqual({
      board: 'stage',
      deleted: true,
    });
  });

  it('edit sets a text to the empty one too, and refuses an edit of nothing or a rule beside --clear-all', async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'flats', '--about', 'Rooms.', '--lang', 'de', '--where', 'none');
    const edit = (...args: string[]) => meshd(app.root, 'board', 'edit', 'town', 'flats', ...args);
    expect(JSON.parse((await edit('--about', '', '--json')).out)).toMatchObject({ name: 'flats', about: '' });
    expect(await edit('--name', '')).toMatchObject({ exit: 2, out: '' });
    expect(await edit()).toEqual({
      exit: 2,
      out: '',
      err: 'meshd: Say what to edit: --name, --about, a rule, or --clear.\n',
    });
    expect(await edit('--clear-all', '--lang', 'fr')).toEqual({
      exit: 2,
      out: '',
      err: 'meshd: --clear-all takes all rules away: set none beside it.\n',
    });
    const cleared = JSON.parse((await edit('--clear', 'lang', '--clear', 'where', '--json')).out) as object;
    expect(cleared).toMatchObject({ props: null });
  });

  it('rm asks at a terminal, and exits 1 for anything but yes', async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'flats');
    for (const [typed, exit] of [
      ['yesterday\n', 1],
      ['YES\n', 0],
    ] as const) {
      const session = atTerminal(app.root, 'board', 'rm', 'town', 'flats');
      await session.until('err', /Delete the board flats with its posts\? \[y\/N\] /);
      session.type(typed);
      expect(await session.exit).toBe(exit);
      expect(session.out).toBe(exit === 0 ? 'Deleted flats.\n' : '');
      expect(session.err.includes('Nothing was deleted.')).toBe(exit !== 0);
    }
  });
});

describe('meshd post', () => {
  it('pins, lists, shows and removes posts', async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'flats');
    const post = (...args: string[]) => meshd(app.root, 'post', ...args);
    expect(await post('ls', 'town', 'flats')).toEqual({ exit: 0, out: '', err: 'No posts.\n' });
    const pinned = await post(
      'new',
      'town',
      'flats',
      'A room',
      '--as',
      'ada',
      '--body',
      'Two\u001b[2J windows.',
      '--where',
      '52.52,13.405,Berlin',
    );
    const [, id = ''] = /^Pinned (p_[0-9a-f]{16})\.\n$/.exec(pinned.out) ?? [];
    expect([pinned.exit, pinned.err]).toEqual([0, '']);
    const file = ['--file-url', 'https://a.example/plan.png', '--file-type', 'image/png'];
    await post('new', 'town', 'flats', 'A house', '--as', 'bob', '--ttl', 'forever', '--lang', 'de', ...file);
    const listed = await post('ls', 'town', 'flats');
    expect(listed.out).toMatch(
      /^POST +PINNED \(UTC\) +EXPIRES \(UTC\) +BY +WHERE +TITLE\np_\S+ .* never +bob +A house\np_\S+ .* ada +Berlin +A room\n$/,
    );
    const near = await post('ls', 'town', 'flats', '--near', '52.5,13.4', '--km', '20');
    expect(near.out).toMatch(/AWAY.*\np_\S+ .* ada +2\.2 km +Berlin +A room\n$/);
    expect(near.out).not.toContain('13.405');
    const { posts, count, next_cursor } = JSON.parse(
      (await post('ls', 'town', 'flats', '--lang', 'de', '--json')).out,
    ) as PostList;
    expect([posts.map(({ title }) => title), count, next_cursor]).toEqual([['A house'], 1, null]);
    expect((await post('ls', 'town', 'flats', '--limit', '1')).err).toContain('--limit 2');
    const first = await parsed<PostList>(app, 'post', 'ls', 'town', 'flats', '--limit', '1');
    expect([first.posts.length, first.count, typeof first.next_cursor]).toEqual([1, 1, 'string']);
    const lines = (await post('ls', 'town', 'flats', '--jsonl')).out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Post).author)).toEqual(['bob', 'ada']);
    const shown = await post('show', 'town', 'flats', id);
    expect(shown).toMatchObject({ exit: 0, err: '' });
    expect(shown.out).toMatch(/^Where +Berlin\n\nTwo\\x1b\[2J windows\.\n$/m);
    expect((await meshd(app.root, 'board', 'show', 'town', 'flats')).out).toMatch(/^Posts +2\n\nPOST /m);
    expect(await post('rm', 'town', 'flats', id)).toEqual({ exit: 0, out: `Deleted ${id}.\n`, err: '' });
    expect(await post('show', 'town', 'flats', id)).toMatchObject({ exit: 4, out: '' });
  });

  it.each(['52.52N,13.405E,Home', '.52,13.4,Home', '+52.52, 13.4', "52°31'N,13°24'E,Home"])(
    'refuses coordinates that it cannot read, which would be shown as a label: %s',
    async (place) => {
      const app = await town();
      const { exit, err } = await meshd(app.root, 'board', 'create', 'town', 'flats', '--where', place);
      expect([exit, err]).toEqual([2, expect.stringContaining('52.52,13.405,Home')]);
      const named = ['--where', '10 Main Street, 3rd floor, Home'];
      expect((await meshd(app.root, 'board', 'create', 'town', 'flats', ...named)).exit).toBe(0);
    },
  );

  it('shows every part of a post, and passes on every option', async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'flats');
    const at = ['town', 'flats'];
    const file = ['--file-url', 'https://a.example/plan.png', '--file-type', 'image/png'];
    const place = ['--where', '-33.9, 18.4, Cape Town, the harbour', '--lang', 'en'];
    const handle = 'Ada & Co #1?';
    const house = JSON.parse(
      (
        await meshdPiped(
          app.root,
          'Two windows.\n\nNo cat.\n\n',
          ...['post', 'new', ...at, 'A house', '--as', handle, '--body', '-', '--ttl', '30d', ...file, ...place],
          '--json',
        )
      ).out,
    ) as PostCreated;
    const found = await parsed<Post>(app, 'post', 'show', ...at, house.id);
    expect(found).toEqual(
      ((await app.call('GET', `/v1/clusters/town/boards/flats/posts/${house.id}`)).body as { post: Post }).post,
    );
    expect(found).toMatchObject({
      body: 'Two windows.\n\nNo cat.',
      author: handle,
      expires_at: found.created_at + 30 * DAY,
      props: { where: { lat: -33.9, lon: 18.4, label: 'Cape Town, the harbour' } },
    });
    expect(await meshd(app.root, 'post', 'show', ...at, house.id)).toEqual({
      exit: 0,
      err: '',
      out: [
        `Post           ${house.id}`,
        'Title          A house',
        `By             ${handle}`,
        `Pinned (UTC)   ${utc(found.created_at)}`,
        `Expires (UTC)  ${utc(found.created_at + 30 * DAY)}`,
        'Where          Cape Town, the harbour',
        'Language       en',
        'File           https://a.example/plan.png (image/png)',
        '\nTwo windows.\n\nNo cat.\n',
      ].join('\n'),
    });
    const near = ['post', 'ls', ...at, '--near', '-33.8,18.4'];
    expect((await parsed<PostList>(app, ...near)).count).toBe(1);
    expect((await parsed<PostList>(app, ...near, '--km', '5')).count).toBe(0);
    const removed = await meshd(app.root, 'post', 'rm', ...at, house.id, '--as', handle, '--json');
    expect(JSON.parse(removed.out)).toEqual({ post: house.id, deleted: true });
  });

  it('stays seven days and has no text unless told otherwise', async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'flats');
    const { id } = await parsed<PostCreated>(app, 'post', 'new', 'town', 'flats', 'A room', '--as', 'ada');
    const post = await parsed<Post>(app, 'post', 'show', 'town', 'flats', id);
    expect(post).toMatchObject({ body: '', file: null, expires_at: post.created_at + 7 * DAY });
    expect((await meshd(app.root, 'post', 'show', 'town', 'flats', id)).out).toBe(
      `Post           ${id}\nTitle          A room\nBy             ada\nPinned (UTC)   ${utc(post.created_at)}\n` +
        `Expires (UTC)  ${utc(post.created_at + 7 * DAY)}\n`,
    );
    const lasting = ['post', 'new', 'town', 'flats', 'A house', '--as', 'ada', '--ttl', 'forever'];
    const { id: other } = await parsed<PostCreated>(app, ...lasting);
    expect((await meshd(app.root, 'post', 'show', 'town', 'flats', other)).out).toMatch(/^Expires \(UTC\) {2}never$/m);
    for (const half of [
      ['--file-url', 'https://a.example/b'],
      ['--file-type', 'image/png'],
    ])
      expect(await meshd(app.root, 'post', 'new', 'town', 'flats', 'x', '--as', 'ada', ...half)).toEqual({
        exit: 2,
        out: '',
        err: 'meshd: A file is named by both --file-url and --file-type.\n',
      });
  });

  it("exits 5 for the post of another member without the admin token, but not for one's own", async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'flats');
    const { id } = JSON.parse(
      (await meshd(app.root, 'post', 'new', 'town', 'flats', 'x', '--as', 'ada', '--json')).out,
    ) as { id: string };
    await meshd(app.root, 'cluster', 'rm', 'Town', '--forget');
    const remove = (...as: string[]) => meshd(app.root, 'post', 'rm', 'town', 'flats', id, ...as);
    expect(await remove('--as', 'eve')).toMatchObject({ exit: 5, out: '' });
    expect(await remove()).toMatchObject({ exit: 5, out: '' });
    expect((await remove('--as', 'ada', '--json')).out).toContain('"deleted": true');
  });

  it('exits 5 for a board for adults without --adult, 2 for a post that is too long', async () => {
    const app = await town();
    await meshd(app.root, 'board', 'create', 'town', 'bar', '--age-min', '18', '--require', 'id', '--max-chars', '5');
    expect(await meshd(app.root, 'post', 'ls', 'town', 'bar')).toMatchObject({
      exit: 5,
      out: '',
      err: expect.stringContaining('adult=1'),
    });
    expect(await meshd(app.root, 'post', 'new', 'town', 'bar', 'x', '--as', 'ada')).toMatchObject({ exit: 5, out: '' });
    expect((await meshd(app.root, 'post', 'new', 'town', 'bar', 'x', '--as', 'ada', '--adult')).exit).toBe(0);
    expect((await parsed<PostList>(app, 'post', 'ls', 'town', 'bar', '--adult')).count).toBe(1);
    const [{ id }] = (await parsed<PostList>(app, 'post', 'ls', 'town', 'bar', '--adult')).posts as [Post];
    expect((await meshd(app.root, 'post', 'show', 'town', 'bar', id)).exit).toBe(5);
    expect((await meshd(app.root, 'post', 'show', 'town', 'bar', id, '--adult')).exit).toBe(0);
    expect((await meshd(app.root, 'board', 'show', 'town', 'bar', '--adult')).out).toMatch(
      /^Age +18 and older\nAsks for +id$/m,
    );
    expect(await meshd(app.root, 'post', 'new', 'town', 'bar', 'Too long', '--as', 'ada', '--adult')).toMatchObject({
      exit: 2,
      out: '',
    });
  });
});
