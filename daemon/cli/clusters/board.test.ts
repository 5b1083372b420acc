import { describe, expect, it } from 'vitest';
import type { BoardCreated, Post, PostList } from '../../contract/boards.js';
import type { TestApp } from '../../testing/apps/test-app.js';
import { daemon, meshd } from '../../testing/processes/command-line.js';

/** Creates a public cluster with boards, administered by this command line. */
async function town(): Promise<TestApp> {
  const app = await daemon();
  await meshd(app.root, 'cluster', 'create', 'Town', '--public');
  await meshd(app.root, 'cluster', 'set', 'town', '--boards', 'on');
  return app;
}

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
    const off = await meshd(app.root, 'board', 'ls', 'town', '--json');
    expect([off.exit, off.err, JSON.parse(off.out)]).toEqual([
      6,
      '',
      expect.objectContaining({ error: 'boards_disabled' }),
    ]);
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
    const lines = (await post('ls', 'town', 'flats', '--jsonl')).out.trim().split('\n');
    expect(lines.map((line) => (JSON.parse(line) as Post).author)).toEqual(['bob', 'ada']);
    const shown = await post('show', 'town', 'flats', id);
    expect(shown).toMatchObject({ exit: 0, err: '' });
    expect(shown.out).toMatch(/^Where +Berlin\n\nTwo\\x1b\[2J windows\.\n$/m);
    expect((await meshd(app.root, 'board', 'show', 'town', 'flats')).out).toMatch(/^Posts +2\n\nPOST /m);
    expect(await post('rm', 'town', 'flats', id)).toEqual({ exit: 0, out: `Deleted ${id}.\n`, err: '' });
    expect(await post('show', 'town', 'flats', id)).toMatchObject({ exit: 4, out: '' });
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
    expect((await meshd(app.root, 'board', 'show', 'town', 'bar', '--adult')).out).toMatch(
      /^Age +18 and older\nAsks for +id$/m,
    );
    expect(await meshd(app.root, 'post', 'new', 'town', 'bar', 'Too long', '--as', 'ada', '--adult')).toMatchObject({
      exit: 2,
      out: '',
    });
  });
});
