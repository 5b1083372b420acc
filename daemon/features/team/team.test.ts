import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import type { NewMember } from '../../contract/team.js';
import { Bus } from '../../events/bus.js';
import { MarkdownFolder } from '../../storage/markdown-folder.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { DEFAULT_ROSTER } from './default-roster.js';
import { Team, type TeamPorts } from './team.js';
import { TeamStore } from './team-store.js';

interface ATeam {
  team: Team;
  root: string;
  events: MeshEvent[];
  warnings: string[];
  path(id: string): string;
  text(id: string): string;
  /** Resolves with the first event of `type` about `id`, past or future. */
  event(type: MeshEvent['type'], id: string): Promise<MeshEvent>;
}

async function aTeam({
  files = {},
  seeded = false,
  ports = {},
}: {
  files?: Record<string, string>;
  seeded?: boolean;
  ports?: Partial<TeamPorts>;
} = {}): Promise<ATeam> {
  const root = temporaryFolder(Object.fromEntries(Object.entries(files).map(([id, text]) => [`.mesh/team/${id}.md`, text])));
  if (!seeded) mkdirSync(join(root, '.mesh/team'), { recursive: true });
  const bus = new Bus(new FakeClock());
  const events: MeshEvent[] = [];
  bus.watch((event) => events.push(event));
  const warnings: string[] = [];
  const warn = (message: string) => void warnings.push(message);
  const team = new Team(new TeamStore(new MarkdownFolder(root, ['.mesh', 'team'], warn)), bus, {
    standardVersion: () => 30,
    committedText: async () => null,
    resolveClient: ({ client, model }) => ({ client_resolved: client === 'auto' ? 'builtin' : client, model_resolved: model }),
    instances: () => 0,
    tokenOf: () => undefined,
    warn,
    ...ports,
  });
  onTestFinished(() => team.close());
  await team.start();
  const path = (id: string) => join(root, '.mesh/team', `${id}.md`);
  return {
    team,
    root,
    events,
    warnings,
    path,
    text: (id) => readFileSync(path(id), 'utf8'),
    event: (type, id) =>
      new Promise((resolve) => {
        const isIt = (event: MeshEvent) => event.type === type && 'id' in event && event.id === id;
        const past = events.find(isIt);
        if (past) return resolve(past);
        bus.watch((event) => {
          if (isIt(event)) resolve(event);
        });
      }),
  };
}

const told = (events: MeshEvent[]) => events.map((event) => `${event.type} ${'id' in event ? event.id : ''}`);
const ADA = '---\n# hers\nname: Ada\nx-own: {a: 1}  # kept\nmodel: "opus"\n---\n\nYou are Ada.\n';

