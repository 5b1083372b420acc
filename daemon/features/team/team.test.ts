import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Bus } from '../../events/bus.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { aTeam, formatEvents } from '../../testing/apps/a-team.js';
import { DEFAULT_MEMBERS } from '../../testing/default-members.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { DEFAULT_ROSTER } from './default-roster.js';
import { Team } from './team.js';
import { TeamStore } from './team-store.js';

const ADA = '---\n# hers\nname: Ada\nx-own: {a: 1}  # kept\nmodel: "opus"\n---\n\nYou are Ada.\n';

describe('seeding', () => {
  it('writes the nine default members when the folder is missing', async () => {
    const { team } = await aTeam({ seeded: true });
    const { members, count, restorable } = await team.list();
    expect(members.map(({ id }) => id)).toEqual(DEFAULT_MEMBERS);
    expect(count).toBe(9);
    expect(restorable).toEqual([]);
    const singletons = members.filter(({ kind }) => kind === 'singleton');
    expect(singletons.map(({ id, required }) => [id, required])).toEqual([
      ['architect-master', true],
      ['roadmap-orchestrator', true],
    ]);
    expect(members.filter(({ exposure }) => exposure === 'external').map(({ id }) => id)).toEqual(['consultant']);
  });

  it.each([...DEFAULT_ROSTER])('creates a complete default member %s', async (id, text) => {
    const { team } = await aTeam({ files: { [id]: text } });
    const member = await team.get(id);
    expect(member).toMatchObject({ state: 'ok', unknown_keys: [] });
    expect(member.model).not.toBe('');
    expect(member.examples?.length).toBeGreaterThanOrEqual(2);
    expect(member.examples?.length).toBeLessThanOrEqual(4);
    const lines = member.body.split('\n').length;
    expect(lines).toBeGreaterThanOrEqual(20);
    expect(lines).toBeLessThanOrEqual(60);
  });

  it('does not change an existing folder, even an empty one', async () => {
    const { team, root } = await aTeam();
    expect(await team.list()).toMatchObject({ count: 0, has_folder: true });
    expect(readdirSync(join(root, '.mesh/team'))).toEqual([]);
    rmSync(join(root, '.mesh/team'), { recursive: true });
    expect(await team.list()).toMatchObject({ count: 0, has_folder: false });
  });

  it('does not recreate a removed default member, but offers to restore it', async () => {
    const { team, path, events } = await aTeam({ seeded: true });
    await team.remove('developer');
    await team.revisionRaised();
    expect((await team.list()).restorable).toEqual(['developer']);
    expect(await team.restore('developer')).toMatchObject({ id: 'developer', state: 'ok' });
    expect(readFileSync(path('developer'), 'utf8')).toBe(DEFAULT_ROSTER.get('developer'));
    expect(formatEvents(events)).toEqual(['team.deleted developer', 'team.created developer']);
  });

  it('restores a broken or linked default file, but neither a valid one nor another member', async () => {
    const { team, path, root } = await aTeam({ files: { developer: '---js\n---\n', ada: ADA } });
    expect((await team.list()).restorable).toContain('developer');
    expect(await team.restore('developer')).toMatchObject({ state: 'ok' });
    await expect(team.restore('developer')).rejects.toMatchObject({ code: 'member_exists' });
    await expect(team.restore('ada')).rejects.toMatchObject({ code: 'member_exists' });
    await expect(team.restore('nobody')).rejects.toMatchObject({ code: 'not_found' });
    writeFileSync(join(root, 'target'), 'TOP');
    symlinkSync(join(root, 'target'), path('deployer'));
    expect(await team.restore('deployer')).toMatchObject({ state: 'ok' });
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('TOP');
  });
});

describe('the standard revision', () => {
  it('disables the roster and its seeding below 29, and enables them when it is raised', async () => {
    let version = 28;
    const { team, root } = await aTeam({ seeded: true, ports: { standardVersion: () => version } });
    expect(readdirSync(root)).toEqual([]);
    const refusal = { code: 'forbidden', message: expect.stringContaining('meshd upgrade') };
    await expect(team.list()).rejects.toMatchObject(refusal);
    await expect(team.get('developer')).rejects.toMatchObject(refusal);
    await expect(team.create({ id: 'ada' })).rejects.toMatchObject(refusal);
    await expect(team.draft({ text: 'A reviewer' })).rejects.toMatchObject(refusal);
    expect(team.members()).toEqual([]);
    expect(team.serving('developer')).toBeUndefined();
    version = 29;
    await team.revisionRaised();
    expect((await team.list()).count).toBe(9);
  });
});

