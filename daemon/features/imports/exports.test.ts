import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExportBody } from '../../contract/imports.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { imports } from '../../testing/parts/importing.js';
import { putFiles } from '../../testing/temporary-folder.js';

const KEY = 'sk-0123456789abcdefghij';
const SCOUT = '---\nname: scout\ndescription: Looks.\n---\n\nLook.\n';
const SOURCE = '.claude/agents/scout.md';

/** A project with the members `one` and `two`, the broken member `bad`, and `files`. */
async function project(files: Record<string, string> = {}) {
  const text = (body: string) => `---\ndescription: D\n---\n\n${body}\n`;
  const parts = await imports({}, false, { one: text('One.'), two: text('Two.'), bad: '---\na: [\n---\n' });
  putFiles(parts.root, files);
  const path = (name: string) => join(parts.root, name);
  return {
    ...{ ...parts, path },
    send: (body: Partial<ExportBody>) => parts.exports.export(body as ExportBody),
    /** The state of each file of an export. */
    states: async (body: Partial<ExportBody>) =>
      (await parts.exports.export(body as ExportBody)).files.map(({ id, path: to, state, written }) =>
        [id, to, state, ...(written ? ['written'] : [])].join(' '),
      ),
    put: (name: string, of: string) => writeFileSync(path(name), of),
    text: (name: string) => readFileSync(path(name), 'utf8'),
  };
}

