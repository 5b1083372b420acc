import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { imports } from '../../testing/parts/importing.js';
import { putFiles } from '../../testing/temporary-folder.js';

const KEY = 'sk-0123456789abcdefghij';
const SCOUT = '---\nname: scout\ndescription: Looks.\nmodel: sonnet\n---\nLook.\n';
const SOURCE = '.claude/agents/scout.md';
const ENTRIES = '{"agent": {"inner": {"prompt": "P", "description": "D"}}}';

/** Imports of a project with `files`, of which `all` are imported. */
async function project(files: Record<string, string>, all: readonly string[] = []) {
  const parts = await imports({});
  putFiles(parts.root, files);
  const send = (items: readonly object[]) => parts.feature.import({ items: items as never });
  for (const source of all) expect((await send([{ source }])).skipped).toEqual([]);
  return {
    ...{ ...parts, send },
    look: async () => (await parts.feature.list({})).found,
    /** Why an item is not imported. */
    refuse: async (item: object) => (await send([item])).skipped[0],
    write: (path: string, text: string) => writeFileSync(join(parts.root, path), text),
    member: (id: string) => readFileSync(join(parts.root, `.mesh/team/${id}.md`), 'utf8'),
    kept: () => {
      const folder = join(parts.root, '.mesh/state/imports');
      return existsSync(folder) ? readdirSync(folder) : [];
    },
  };
}