describe('member ids', () => {
  const BAD = [
    '..',
    '.',
    'a/b',
    '../../etc/passwd',
    '%2e%2e',
    'a\0b',
    'a\\b',
    'CON',
    'A',
    'é',
    'a',
    'x'.repeat(33),
    '__proto__',
    '-a',
    'requests',
    'draft',
    '',
  ];

  it.each(BAD)('such as %j are rejected by every operation, with the field path', async (id) => {
    const { team } = await aTeam();
    const refusal = { code: 'bad_request', details: { path: 'id' } };
    for (const call of [
      () => team.get(id),
      () => team.create({ id }),
      () => team.patch(id, { name: 'x' }),
      () => team.remove(id),
      () => team.restore(id),
      () => team.file(id),
      () => team.replaceFile(id, 'x'),
    ]) {
      await expect(call()).rejects.toMatchObject(refusal);
    }
  });

  it('may be names of object properties', async () => {
    const { team } = await aTeam();
    await expect(team.get('constructor')).rejects.toMatchObject({ code: 'not_found' });
    expect(await team.create({ id: 'constructor' })).toMatchObject({ id: 'constructor' });
  });
});

describe('a member file', () => {
  it('yields every key with its default', async () => {
    const { team } = await aTeam({ files: { 'api-guide': '# Guide\n\nFirst paragraph\nof two lines.\n\nSecond.\n' } });
    expect(await team.get('api-guide')).toMatchObject({
      name: 'Api Guide',
      description: 'First paragraph of two lines.',
      kind: 'profile',
      required: false,
      agent_type: 'custom',
      client: 'auto',
      client_resolved: 'builtin',
      model: 'strongest',
      effort: 'default',
      exposure: 'internal',
      pinned_order: 50,
      limits: { turns: 30, minutes: 10 },
      state: 'ok',
      serving: true,
      instances: 0,
    });
  });

  it('is listed by pinned order, then id', async () => {
    const { team } = await aTeam({ files: { bea: 'x', ada: 'x', zed: '---\npinned_order: -1\n---\n' } });
    expect((await team.list()).members.map(({ id }) => id)).toEqual(['zed', 'ada', 'bea']);
  });

  it('may contain unknown keys, which are listed and have no effect', async () => {
    const { team } = await aTeam({
      files: { ada: '---\ncommand: rm -rf /\nenv: {A: b}\n__proto__: {exposure: external}\n---\n' },
    });
    expect(await team.get('ada')).toMatchObject({
      unknown_keys: ['command', 'env', '__proto__'],
      exposure: 'internal',
    });
  });

  it.each([
    ['---\nmodel: ""\n---\n', 2, 8, 'model'],
    ['---\nname: Ada\nmodel: "  "\n---\n', 3, 8, 'model'],
    ['---\nkind: boss\n---\n', 2, 7, 'singleton, profile'],
    ['---\nlimits:\n  turns: 0\n---\n', 3, 10, 'limits.turns'],
    ['---\nlimits: {hours: 1}\n---\n', 2, 17, 'limits.hours'],
    ['---\nrequired: true\n---\n', 2, 11, 'singleton'],
    ['---\ntools: read\n---\n', 2, 8, 'tools'],
    ['', 1, 1, 'empty'],
    ['---\nexamples:\n  - 7\n---\n', 3, 5, 'examples'],
    ['---toml\nname = "x"\n---\n', 1, 4, '---'],
  ])('with %j is broken at %i:%i', async (text, line, column, words) => {
    const { team } = await aTeam({ files: { ada: text, bea: 'x' } });
    const [ada, bea] = (await team.list()).members;
    expect(ada).toMatchObject({
      id: 'ada',
      state: 'broken',
      serving: false,
      problem: { line, column, reason: expect.stringContaining(words) },
    });
    expect(bea).toMatchObject({ state: 'ok' });
    expect(team.serving('ada')).toBeUndefined();
  });

  it('whose name is not a member id is listed as broken', async () => {
    const { team } = await aTeam({ files: { 'My Agent': 'x', requests: 'x' } });
    expect((await team.list()).members.map(({ id, state }) => [id, state])).toEqual([
      ['My Agent', 'broken'],
      ['requests', 'broken'],
    ]);
  });

  it('with arbitrary bytes does not affect other members', async () => {
    const { team, root } = await aTeam({ files: { ada: ADA, bea: 'You are Bea.\n' } });
    const others = (await team.list()).members;
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          fc.string().map((text) => Buffer.from(`---\n${text}\n---\n`)),
        ),
        async (bytes) => {
          writeFileSync(join(root, '.mesh/team/corrupt.md'), bytes);
          const { members } = await team.list();
          expect(members.filter(({ id }) => id !== 'corrupt')).toEqual(others);
          expect(members.some(({ id }) => id === 'corrupt')).toBe(true);
        },
      ),
      { numRuns: 25, seed: 20261121 },
    );
  });
});