describe('seeding', () => {
  it('writes the nine default members when the folder is missing', async () => {
    const { team } = await aTeam({ seeded: true });
    const { members, count, restorable } = await team.list();
    expect(members.map(({ id }) => id)).toEqual([
      'architect-master',
      'roadmap-orchestrator',
      'developer',
      'api-developer',
      'ui-developer',
      'deployer',
      'ui-reviewer',
      'commit-pr-reviewer',
      'consultant',
    ]);
    expect(count).toBe(9);
    expect(restorable).toEqual([]);
    const singletons = members.filter(({ kind }) => kind === 'singleton');
    expect(singletons.map(({ id, required }) => [id, required])).toEqual([
      ['architect-master', true],
      ['roadmap-orchestrator', true],
    ]);
    expect(members.filter(({ exposure }) => exposure === 'external').map(({ id }) => id)).toEqual(['consultant']);
  });

  it.each([...DEFAULT_ROSTER])('ships %s ready to use', async (id, text) => {
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

  it('leaves a folder alone that is there, even empty', async () => {
    const { team, root } = await aTeam();
    expect((await team.list()).count).toBe(0);
    expect(readdirSync(join(root, '.mesh/team'))).toEqual([]);
  });

  it('does not bring a removed default back, but offers to restore it', async () => {
    const { team, path, events } = await aTeam({ seeded: true });
    await team.remove('developer');
    await team.revisionRaised();
    expect((await team.list()).restorable).toEqual(['developer']);
    expect(await team.restore('developer')).toMatchObject({ id: 'developer', state: 'ok' });
    expect(readFileSync(path('developer'), 'utf8')).toBe(DEFAULT_ROSTER.get('developer'));
    expect(told(events)).toEqual(['team.deleted developer', 'team.created developer']);
  });

  it('restores a broken default, also in the place of a link, but not a fine one and no other member', async () => {
    const { team, path, root } = await aTeam({ files: { developer: '---js\n---\n', ada: ADA } });
    expect((await team.list()).restorable).toContain('developer');
    expect(await team.restore('developer')).toMatchObject({ state: 'ok' });
    await expect(team.restore('developer')).rejects.toMatchObject({ code: 'member_exists' });
    await expect(team.restore('ada')).rejects.toMatchObject({ code: 'not_found' });
    writeFileSync(join(root, 'target'), 'TOP');
    symlinkSync(join(root, 'target'), path('deployer'));
    expect(await team.restore('deployer')).toMatchObject({ state: 'ok' });
    expect(readFileSync(join(root, 'target'), 'utf8')).toBe('TOP');
  });
});

describe('revision gates', () => {
  it('turn the roster and its seeding off below 29, and on when the revision is raised', async () => {
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

describe('ids', () => {
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

  it.each(BAD)('refuse %j everywhere with the path of the field', async (id) => {
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

  it('that are names of object properties are plain names', async () => {
    const { team } = await aTeam();
    await expect(team.get('constructor')).rejects.toMatchObject({ code: 'not_found' });
    expect(await team.create({ id: 'constructor' })).toMatchObject({ id: 'constructor' });
  });
});

describe('a member file', () => {
  it('shows every key with its default', async () => {
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

  it('lists by pinned order, then id', async () => {
    const { team } = await aTeam({ files: { bea: 'x', ada: 'x', zed: '---\npinned_order: -1\n---\n' } });
    expect((await team.list()).members.map(({ id }) => id)).toEqual(['zed', 'ada', 'bea']);
  });

  it('names unknown keys, which never act', async () => {
    const { team } = await aTeam({ files: { ada: '---\ncommand: rm -rf /\nenv: {A: b}\n__proto__: {exposure: external}\n---\n' } });
    expect(await team.get('ada')).toMatchObject({ unknown_keys: ['command', 'env', '__proto__'], exposure: 'internal' });
  });

  it.each([
    ['---\nmodel: ""\n---\n', 2, 8, 'model'],
    ['---\nname: Ada\nmodel: "  "\n---\n', 3, 8, 'model'],
    ['---\nkind: boss\n---\n', 2, 7, 'singleton, profile'],
    ['---\nlimits:\n  turns: 0\n---\n', 3, 10, 'limits.turns'],
    ['---\nlimits: {hours: 1}\n---\n', 2, 17, 'limits.hours'],
    ['---\nrequired: true\n---\n', 2, 11, 'singleton'],
    ['---\ntools: read\n---\n', 2, 8, 'tools'],
    ['---\nexamples:\n  - 7\n---\n', 3, 5, 'examples'],
    ['---toml\nname = "x"\n---\n', 1, 4, '---'],
  ])('that says %j is broken at %i:%i', async (text, line, column, words) => {
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

  it('with a name that is no member id is shown as broken', async () => {
    const { team } = await aTeam({ files: { 'My Agent': 'x', requests: 'x' } });
    expect((await team.list()).members.map(({ id, state }) => [id, state])).toEqual([
      ['My Agent', 'broken'],
      ['requests', 'broken'],
    ]);
  });

  it('that is corrupt never changes the others', async () => {
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
      { numRuns: 25 },
    );
  });
});

describe('a file that breaks', () => {
  it('keeps its last good version serving and is told as broken', async () => {
    const { team, events, path, event } = await aTeam({ files: { ada: ADA } });
    const good = team.serving('ada');
    writeFileSync(path('ada'), '---\nname: "open\n---\n\nYou are Eve.\n');
    await event('team.broken', 'ada');
    expect(team.serving('ada')).toEqual(good);
    expect(await team.get('ada')).toMatchObject({ name: 'Ada', body: 'You are Ada.\n', state: 'broken', serving: true });
    expect((await team.get('ada')).revision).not.toBe(good?.revision);
    await expect(team.patch('ada', { color: 'red' })).rejects.toMatchObject({ code: 'bad_request', details: { problem: { line: 2 } } });
    writeFileSync(path('ada'), ADA);
    await event('team.updated', 'ada');
    expect(told(events)).toEqual(['team.broken ada', 'team.updated ada']);
  });

  it('can be mended key by key when only a value is wrong', async () => {
    const { team } = await aTeam({ files: { ada: '---\nmodel: ""\nkind: profile\n---\n' } });
    await expect(team.patch('ada', { color: 'red' })).rejects.toMatchObject({ code: 'bad_request' });
    expect(await team.patch('ada', { model: 'opus' })).toMatchObject({ state: 'ok', model: 'opus' });
  });

  it('because it became a link is not followed, read or written', async () => {
    const { team, path, root } = await aTeam({ files: { ada: ADA } });
    writeFileSync(join(root, 'target'), '---\nname: Target\n---\n');
    unlinkSync(path('ada'));
    symlinkSync(join(root, 'target'), path('ada'));
    expect(await team.get('ada')).toMatchObject({ state: 'broken', name: 'Ada' });
    await expect(team.patch('ada', { name: 'Eve' })).rejects.toMatchObject({ code: 'file_changed' });
    expect(readFileSync(join(root, 'target'), 'utf8')).toContain('Target');
  });
});

describe('a change by hand', () => {
  it('is told once, as a change through the daemon is', async () => {
    const { team, events, path, event } = await aTeam({ files: { ada: ADA } });
    writeFileSync(path('bea'), 'You are Bea.\n');
    await event('team.created', 'bea');
    writeFileSync(path('ada'), ADA.replace('opus', 'haiku'));
    await event('team.updated', 'ada');
    unlinkSync(path('bea'));
    await event('team.deleted', 'bea');
    await team.list();
    expect(told(events)).toEqual(['team.created bea', 'team.updated ada', 'team.deleted bea']);
    expect(team.serving('ada')?.model).toBe('haiku');
  });

  it('is seen by the next read even if no notice has come yet', async () => {
    const { team, path } = await aTeam();
    writeFileSync(path('bea'), 'You are Bea.\n');
    expect(await team.get('bea')).toMatchObject({ body: 'You are Bea.\n' });
  });

  it('of the exposure is told and runs the hooks', async () => {
    const { team, path, event } = await aTeam({ files: { ada: ADA } });
    const calls: string[] = [];
    team.onExposureChanged(async (id, exposure) => void calls.push(`${id} ${exposure}`));
    writeFileSync(path('ada'), ADA.replace('name: Ada', 'name: Ada\nexposure: external'));
    await event('team.exposed', 'ada');
    writeFileSync(path('ada'), ADA);
    await event('team.hidden', 'ada');
    expect(calls).toEqual(['ada external', 'ada internal']);
  });

  it('whose hook fails is known all the same, and the operator is told', async () => {
    const { team, path, event, warnings } = await aTeam({ files: { ada: ADA } });
    team.onRemoved(async () => {
      throw new Error('the disk is full');
    });
    unlinkSync(path('ada'));
    await event('team.deleted', 'ada');
    expect(warnings).toEqual(['Member ada: the disk is full']);
  });
});

describe('creating', () => {
  it('writes only what was given, in the order of the contract, and says so once', async () => {
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
      '---\nname: Doc Writer\nkind: singleton\nmodel: opus\neffort: low\ntools: [read, edit]\n---\n\nYou write.\n',
    );
    await team.list();
    expect(told(events)).toEqual(['team.created doc-writer']);
  });

  it('suggests a free id when the member exists', async () => {
    const { team } = await aTeam({ files: { ada: ADA, 'ada-2': 'x' } });
    await expect(team.create({ id: 'ada' })).rejects.toMatchObject({ code: 'member_exists', details: { suggested: 'ada-3' } });
    await expect(team.create({ name: 'Áda' })).rejects.toMatchObject({ code: 'member_exists', details: { suggested: 'ada-3' } });
  });

  it('lets one of two at once win', async () => {
    const { team } = await aTeam();
    const results = await Promise.allSettled([team.create({ id: 'ada', body: 'one' }), team.create({ id: 'ada', body: 'two' })]);
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
  });

  it.each<[string, NewMember, string, string]>([
    ['required', { id: 'ada', kind: 'singleton', required: true }, 'bad_request', 'required'],
    ['neither id nor name', { body: 'x' }, 'bad_request', 'name'],
    ['an empty model', { id: 'ada', model: ' ' }, 'bad_request', 'model'],
    ['two different prompts', { id: 'ada', body: 'a', prompt: 'b' }, 'bad_request', 'prompt'],
  ])('refuses %s', async (_case, member, code, path) => {
    const { team, root } = await aTeam();
    await expect(team.create(member)).rejects.toMatchObject({ code, details: { path } });
    expect(readdirSync(join(root, '.mesh/team'))).toEqual([]);
  });

  it('refuses what is too large', async () => {
    const { team } = await aTeam();
    await expect(team.create({ id: 'ada', body: 'x'.repeat(256 * 1024) })).rejects.toMatchObject({ code: 'too_large' });
  });
});

describe('editing', () => {
  it('changes only the asked key and keeps every other byte', async () => {
    const { team, text, events } = await aTeam({ files: { ada: ADA } });
    expect(await team.patch('ada', { model: 'haiku' })).toMatchObject({ model: 'haiku', unknown_keys: ['x-own'] });
    expect(text('ada')).toBe(ADA.replace('"opus"', '"haiku"'));
    await team.patch('ada', { model: null, body: 'You are still Ada.\n' });
    expect(text('ada')).toBe('---\n# hers\nname: Ada\nx-own: {a: 1}  # kept\n---\n\nYou are still Ada.\n');
    expect((await team.get('ada')).model).toBe('strongest');
    await team.patch('ada', { name: 'Ada' });
    expect(told(events)).toEqual(['team.updated ada', 'team.updated ada']);
  });

  it('never loses one of many edits at once', async () => {
    const { team } = await aTeam({ files: { ada: ADA } });
    await Promise.all([
      team.patch('ada', { color: 'red' }),
      team.patch('ada', { emoji: '🦉' }),
      team.patch('ada', { effort: 'low' }),
      team.patch('ada', { body: 'New.\n' }),
    ]);
    expect(await team.get('ada')).toMatchObject({ color: 'red', emoji: '🦉', effort: 'low', body: 'New.\n', name: 'Ada' });
  });

  it('refuses when the file is not the one that the caller saw, also when it changed by hand just now', async () => {
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

  it.each(['kind', 'required'] as const)('refuses %s', async (key) => {
    const { team, text } = await aTeam({ files: { ada: ADA } });
    const patch = key === 'kind' ? { kind: 'singleton' as const } : { required: null };
    await expect(team.patch('ada', patch)).rejects.toMatchObject({ code: 'immutable_field', details: { path: key } });
    expect(text('ada')).toBe(ADA);
  });

  it('refuses secrets in any key, the body, a new file and a whole text, and does not repeat them', async () => {
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

  it('runs the exposure hooks before the answer, and writes nothing when one refuses', async () => {
    const { team, text, events } = await aTeam({ files: { ada: ADA } });
    let refuses = true;
    const calls: string[] = [];
    team.onExposureChanged(async (_id, exposure) => {
      if (refuses) throw new Error('no new secrets');
      calls.push(exposure);
    });
    await expect(team.patch('ada', { exposure: 'external' })).rejects.toThrow('no new secrets');
    await expect(team.create({ id: 'eve', exposure: 'external' })).rejects.toThrow('no new secrets');
    expect(text('ada')).toBe(ADA);
    expect((await team.list()).count).toBe(1);
    refuses = false;
    await team.patch('ada', { exposure: 'external' });
    expect(calls).toContain('external');
    await team.patch('ada', { exposure: 'internal' });
    expect(calls.at(-1)).toBe('internal');
    expect(told(events)).toEqual(['team.updated ada', 'team.exposed ada', 'team.updated ada', 'team.hidden ada']);
  });

  it('throws not_found for a member that is not there', async () => {
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
  it('is given with its path, revision and committed text', async () => {
    const { team } = await aTeam({ files: { ada: ADA }, ports: { committedText: async (path) => `committed ${path}` } });
    const { revision } = await team.get('ada');
    expect(await team.file('ada')).toEqual({
      id: 'ada',
      path: '.mesh/team/ada.md',
      text: ADA,
      revision,
      committed_text: 'committed .mesh/team/ada.md',
    });
  });

  it('is replaced byte for byte, which can mend a broken one', async () => {
    const { team, text } = await aTeam({ files: { ada: '---\nname: [\n---\n' } });
    expect((await team.file('ada')).text).toBe('---\nname: [\n---\n');
    expect(await team.replaceFile('ada', ADA)).toMatchObject({ state: 'ok', name: 'Ada' });
    expect(text('ada')).toBe(ADA);
  });

  it('is not replaced by a broken text', async () => {
    const { team, text } = await aTeam({ files: { ada: ADA } });
    await expect(team.replaceFile('ada', '---\nname: Ada\nkind: boss\n---\n')).rejects.toMatchObject({
      code: 'bad_request',
      details: { path: 'text', problem: { line: 3, column: 7 } },
    });
    expect(text('ada')).toBe(ADA);
  });

  it('keeps its kind', async () => {
    const { team } = await aTeam({ files: { ada: ADA } });
    await expect(team.replaceFile('ada', ADA.replace('name: Ada', 'name: Ada\nkind: singleton'))).rejects.toMatchObject({
      code: 'immutable_field',
    });
  });
});

describe('deleting', () => {
  it('removes the file and tells whoever keys data on the member first', async () => {
    const { team, root, events } = await aTeam({ files: { ada: ADA } });
    let told: string[] | undefined;
    team.onRemoved(async () => {
      told = events.map(({ type }) => type);
    });
    expect(await team.remove('ada')).toEqual({ ok: true, deleted: 'ada' });
    expect(readdirSync(join(root, '.mesh/team'))).toEqual([]);
    expect(told).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['team.deleted']);
  });

  it('refuses singletons, also broken ones', async () => {
    const { team, path, event } = await aTeam({ files: { ada: '---\nkind: singleton\n---\n', 'architect-master': '---js\n---\n' } });
    await expect(team.remove('ada')).rejects.toMatchObject({ code: 'member_protected' });
    await expect(team.remove('architect-master')).rejects.toMatchObject({ code: 'member_protected' });
    writeFileSync(path('ada'), '---\nkind: [\n---\n');
    await event('team.broken', 'ada');
    await expect(team.remove('ada')).rejects.toMatchObject({ code: 'member_protected' });
  });

  it('of the whole folder by hand removes every member', async () => {
    const { team, root } = await aTeam({ files: { ada: ADA, bea: 'x' } });
    rmSync(join(root, '.mesh/team'), { recursive: true });
    expect((await team.list()).count).toBe(0);
    await team.create({ id: 'eve' });
    expect((await team.list()).count).toBe(1);
  });
});

describe('the start', () => {
  it('refuses a roster behind a symbolic link', async () => {
    const root = temporaryFolder({ 'elsewhere/ada.md': 'x' });
    mkdirSync(join(root, '.mesh'));
    symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/team'));
    const store = new TeamStore(new MarkdownFolder(root, ['.mesh', 'team'], () => undefined));
    const team = new Team(store, new Bus(new FakeClock()), {
      standardVersion: () => 30,
      committedText: async () => null,
      resolveClient: () => ({ client_resolved: '', model_resolved: '' }),
      instances: () => 0,
      tokenOf: () => undefined,
      warn: () => undefined,
    });
    await expect(team.start()).rejects.toMatchObject({ code: 'forbidden', message: expect.stringContaining('.mesh/team') });
  });

  it('says how changes are noticed', async () => {
    const { team } = await aTeam();
    expect(team.watching).toEqual({ mode: 'notices' });
  });

  it('reads many files that git wrote at once', async () => {
    const { team, root } = await aTeam();
    putFiles(
      root,
      Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`.mesh/team/member-${i}.md`, `---\npinned_order: ${i}\n---\n`])),
    );
    expect((await team.list()).count).toBe(100);
  });
});