describe('a candidate', () => {
  it('has what is shown of it before the import', async () => {
    const { look } = await project({ [SOURCE]: SCOUT, '.codex/agents/c-x.toml': 'developer_instructions = "C"\n' });
    const field = { fate: 'taken', to: 'body' };
    expect(await look()).toEqual([
      {
        ...{ source: SOURCE, entry: null, format: 'claude', scope: 'project', sha256: sha256Hex(SCOUT), id: 'scout' },
        ...{ name: 'Scout', description: 'Looks.', notes: [], state: 'new' },
        fields: [
          { key: 'name', shown: 'scout', fate: 'taken', to: 'id' },
          { key: 'description', shown: 'Looks.', fate: 'taken', to: 'description' },
          { key: 'model', shown: 'sonnet', fate: 'taken', to: 'model' },
          { ...field, key: 'body', shown: 'Look.' },
        ],
      },
      expect.objectContaining({
        ...{ name: 'C X', description: '', fields: [{ ...field, key: 'developer_instructions', shown: 'C' }] },
      }),
    ]);
  });

  it('of a configuration has its prompt by its key', async () => {
    const { look } = await project({ 'opencode.json': ENTRIES });
    const [one] = await look();
    expect(one).toMatchObject({ source: 'opencode.json', entry: 'inner', id: 'inner' });
    expect(one?.fields.map(({ key, shown }) => [key, shown])).toEqual([
      ['description', 'D'],
      ['prompt', 'P'],
    ]);
  });

  it('of a configuration of opencode 2 has its prompt and its rules by their keys', async () => {
    const rule = '{"action":"edit","resource":"*","effect":"deny"}';
    const { look } = await project({
      'opencode.json': `{"agents": {"inner": {"system": "P", "permissions": [${rule}]}}}`,
    });
    const [one] = await look();
    expect(one?.fields.map(({ key, shown, fate, to }) => [key, shown, fate, to])).toEqual([
      ['permissions', `[${rule}]`, 'taken', 'tools'],
      ['system', 'P', 'taken', 'body'],
    ]);
  });

  it('that is no agent says why, and nothing more', async () => {
    const { look } = await project({ '.claude/agents/x.md': 'B\n', 'opencode.json': '{' });
    const nothing = { id: '', description: '', fields: [], notes: [] };
    expect(await look()).toMatchObject([
      { ...nothing, name: 'x', state: 'not_a_member', reason: expect.stringContaining('no frontmatter') },
      { ...nothing, name: 'opencode.json', state: 'unreadable', reason: expect.stringContaining('Line 1') },
    ]);
  });

  it('shows no secret in its name or description', async () => {
    const { look } = await project({
      '.github/agents/x.md': `---\nname: ${KEY}\ndescription: With ${KEY}.\n---\n\nB\n`,
      '.github/agents/y.md': '---\nname: Ada\ndescription: D\n---\n\nB\n',
    });
    const [leaky, fine] = await look();
    expect([leaky?.name, leaky?.description, JSON.stringify(leaky).includes(KEY)]).toEqual(['', '', false]);
    expect([fine?.name, fine?.description]).toEqual(['Ada', 'D']);
  });

  it('has an id that is free, of members and of other candidates', async () => {
    const { look, send } = await project({
      [SOURCE]: SCOUT,
      '.cursor/agents/scout.md': SCOUT,
      '.gemini/agents/x.md': SCOUT,
    });
    expect((await look()).map(({ id, suggested, state }) => [id, suggested, state])).toEqual([
      ['scout', undefined, 'new'],
      ['scout', 'scout-2', 'conflict'],
      ['scout', 'scout-3', 'conflict'],
    ]);
    await send([{ source: '.cursor/agents/scout.md', id: 'scout-3' }]);
    expect((await look()).map(({ id, suggested, state }) => [id, suggested, state])).toEqual([
      ['scout', undefined, 'new'],
      ['scout', 'scout-2', 'conflict'],
      ['scout-3', undefined, 'same'],
    ]);
  });

  it('that is a member is the same until its source changes', async () => {
    const { look, write, drift } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    const state = async () => (await look()).map((one) => [one.id, one.state, one.name]);
    expect(await state()).toEqual([['scout', 'same', 'Scout']]);
    write(SOURCE, SCOUT.replace('Look.', 'Peer.'));
    expect(await state()).toEqual([['scout', 'changed', 'Scout']]);
    await drift.settle('scout', 'ignore');
    expect(await state()).toEqual([['scout', 'same', 'Scout']]);
  });

  it('that has the content of its member is the same', async () => {
    const { look, write, member } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    write('.mesh/team/scout.md', member('scout').replace('Looks.', 'Peers.'));
    write(SOURCE, SCOUT.replace('Looks.', 'Peers.').replace('name: scout', 'name: "scout"'));
    expect((await look()).map(({ state }) => state)).toEqual(['same']);
  });

  it('that was written for a member is told with it, while it is there', async () => {
    const { look, exports, root, write } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    await exports.export({ format: 'cursor', ids: ['scout'], write: true });
    const last = async () => {
      const one = (await look()).at(-1);
      return [one?.source, one?.id, one?.state, one?.written_for];
    };
    expect(await last()).toEqual(['.cursor/agents/scout.md', 'scout', 'same', 'scout']);
    const text = readFileSync(join(root, '.cursor/agents/scout.md'), 'utf8');
    write('.cursor/agents/scout.md', `${text}More.\n`);
    expect(await last()).toEqual(['.cursor/agents/scout.md', 'scout', 'conflict', undefined]);
    write('.cursor/agents/scout.md', text);
    rmSync(join(root, '.mesh/team/scout.md'));
    expect((await last())[3]).toBeUndefined();
  });
});