describe('a file that becomes broken', () => {
  it('keeps its last valid version serving, and publishes team.broken', async () => {
    const { team, events, path, event } = await aTeam({ files: { ada: ADA } });
    const good = team.serving('ada');
    writeFileSync(path('ada'), '---\nname: "open\n---\n\nYou are Eve.\n');
    await event('team.broken', 'ada');
    expect(team.serving('ada')).toEqual(good);
    expect(await team.get('ada')).toMatchObject({
      name: 'Ada',
      body: 'You are Ada.\n',
      state: 'broken',
      serving: true,
    });
    expect((await team.get('ada')).revision).not.toBe(good?.revision);
    await expect(team.patch('ada', { color: 'red' })).rejects.toMatchObject({
      code: 'bad_request',
      details: { problem: { line: 2 } },
    });
    writeFileSync(path('ada'), ADA);
    await event('team.updated', 'ada');
    expect(formatEvents(events)).toEqual(['team.broken ada', 'team.updated ada']);
  });

  it('can be repaired by key when only a value is invalid', async () => {
    const { team } = await aTeam({ files: { ada: '---\nmodel: ""\nkind: profile\n---\n' } });
    await expect(team.patch('ada', { color: 'red' })).rejects.toMatchObject({ code: 'bad_request' });
    expect(await team.patch('ada', { model: 'opus' })).toMatchObject({ state: 'ok', model: 'opus' });
  });

  it('by becoming a link is neither followed, read nor written', async () => {
    const { team, path, root } = await aTeam({ files: { ada: ADA } });
    writeFileSync(join(root, 'target'), '---\nname: Target\n---\n');
    unlinkSync(path('ada'));
    symlinkSync(join(root, 'target'), path('ada'));
    expect(await team.get('ada')).toMatchObject({ state: 'broken', name: 'Ada' });
    await expect(team.patch('ada', { name: 'Eve' })).rejects.toMatchObject({ code: 'file_changed' });
    expect(readFileSync(join(root, 'target'), 'utf8')).toContain('Target');
  });
});

describe('a change on disk', () => {
  it('is published once, like a change through the daemon', async () => {
    const { team, events, path, event } = await aTeam({ files: { ada: ADA } });
    writeFileSync(path('bea'), 'You are Bea.\n');
    await event('team.created', 'bea');
    writeFileSync(path('ada'), ADA.replace('opus', 'haiku'));
    await event('team.updated', 'ada');
    unlinkSync(path('bea'));
    await event('team.deleted', 'bea');
    await team.list();
    expect(formatEvents(events)).toEqual(['team.created bea', 'team.updated ada', 'team.deleted bea']);
    expect(team.serving('ada')?.model).toBe('haiku');
  });

  it('is included in the next read even before any notification', async () => {
    const { team, path } = await aTeam();
    writeFileSync(path('bea'), 'You are Bea.\n');
    expect(await team.get('bea')).toMatchObject({ body: 'You are Bea.\n' });
  });

  it('of the exposure is published and runs the hooks', async () => {
    const { team, path, event } = await aTeam({ files: { ada: ADA } });
    const calls: string[] = [];
    team.onExposureChanged(async (id, exposure) => void calls.push(`${id} ${exposure}`));
    writeFileSync(path('ada'), ADA.replace('name: Ada', 'name: Ada\nexposure: external'));
    await event('team.exposed', 'ada');
    writeFileSync(path('ada'), ADA);
    await event('team.hidden', 'ada');
    expect(calls).toEqual(['ada external', 'ada internal']);
  });

  it('whose hook fails is applied, with a warning to the operator', async () => {
    const { team, path, event, warnings } = await aTeam({ files: { ada: ADA } });
    team.onRemoved(async () => {
      throw new Error('the disk is full');
    });
    unlinkSync(path('ada'));
    await event('team.deleted', 'ada');
    expect(warnings).toEqual(['Member ada: the disk is full']);
  });
});

describe('start', () => {
  it('rejects a roster folder that is a symbolic link', async () => {
    const root = temporaryFolder({ 'elsewhere/ada.md': 'x' });
    mkdirSync(join(root, '.mesh'));
    symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/team'));
    const store = new TeamStore(new MarkdownFolder(root, ['.mesh', 'team'], () => undefined));
    const clock = new FakeClock();
    const team = new Team(store, new Bus(clock), {
      clock,
      standardVersion: () => 30,
      committedText: async () => null,
      removed: { keep: async (id) => id, list: async () => [], read: async () => undefined },
      resolveClient: () => ({ client_resolved: '', model_resolved: '' }),
      instances: () => 0,
      findToken: () => undefined,
      warn: () => undefined,
    });
    await expect(team.start()).rejects.toMatchObject({
      code: 'forbidden',
      message: expect.stringContaining('.mesh/team'),
    });
  });

  it('reports how changes are detected', async () => {
    const { team } = await aTeam();
    expect(team.watching).toEqual({ mode: 'notices' });
  });

  it('reads many files that were written at once', async () => {
    const { team, root } = await aTeam();
    putFiles(
      root,
      Object.fromEntries(
        Array.from({ length: 100 }, (_, i) => [`.mesh/team/member-${i}.md`, `---\npinned_order: ${i}\n---\n`]),
      ),
    );
    expect((await team.list()).count).toBe(100);
  });
});