describe('an export', () => {
  it('is of all members that can be read, or of the named ones once each', async () => {
    const { states, path, send } = await project();
    expect(await states({ format: 'claude' })).toEqual([
      'one .claude/agents/one.md new',
      'two .claude/agents/two.md new',
    ]);
    expect(await states({ format: 'codex', ids: ['two', 'two'] })).toEqual(['two .codex/agents/two.toml new']);
    expect(existsSync(path('.claude'))).toBe(false);
    await expect(send({ format: 'claude', ids: ['bad'] })).rejects.toMatchObject({ code: 'bad_request' });
    await expect(send({ format: 'claude', ids: ['none'] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('of one member writes nothing, and has its text', async () => {
    const { exports, path } = await project();
    expect(await exports.get('one', 'cursor')).toEqual({
      ...{ id: 'one', format: 'cursor', path: '.cursor/agents/one.md', current: null, state: 'new', written: false },
      ...{ content: '---\nname: one\ndescription: D\n---\n\nOne.\n', losses: [] },
    });
    expect(existsSync(path('.cursor'))).toBe(false);
    await expect(exports.get('none', 'cursor')).rejects.toMatchObject({ code: 'not_found' });
  });

  it('writes what is new, and what it wrote itself, and counts it', async () => {
    const { send, states, text, put, parts } = await project();
    const first = await send({ format: 'claude', ids: ['one'], write: true });
    expect([first.count, first.files[0]?.written, text('.claude/agents/one.md')]).toEqual([
      ...[1, true, first.files[0]?.content],
    ]);
    expect(await parts.records.findWritten('.claude/agents/one.md')).toMatchObject({
      ...{ id: 'one', format: 'claude', created: true, sha256: sha256Hex(text('.claude/agents/one.md')) },
    });
    expect(await states({ format: 'claude', ids: ['one'], write: true })).toEqual(['one .claude/agents/one.md same']);
    put('.mesh/team/one.md', '---\ndescription: E\n---\n\nOne.\n');
    expect(await states({ format: 'claude', ids: ['one'] })).toEqual(['one .claude/agents/one.md changed']);
    expect(await states({ format: 'claude', ids: ['one'], write: true })).toEqual([
      'one .claude/agents/one.md changed written',
    ]);
    expect((await parts.records.findWritten('.claude/agents/one.md'))?.created).toBe(true);
  });

  it('replaces what others wrote only when it is told to, and never calls it its own', async () => {
    const { states, text, parts } = await project({ '.claude/agents/one.md': 'mine', '.claude/agents/two.md': 'mine' });
    const foreign = ['one .claude/agents/one.md foreign', 'two .claude/agents/two.md foreign'];
    expect(await states({ format: 'claude', write: true })).toEqual(foreign);
    expect(await states({ format: 'claude', replace: true })).toEqual(foreign);
    expect(await states({ format: 'claude', write: true, replace: ['two'] })).toEqual([
      ...[foreign[0], `${foreign[1]} written`],
    ]);
    expect(text('.claude/agents/one.md')).toBe('mine');
    expect(await states({ format: 'claude', write: true, replace: true })).toEqual([
      ...[`${foreign[0]} written`, 'two .claude/agents/two.md same'],
    ]);
    expect((await parts.records.listWritten()).map(({ created }) => created)).toEqual([false, false]);
  });

  it('does not write where something else than a file is', async () => {
    const { exports, send, root, path } = await project({ 'other.md': 'theirs', '.claude/agents/x': '' });
    symlinkSync(join(root, 'other.md'), path('.claude/agents/one.md'));
    const why = 'Not written: This is a symbolic link: put the file itself here.';
    expect(await exports.get('one', 'claude')).toMatchObject({
      ...{ state: 'foreign', current: null, losses: [{ key: 'file', why }] },
    });
    const { files } = await send({ format: 'claude', ids: ['one'], write: true, replace: true });
    expect(files).toMatchObject([{ state: 'foreign', written: false }]);
  });

  it('without a format is of the files that were written and are still there', async () => {
    const { send, states, path, parts } = await project();
    expect(await states({ write: true })).toEqual([]);
    await send({ format: 'claude', write: true });
    await send({ format: 'codex', ids: ['one'], write: true });
    const [one, two, toml] = [
      ...['one .claude/agents/one.md same', 'two .claude/agents/two.md same', 'one .codex/agents/one.toml same'],
    ];
    expect(await states({})).toEqual([one, two, toml]);
    expect(await states({ ids: ['one'] })).toEqual([one, toml]);
    putFiles(path(''), { '.claude/agents/x.md': 'x' });
    await parts.records.wrote({ path: '.claude/agents/x.md', sha256: 'x', id: 'one', format: 'claude', created: true });
    expect(await states({ ids: ['one'] })).toEqual([one, toml]);
    rmSync(path('.claude/agents/two.md'));
    expect(await states({})).toEqual([one, toml]);
    rmSync(path('.mesh/team/one.md'));
    expect(await states({})).toEqual([]);
  });
});

describe('the owner of a file', () => {
  it('is the first member that was imported from it, and the second has a file of its own', async () => {
    const { feature, states, exports } = await project({ [SOURCE]: SCOUT });
    for (const id of ['later', 'earlier']) await feature.import({ items: [{ source: SOURCE, id }] });
    expect(await states({ format: 'claude', ids: ['later', 'earlier'] })).toEqual([
      'later .claude/agents/later.md new',
      `earlier ${SOURCE} same`,
    ]);
    expect((await exports.get('later', 'cursor')).path).toBe('.cursor/agents/later.md');
  });

  it('keeps it from a member of that name', async () => {
    const file = '.claude/agents/one.md';
    const { feature, exports, send, text } = await project({ [file]: SCOUT });
    await feature.import({ items: [{ source: file }] });
    const why = 'Not written: `scout` goes there';
    expect(await exports.get('one', 'claude')).toMatchObject({
      path: file,
      state: 'foreign',
      losses: [{ key: 'file', why }],
    });
    const { files } = await send({ format: 'claude', write: true, replace: true });
    expect(files.map(({ id, path }) => `${id} ${path}`)).toContain(`scout ${file}`);
    expect(text(file)).toBe(SCOUT);
  });

  it('is nobody where several agents share a file', async () => {
    const json = '{"agent": {"ab": {"prompt": "A"}, "cd": {"prompt": "C"}}}';
    const { feature, states } = await project({ 'opencode.json': json });
    await feature.import({ items: ['ab', 'cd'].map((entry) => ({ source: 'opencode.json', entry })) });
    expect(await states({ format: 'opencode', ids: ['ab', 'cd'] })).toEqual([
      'ab opencode.json same',
      'cd opencode.json same',
    ]);
  });

  it('is the same in the form of opencode 2, and has the tools of its rules', async () => {
    const json = '{"agents": {"ab": {"system": "A"}, "cd": {"system": "C", "permissions": [%]}}}';
    const rule = '{"action": "shell", "resource": "*", "effect": "deny"}';
    const { feature, states, text } = await project({ 'opencode.json': json.replace('%', rule) });
    await feature.import({ items: ['ab', 'cd'].map((entry) => ({ source: 'opencode.json', entry })) });
    expect(await states({ format: 'opencode', ids: ['ab', 'cd'] })).toEqual([
      'ab opencode.json same',
      'cd opencode.json same',
    ]);
    expect(text('.mesh/team/ab.md')).not.toMatch(/^tools:/m);
    const member = text('.mesh/team/cd.md');
    expect([/^tools:/m.test(member), member.includes('edit'), member.includes('execute')]).toEqual([true, true, false]);
  });
});

describe('the bytes of a source', () => {
  it('are those that were kept, or those of the unchanged file', async () => {
    const source = SCOUT.replace('Looks.', 'Looks. # why');
    const { feature, exports, root, put } = await project({ [SOURCE]: source });
    await feature.import({ items: [{ source: SOURCE }] });
    put(SOURCE, 'gone');
    expect((await exports.get('scout', 'claude')).content).toBe(source);
    rmSync(join(root, '.mesh/state/imports'), { recursive: true });
    expect((await exports.get('scout', 'claude')).content).toBe(SCOUT);
    put(SOURCE, source);
    expect(await exports.get('scout', 'claude')).toMatchObject({ state: 'same', content: source });
  });

  it('with a secret stay while the member is as it was imported', async () => {
    const source = SCOUT.replace('---\n\n', `token: ${KEY}\n---\n\n`);
    const { feature, exports, put, text } = await project({ [SOURCE]: source });
    await feature.import({ items: [{ source: SOURCE }] });
    const exported = await exports.get('scout', 'claude');
    expect([exported.state, exported.losses.map(({ key }) => key)]).toEqual(['same', ['secrets']]);
    expect(exported.current).toBe(source.replace(`token: ${KEY}`, '[a line with a secret]'));
    put('.mesh/team/scout.md', text('.mesh/team/scout.md').replace('Look.', 'Peer.'));
    expect((await exports.get('scout', 'claude')).state).toBe('foreign');
  });
});

describe('a file with a secret', () => {
  it('is shown without its lines, once said so', async () => {
    const { exports, send, put, text, root } = await project();
    put('.mesh/team/one.md', `---\ndescription: D\n---\n\nOne.\nUse ${KEY}.\n`);
    const why = 'Lines of the file that hold a secret are not shown here; on disk they stay as they are.';
    const exported = await exports.get('one', 'cursor');
    expect([exported.losses, exported.current]).toEqual([[{ key: 'secrets', why }], null]);
    expect(exported.content).toMatch(/\nOne\.\n\[a line with a secret\]\n$/);
    await send({ format: 'cursor', ids: ['one'], write: true });
    expect(text('.cursor/agents/one.md')).toContain(KEY);
    expect(existsSync(join(root, '.mesh/state/imports')) ? readdirSync(join(root, '.mesh/state/imports')) : []).toEqual(
      [],
    );
  });

  it('of others is not shown either', async () => {
    const { exports } = await project({ '.cursor/agents/one.md': `a\n${KEY}\n` });
    expect(await exports.get('one', 'cursor')).toMatchObject({
      current: 'a\n[a line with a secret]\n',
      content: '---\nname: one\ndescription: D\n---\n\nOne.\n',
      losses: [{ key: 'secrets' }],
    });
  });
});

describe('a file that was written for a member that is gone', () => {
  async function left() {
    const parts = await project({ '.claude/agents/two.md': 'theirs' });
    await parts.send({ format: 'claude', ids: ['one', 'two'], write: true, replace: true });
    await parts.send({ format: 'codex', ids: ['one'], write: true });
    for (const id of ['one', 'two']) rmSync(parts.path(`.mesh/team/${id}.md`));
    const leftovers = async (body: Partial<ExportBody>) =>
      (await parts.send(body)).leftovers.map(({ id, format, path, removed }) => `${id} ${format} ${path} ${removed}`);
    return { ...parts, leftovers };
  }
  const [md, toml] = ['one claude .claude/agents/one.md', 'one codex .codex/agents/one.toml'];

  it('is listed with its format, unless it was there before', async () => {
    const { leftovers } = await left();
    expect(await leftovers({})).toEqual([`${md} false`, `${toml} false`]);
    expect(await leftovers({ format: 'codex' })).toEqual([`${toml} false`]);
    expect(await leftovers({ ids: [] })).toEqual([]);
    expect(await leftovers({ ids: [], prune: true })).toEqual([`${md} false`, `${toml} false`]);
  });

  it('is removed on request, and forgotten', async () => {
    const { leftovers, path, parts } = await left();
    expect(await leftovers({ format: 'claude', prune: true })).toEqual([`${md} false`]);
    expect(existsSync(path('.claude/agents/one.md'))).toBe(true);
    expect(await leftovers({ format: 'claude', write: true, prune: true })).toEqual([`${md} true`]);
    expect([existsSync(path('.claude/agents/one.md')), existsSync(path('.claude/agents/two.md'))]).toEqual([
      false,
      true,
    ]);
    expect((await parts.records.listWritten()).map((one) => one.path)).toEqual([
      ...['.claude/agents/two.md', '.codex/agents/one.toml'],
    ]);
    expect(await leftovers({})).toEqual([`${toml} false`]);
  });

  it('is not one when it was edited or is gone', async () => {
    const { leftovers, put, path } = await left();
    put('.claude/agents/one.md', 'mine');
    rmSync(path('.codex/agents/one.toml'));
    expect(await leftovers({ write: true, prune: true })).toEqual([]);
    expect(existsSync(path('.claude/agents/one.md'))).toBe(true);
  });

  it('is never one that several agents share', async () => {
    const { leftovers, parts, path } = await left();
    const text = '{}';
    putFiles(path(''), { 'opencode.json': text });
    await parts.records.wrote({
      path: 'opencode.json',
      sha256: sha256Hex(text),
      id: 'one',
      format: 'opencode',
      created: true,
    });
    expect(await leftovers({ format: 'opencode', write: true, prune: true })).toEqual([]);
  });
});
