import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { NewMember } from '../../contract/team.js';
import { RemovedMembers } from '../../storage/members/removed-members.js';
import { aTeam, formatEvents } from '../../testing/apps/a-team.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

const ADA = '---\n# hers\nname: Ada\nx-own: {a: 1}  # kept\nmodel: "opus"\n---\n\nYou are Ada.\n';

describe('create', () => {
  it('a new file holds name, description, kind and model at least, in the order of the contract; one event is published', async () => {
    const { team, text, events } = await aTeam();
    const member: NewMember = {
      model: 'opus',
      name: 'Doc Writer',
      tools: ['read', 'edit'],
      prompt: 'You write.\n',
      kind: 'singleton',
      effort: 'low',
    };
    expect(await team.create(member)).toMatchObject({ id: 'doc-writer', body: 'You write.\n', kind: 'singleton' });
    expect(text('doc-writer')).toBe(
      '---\nname: Doc Writer\ndescription: You write.\nkind: singleton\nmodel: opus\neffort: low\ntools: ' +
        '[read, edit]\n---\n\nYou write.\n',
    );
    await team.list();
    expect(formatEvents(events)).toEqual(['team.created doc-writer']);
  });

  it('suggests a free id when the member exists', async () => {
    const { team } = await aTeam({ files: { ada: ADA, 'ada-2': 'x' } });
    await expect(team.create({ id: 'ada' })).rejects.toMatchObject({
      code: 'member_exists',
      details: { suggested: 'ada-3' },
    });
    await expect(team.create({ name: 'Áda' })).rejects.toMatchObject({
      code: 'member_exists',
      details: { suggested: 'ada-3' },
    });
  });

  it('succeeds for only one of two concurrent requests', async () => {
    const { team } = await aTeam();
    const results = await Promise.allSettled([
      team.create({ id: 'ada', body: 'one' }),
      team.create({ id: 'ada', body: 'two' }),
    ]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it.each<[string, NewMember, string, string]>([
    ['required', { id: 'ada', kind: 'singleton', required: true }, 'bad_request', 'required'],
    ['neither id nor name', { body: 'x' }, 'bad_request', 'name'],
    ['an empty model', { id: 'ada', model: ' ' }, 'bad_request', 'model'],
    ['two different prompts', { id: 'ada', body: 'a', prompt: 'b' }, 'bad_request', 'prompt'],
  ])('rejects %s', async (_case, member, code, path) => {
    const { team, root } = await aTeam();
    await expect(team.create(member)).rejects.toMatchObject({ code, details: { path } });
    expect(readdirSync(join(root, '.mesh/team'))).toEqual([]);
  });

  it('rejects a file that is too large', async () => {
    const { team } = await aTeam();
    await expect(team.create({ id: 'ada', body: 'x'.repeat(256 * 1024) })).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('an edit', () => {
  it('changes only the requested keys and preserves every other byte', async () => {
    const { team, text, events } = await aTeam({ files: { ada: ADA } });
    expect(await team.patch('ada', { model: 'haiku' })).toMatchObject({ model: 'haiku', unknown_keys: ['x-own'] });
    expect(text('ada')).toBe(ADA.replace('"opus"', '"haiku"'));
    await team.patch('ada', { model: null, body: 'You are still Ada.\n' });
    expect(text('ada')).toBe('---\n# hers\nname: Ada\nx-own: {a: 1}  # kept\n---\n\nYou are still Ada.\n');
    expect((await team.get('ada')).model).toBe('strongest');
    await team.patch('ada', { name: 'Ada' });
    expect(formatEvents(events)).toEqual(['team.updated ada', 'team.updated ada']);
  });

  it('is not lost when many run concurrently', async () => {
    const { team } = await aTeam({ files: { ada: ADA } });
    await Promise.all([
      team.patch('ada', { color: 'red' }),
      team.patch('ada', { emoji: '🦉' }),
      team.patch('ada', { effort: 'low' }),
      team.patch('ada', { body: 'New.\n' }),
    ]);
    expect(await team.get('ada')).toMatchObject({
      color: 'red',
      emoji: '🦉',
      effort: 'low',
      body: 'New.\n',
      name: 'Ada',
    });
  });

  it('is rejected when the file on disk differs from the expected revision, even after a change just now', async () => {
    const { team, path, text } = await aTeam({ files: { ada: ADA } });
    const { revision } = await team.get('ada');
    const edited = ADA.replace('Ada.', 'Eve.');
    const attempt = [writeFileSync(path('ada'), edited), team.patch('ada', { color: 'red' }, revision)] as const;
    await expect(attempt[1]).rejects.toMatchObject({ code: 'file_changed' });
    expect(text('ada')).toBe(edited);
    const now = await team.get('ada');
    expect(await team.patch('ada', { color: 'red' }, now.revision)).toMatchObject({ color: 'red' });
    await expect(team.replaceFile('ada', ADA, now.revision)).rejects.toMatchObject({ code: 'file_changed' });
  });

  it.each(['kind', 'required'] as const)('cannot change %s', async (key) => {
    const { team, text } = await aTeam({ files: { ada: ADA } });
    const patch = key === 'kind' ? { kind: 'singleton' as const } : { required: null };
    await expect(team.patch('ada', patch)).rejects.toMatchObject({ code: 'immutable_field', details: { path: key } });
    expect(text('ada')).toBe(ADA);
  });

  it('is rejected when it contains a secret, which the error does not repeat', async () => {
    const { team, text } = await aTeam({ files: { ada: ADA } });
    const secret = `mk_${'a'.repeat(43)}`;
    for (const call of [
      () => team.patch('ada', { body: `The token is ${secret}.` }),
      () => team.patch('ada', { description: secret }),
      () => team.patch('ada', { refs: [`https://example.invalid/?key=${secret}`] }),
      () => team.create({ id: 'eve', body: `ghp_${'b'.repeat(36)}` }),
      () => team.replaceFile('ada', `---\nname: Ada\n---\n${secret}\n`),
    ]) {
      const error = await call().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'secret_in_member_file' });
      expect(JSON.stringify(error) + String(error)).not.toContain('aaaaaaaa');
    }
    expect(text('ada')).toBe(ADA);
  });

  it('runs the exposure hooks before the response, and writes nothing when one refuses', async () => {
    const { team, text, events } = await aTeam({ files: { ada: ADA } });
    let refuses = true;
    const calls: string[] = [];
    team.onExposing(async () => {
      if (refuses) throw new Error('no new secrets');
      return async () => undefined;
    });
    team.onExposureChanged(async (_id, exposure) => void calls.push(exposure));
    await expect(team.patch('ada', { exposure: 'external' })).rejects.toThrow('no new secrets');
    await expect(team.create({ id: 'eve', exposure: 'external' })).rejects.toThrow('no new secrets');
    expect(text('ada')).toBe(ADA);
    expect((await team.list()).count).toBe(1);
    refuses = false;
    await team.patch('ada', { exposure: 'external' });
    expect(calls).toContain('external');
    await team.patch('ada', { exposure: 'internal' });
    expect(calls.at(-1)).toBe('internal');
    expect(formatEvents(events)).toEqual([
      'team.updated ada',
      'team.exposed ada',
      'team.updated ada',
      'team.hidden ada',
    ]);
  });

  it('throws `not_found` for an unknown member', async () => {
    const { team } = await aTeam();
    for (const call of [
      () => team.get('ada'),
      () => team.patch('ada', {}),
      () => team.remove('ada'),
      () => team.file('ada'),
      () => team.replaceFile('ada', ''),
    ]) {
      await expect(call()).rejects.toMatchObject({ code: 'not_found' });
    }
  });
});

describe('the raw file', () => {
  it('is returned with its path, revision and committed text', async () => {
    const { team } = await aTeam({
      files: { ada: ADA },
      ports: { committedText: async (path) => `committed ${path}` },
    });
    const { revision } = await team.get('ada');
    expect(await team.file('ada')).toEqual({
      id: 'ada',
      path: '.mesh/team/ada.md',
      text: ADA,
      revision,
      committed_text: 'committed .mesh/team/ada.md',
    });
  });

  it('is replaced byte for byte, which can repair a broken file', async () => {
    const { team, text } = await aTeam({ files: { ada: '---\nname: [\n---\n' } });
    expect((await team.file('ada')).text).toBe('---\nname: [\n---\n');
    expect(await team.replaceFile('ada', ADA)).toMatchObject({ state: 'ok', name: 'Ada' });
    expect(text('ada')).toBe(ADA);
  });

  it('cannot be replaced by a broken text', async () => {
    const { team, text } = await aTeam({ files: { ada: ADA } });
    await expect(team.replaceFile('ada', '---\nname: Ada\nkind: boss\n---\n')).rejects.toMatchObject({
      code: 'bad_request',
      details: { path: 'text', problem: { line: 3, column: 7 } },
    });
    expect(text('ada')).toBe(ADA);
  });

  it('cannot be replaced by one of another kind', async () => {
    const { team } = await aTeam({ files: { ada: ADA } });
    await expect(team.replaceFile('ada', ADA.replace('name: Ada', 'name: Ada\nkind: singleton'))).rejects.toMatchObject(
      {
        code: 'immutable_field',
      },
    );
  });
});

describe('remove', () => {
  it('deletes the file, and runs the removal hooks before the event', async () => {
    const { team, root, events } = await aTeam({ files: { ada: ADA } });
    let told: string[] | undefined;
    team.onRemoved(async () => {
      told = events.map(({ type }) => type);
    });
    expect(await team.remove('ada')).toEqual({ ok: true, deleted: 'ada', copy: 'kept/ada.md' });
    expect(readdirSync(join(root, '.mesh/team'))).toEqual([]);
    expect(told).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['team.deleted']);
  });

  it('keeps the text before the file is gone, and restores it byte for byte', async () => {
    const wasThere: boolean[] = [];
    let nowMs = Date.parse('2026-11-27T10:00:00.250Z');
    const state = temporaryFolder();
    const removed = new RemovedMembers(state);
    const { team, path, event } = await aTeam({
      files: { ada: ADA, deployer: `${ADA}Mine.\n` },
      ports: {
        removed: {
          keep: (id, text) => {
            wasThere.push(existsSync(path(id)));
            return removed.keep(id, text, nowMs);
          },
          list: () => removed.list(nowMs - 60_000),
          read: (id) => removed.read(id),
        },
      },
    });
    expect((await team.list()).removed).toEqual([]);
    expect(await team.remove('ada')).toEqual({
      ...{ ok: true, deleted: 'ada' },
      copy: '.mesh/state/removed-members/ada-2026-11-27T10-00-00-250Z.md',
    });
    nowMs += 1_000;
    await team.remove('deployer');
    expect(wasThere).toEqual([true, true]);
    expect((await team.list()).removed).toEqual([
      { id: 'deployer', removed_at: '2026-11-27T10:00:01.250Z' },
      { id: 'ada', removed_at: '2026-11-27T10:00:00.250Z' },
    ]);
    expect((await team.restore('ada')).id).toBe('ada');
    expect(readFileSync(path('ada'), 'utf8')).toBe(ADA);
    await expect(team.restore('ada')).rejects.toMatchObject({ code: 'member_exists' });
    // A default member is restored as the operator had it, and as shipped only when its file is broken.
    await team.restore('deployer');
    expect(readFileSync(path('deployer'), 'utf8')).toBe(`${ADA}Mine.\n`);
    writeFileSync(path('deployer'), '---\nname: [\n---\n');
    await event('team.broken', 'deployer');
    await team.restore('deployer');
    expect(readFileSync(path('deployer'), 'utf8')).not.toContain('Mine.');
    expect((await team.list()).removed).toEqual([]);
    // The last text counts, and what was removed long ago is not offered, but restored when it is named.
    await team.replaceFile('ada', `${ADA}Later.\n`);
    await team.remove('ada');
    nowMs += 61_000;
    expect((await team.list()).removed).toEqual([]);
    await team.restore('ada');
    expect(readFileSync(path('ada'), 'utf8')).toBe(`${ADA}Later.\n`);
    await expect(team.restore('nobody')).rejects.toMatchObject({
      ...{ code: 'not_found', message: expect.stringContaining('`nobody` is not a default member') },
    });
  });

  it('rejects singletons, including broken ones', async () => {
    const { team, path, event } = await aTeam({
      files: { ada: '---\nkind: singleton\n---\n', 'architect-master': '---js\n---\n' },
    });
    await expect(team.remove('ada')).rejects.toMatchObject({ code: 'member_protected' });
    await expect(team.remove('architect-master')).rejects.toMatchObject({ code: 'member_protected' });
    writeFileSync(path('ada'), '---\nkind: [\n---\n');
    await event('team.broken', 'ada');
    await expect(team.remove('ada')).rejects.toMatchObject({ code: 'member_protected' });
  });

  it('removes every member when the whole folder is deleted on disk', async () => {
    const { team, root } = await aTeam({ files: { ada: ADA, bea: 'x' } });
    rmSync(join(root, '.mesh/team'), { recursive: true });
    expect((await team.list()).count).toBe(0);
    await team.create({ id: 'eve' });
    expect((await team.list()).count).toBe(1);
  });
});