describe('an import', () => {
  it('is a member with the note of each key, and the bytes of its source are kept', async () => {
    const text = SCOUT.replace('model: sonnet', 'model: inherit');
    const { send, member, kept } = await project({ [SOURCE]: text });
    expect(await send([{ source: SOURCE, sha256: sha256Hex(text) }])).toEqual({
      imported: [{ id: 'scout', source: SOURCE, notes: [expect.stringMatching(/^model: `inherit` has no meaning/)] }],
      skipped: [],
    });
    expect(member('scout')).toContain('  tight: true\n');
    expect(kept()).toEqual([sha256Hex(text)]);
  });

  it('of a file with a blank line before its prompt says nothing of it', async () => {
    const text = SCOUT.replace('---\nLook', '---\n\nLook');
    const { member } = await project({ [SOURCE]: text, '.codex/agents/c-x.toml': 'developer_instructions = "C"\n' }, [
      ...[SOURCE, '.codex/agents/c-x.toml'],
    ]);
    expect([member('scout'), member('c-x')].filter((one) => one.includes('tight'))).toEqual([]);
  });

  it('keeps no bytes with a secret', async () => {
    const noted = await project({ [SOURCE]: SCOUT.replace('model: sonnet', `# ${KEY}`) }, [SOURCE]);
    expect(noted.kept()).toEqual([]);
    const { kept, send } = await project({
      [SOURCE]: SCOUT.replace('model: sonnet', 'token: a1b2c3d4'),
      'opencode.json': ENTRIES,
    });
    expect((await send([{ source: SOURCE }, { source: 'opencode.json', entry: 'inner' }])).skipped).toEqual([]);
    expect(kept()).toEqual([]);
  });

  it.each<[title: string, item: object, code: string, reason: string]>([
    [
      'nothing is there',
      { source: '.claude/agents/none.md' },
      'not_found',
      'No agent of another tool is at .claude/agents/none.md.',
    ],
    ['no agent can be there', { source: 'README.md' }, 'not_found', 'No agent of another tool is at README.md.'],
    [
      'the home folder is no project',
      { source: '~/.claude/agents/a.md', scope: 'project' },
      'not_found',
      'No agent of another tool is at ~/.claude/agents/a.md.',
    ],
    [
      'there is no entry',
      { source: 'opencode.json', entry: 'none' },
      'not_found',
      'No agent of another tool is at opencode.json.',
    ],
    ['a file has no entries', { source: SOURCE, entry: 'x' }, 'not_found', `No agent of another tool is at ${SOURCE}.`],
    [
      'the file changed',
      { source: SOURCE, sha256: 'x' },
      'file_changed',
      'The file has changed since you looked at it: look again.',
    ],
    [
      'it is no agent',
      { source: '.claude/agents/text.md' },
      'bad_request',
      'It has no frontmatter, so it is a text beside the agents and none itself.',
    ],
  ])('is skipped where %s', async (_title, item, code, reason) => {
    const { refuse } = await project({ [SOURCE]: SCOUT, '.claude/agents/text.md': 'B\n', 'opencode.json': ENTRIES });
    expect(await refuse(item)).toMatchObject({ code, reason, source: (item as { source: string }).source });
  });

  it('of a member that exists is skipped, and tells of a change', async () => {
    const { refuse, write, send } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    const same = { code: 'member_exists', reason: 'It is `scout` already.' };
    expect(await refuse({ source: SOURCE })).toMatchObject(same);
    write(SOURCE, SCOUT.replace('name: scout', 'name: "scout"'));
    expect(await refuse({ source: SOURCE })).toMatchObject(same);
    write(SOURCE, SCOUT.replace('Look.', 'Peer.'));
    expect(await refuse({ source: SOURCE })).toMatchObject({
      ...{ code: 'member_exists', reason: 'It is `scout` already, and has changed since: pull the change.' },
    });
    expect((await send([{ source: SOURCE, id: 'second' }])).imported).toMatchObject([{ id: 'second' }]);
  });

  it('twice in one request is a member once', async () => {
    const { send } = await project({ [SOURCE]: SCOUT });
    const { imported, skipped } = await send([{ source: SOURCE }, { source: SOURCE }]);
    expect([imported.length, skipped]).toEqual([
      1,
      [{ source: SOURCE, code: 'member_exists', reason: 'It is `scout` already.' }],
    ]);
  });

  it('is told apart by scope, path and entry', async () => {
    const { feature, home, root } = await imports({ [SOURCE]: SCOUT });
    putFiles(root, {
      [SOURCE]: SCOUT,
      'opencode.json': '{"agent": {"scout": {"prompt": "P"}, "scout2": {"prompt": "P"}}}',
    });
    expect(home).not.toBe(root);
    const items = [
      { source: SOURCE },
      { source: `~/${SOURCE}`, id: 'of-home' },
      { source: 'opencode.json', entry: 'scout', id: 'of-entry' },
      { source: 'opencode.json', entry: 'scout2' },
    ];
    const { imported, skipped } = await feature.import({ items });
    expect([imported.map(({ id }) => id), skipped]).toEqual([['scout', 'of-home', 'of-entry', 'scout2'], []]);
    expect((await feature.import({ items: [{ source: SOURCE, scope: 'user' }] })).skipped).toMatchObject([
      { reason: 'It is `of-home` already.' },
    ]);
  });

  it('fails as a whole where the daemon itself fails', async () => {
    const { parts, feature } = await project({ [SOURCE]: SCOUT });
    parts.team.createFile = () => Promise.reject(new TypeError('No space.'));
    await expect(feature.import({ items: [{ source: SOURCE }] })).rejects.toThrow('No space.');
  });
});

describe('drift', () => {
  const MOVED = '---\nname: scout\ndescription: Peers.\ncolor: red\n---\nPeer.\n';

  it('tells the keys that changed, those that are gone, and the prompt', async () => {
    const { drift, write } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    expect(await drift.list()).toEqual({ drifted: [], count: 0 });
    write(SOURCE, MOVED);
    expect(await drift.list()).toEqual({
      count: 1,
      drifted: [
        {
          ...{ id: 'scout', source: SOURCE, format: 'claude', state: 'changed', member_edited: false },
          fields: [
            { key: 'description', shown: 'Peers.', fate: 'taken', to: 'description' },
            { key: 'color', shown: 'red', fate: 'unused', to: 'color' },
            { key: 'model', shown: '', fate: 'taken', note: 'It is gone from the source.' },
            { key: 'body', shown: 'Peer.', fate: 'taken', to: 'body' },
          ],
        },
      ],
    });
  });

  it('of a source that is no agent any more is its reason', async () => {
    const { drift, write } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    write(SOURCE, 'B\n');
    const note = 'It has no frontmatter, so it is a text beside the agents and none itself.';
    expect((await drift.list()).drifted).toMatchObject([
      { state: 'changed', fields: [{ key: 'file', shown: '', fate: 'unused', note }] },
    ]);
    await expect(drift.settle('scout', 'pull')).rejects.toMatchObject({
      ...{ code: 'bad_request', message: `${SOURCE} cannot be pulled: ${note}` },
    });
  });

  it('of an entry is told without kept bytes, and pulled', async () => {
    const { drift, write, member, send } = await project({ 'opencode.json': ENTRIES });
    await send([{ source: 'opencode.json', entry: 'inner' }]);
    write('opencode.json', ENTRIES.replace('"P"', '"Q"').replace(', "description": "D"', ''));
    expect((await drift.list()).drifted).toMatchObject([
      {
        ...{ id: 'inner', source: 'opencode.json', member_edited: false },
        fields: [
          { key: 'description', note: 'It is gone from the source.' },
          { key: 'prompt', shown: 'Q' },
        ],
      },
    ]);
    expect(await drift.settle('inner', 'pull')).toEqual({ drifted: [], count: 0 });
    expect(member('inner')).toMatch(/\nQ$/);
    expect(member('inner')).not.toContain('description');
  });

  it('of an entry that was written is not compared with the whole file', async () => {
    const { drift, write, member, send, exports, root } = await project({ 'opencode.json': ENTRIES });
    await send([{ source: 'opencode.json', entry: 'inner' }]);
    write('.mesh/team/inner.md', member('inner').replace('description: D', 'description: E'));
    await exports.export({ format: 'opencode', ids: ['inner'], write: true, replace: true });
    const written = readFileSync(join(root, 'opencode.json'), 'utf8');
    write('opencode.json', written.replace('"P"', '"Q"'));
    expect((await drift.list()).drifted).toMatchObject([{ id: 'inner', fields: [{ key: 'prompt', shown: 'Q' }] }]);
  });

  it('of the home folder is not compared with what was written into the project', async () => {
    const { feature, drift, exports, home, root } = await imports({ [SOURCE]: SCOUT });
    await feature.import({ items: [{ source: `~/${SOURCE}` }] });
    const file = join(root, '.mesh/team/scout.md');
    writeFileSync(file, readFileSync(file, 'utf8').replace('Looks.', 'Mine.'));
    await exports.export({ format: 'claude', ids: ['scout'], write: true });
    writeFileSync(join(home, SOURCE), SCOUT.replace('Look.', 'Peer.'));
    const { drifted } = await drift.list();
    expect(drifted).toMatchObject([{ source: `~/${SOURCE}`, member_edited: true }]);
    expect(drifted[0]?.fields.map(({ key }) => key)).toEqual(['body']);
  });

  it('of a TOML file is compared with its kept bytes', async () => {
    const path = '.codex/agents/c-x.toml';
    const { drift, write, member } = await project({ [path]: 'description = "D"\ndeveloper_instructions = "C"\n' }, [
      path,
    ]);
    write('.mesh/team/c-x.md', member('c-x').replace('description: D', 'description: E'));
    write(path, 'description = "F"\ndeveloper_instructions = "C"\n');
    expect((await drift.list()).drifted).toMatchObject([
      { id: 'c-x', member_edited: true, fields: [{ key: 'description', shown: 'F' }] },
    ]);
  });

  it('is told when the kept bytes are lost, and by the member alone', async () => {
    const { drift, write, member, root } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    rmSync(join(root, '.mesh/state/imports'), { recursive: true });
    write(SOURCE, MOVED);
    const [one] = (await drift.list()).drifted;
    expect([one?.member_edited, one?.fields.map(({ key }) => key)]).toEqual([
      false,
      ['description', 'color', 'model', 'body'],
    ]);
    write('.mesh/team/scout.md', member('scout').replace('Look.', 'Mine.'));
    expect((await drift.list()).drifted).toMatchObject([{ member_edited: true }]);
    // What the source had is not known any more: nothing of the member may go.
    expect((await drift.preview('scout')).pulled).toContain('model: sonnet');
  });

  it('is compared with what was written there last', async () => {
    const { drift, write, member, exports } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    write('.mesh/team/scout.md', member('scout').replace('Looks.', 'Peers.'));
    await exports.export({ format: 'claude', ids: ['scout'], write: true, replace: true });
    write(SOURCE, SCOUT.replace('Looks.', 'Peers.').replace('Look.', 'Peer.'));
    expect((await drift.list()).drifted).toMatchObject([{ member_edited: false, fields: [{ key: 'body' }] }]);
  });

  it('that a pull takes is previewed, without secrets', async () => {
    const { drift, write, member } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    write('.mesh/team/scout.md', member('scout').replace('\nLook.', `\nUse ${KEY}.\nLook.`));
    write(SOURCE, MOVED);
    const preview = await drift.preview('scout');
    expect([preview.id, JSON.stringify(preview).includes(KEY)]).toEqual(['scout', false]);
    expect(preview.text).toContain('[a line with a secret]');
    expect(preview.pulled).toMatch(/^---\ndescription: Peers\.\n/);
    expect(member('scout')).toContain('description: Looks.');
  });

  it('that is none cannot be settled', async () => {
    const { drift } = await project({ [SOURCE]: SCOUT, '.mesh/team/plain.md': 'B\n' }, [SOURCE]);
    for (const [id, action] of [
      ['scout', 'pull'],
      ['plain', 'ignore'],
    ] as const)
      await expect(drift.settle(id, action)).rejects.toMatchObject({
        code: 'not_found',
        message: `The source of \`${id}\` is as it was imported, or \`${id}\` was not imported: there is nothing to pull.`,
      });
    await expect(drift.preview('scout')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of a source that is gone can only be ignored', async () => {
    const { drift, root, member, write, parts } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    rmSync(join(root, SOURCE));
    const state = async () => drift.getDriftState(await parts.members.get('scout'));
    expect(await state()).toBe('gone');
    expect((await drift.list()).drifted).toMatchObject([{ state: 'gone', member_edited: false, fields: [] }]);
    await expect(drift.settle('scout', 'pull')).rejects.toMatchObject({
      code: 'bad_request',
      message: `${SOURCE} is gone, so there is nothing to pull: ignore it, or put the file back.`,
    });
    expect(await drift.settle('scout', 'ignore')).toEqual({ drifted: [], count: 0 });
    expect([member('scout').includes('ignored: gone'), await state()]).toEqual([true, undefined]);
    write(SOURCE, MOVED);
    expect([await state(), (await drift.list()).count]).toEqual([sha256Hex(MOVED), 1]);
  });

  it('keeps the bytes of what was pulled, and not of what is ignored', async () => {
    const { drift, write, kept } = await project({ [SOURCE]: SCOUT }, [SOURCE]);
    write(SOURCE, MOVED);
    await drift.settle('scout', 'ignore');
    expect(kept()).toEqual([sha256Hex(SCOUT)]);
    write(SOURCE, MOVED.replace('Peer.', 'Peek.'));
    await drift.settle('scout', 'pull');
    expect(kept().sort()).toEqual([sha256Hex(SCOUT), sha256Hex(MOVED.replace('Peer.', 'Peek.'))].sort());
  });
});
