import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { MeshEvent } from '../../contract/events.js';
import {
  AGENT_FORMATS,
  type DriftList,
  type Exported,
  type ExportedList,
  type ImportCandidate,
  type ImportCandidates,
  type Imported,
  type PullPreview,
} from '../../contract/imports.js';
import type { MemberDetail } from '../../contract/team.js';
import { events } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';

const SCOUT = '---\nname: scout\ndescription: Looks around.\n---\nLook.\n';
const FIXTURES = fileURLToPath(new URL('./fixtures', import.meta.url));
const FOLDERS = {
  claude: '.claude/agents',
  copilot: '.github/agents',
  opencode: '.opencode/agent',
  gemini: '.gemini/agents',
  codex: '.codex/agents',
  cursor: '.cursor/agents',
};

const look = async (app: TestApp, query = '') => (await app.call('GET', `/imports${query}`)).body as ImportCandidates;
const importAll = async (app: TestApp, query = '') => {
  const { found } = await look(app, query);
  const items = found
    .filter(({ state }) => state === 'new' || state === 'conflict')
    .map(({ source, entry, scope, sha256, id, suggested }) => ({ source, entry, scope, sha256, id: suggested ?? id }));
  return (await app.call('POST', '/imports', { items })).body as Imported;
};
const getExport = async (app: TestApp, id: string, format: string) =>
  (await app.call('GET', `/exports/${id}?format=${format}`)).body as Exported;
const candidate = ({ found }: ImportCandidates, source: string) =>
  found.find((one) => one.source === source) as ImportCandidate;

/** Resolves with the next event of `type` about a member. */
const drifted = async (app: TestApp) => ((await app.call('GET', '/imports/drift')).body as DriftList).drifted;
const getEvent = (app: TestApp, type: MeshEvent['type'], id: string) =>
  new Promise<MeshEvent>((resolve) => {
    const stop = app.daemon.bus.watch((event) => {
      if (event.type !== type || !('id' in event) || event.id !== id) return;
      stop();
      resolve(event);
    });
  });

const REVIEWER =
  '---\nname: reviewer\ndescription: Reviews.\ntools: Read, Grep # least\nmodel: sonnet\n---\n\nLook twice.\n';

describe('a project with agents of six tools', () => {
  it('imports each as an internal member, and exports each file unchanged', async () => {
    const root = temporaryFolder();
    for (const format of AGENT_FORMATS) {
      for (const path of readdirSync(join(FIXTURES, format), { recursive: true, encoding: 'utf8' }).filter((one) =>
        /\.(?:md|toml)$/.test(one),
      ))
        putFiles(root, { [`${FOLDERS[format]}/${path}`]: readFileSync(join(FIXTURES, format, path), 'utf8') });
    }
    const app = await testApp({ root });
    const { imported, skipped } = await importAll(app);
    expect(skipped).toEqual([]);
    expect(imported.length).toBeGreaterThanOrEqual(60);
    expect((await look(app)).found.every(({ state }) => state === 'same')).toBe(true);
    for (const { id, source } of imported) {
      const member = (await app.call('GET', `/team/${id}`)).body as MemberDetail;
      expect({ state: member.state, exposure: member.exposure, kind: member.kind }).toEqual({
        state: 'ok',
        exposure: 'internal',
        kind: 'profile',
      });
      expect(member.unknown_keys).toEqual([]);
      const format = AGENT_FORMATS.find((one) => source.startsWith(FOLDERS[one])) as string;
      const exported = await getExport(app, id, format);
      expect({ path: exported.path, state: exported.state }).toEqual({ path: source, state: 'same' });
      expect(exported.content).toBe(readFileSync(join(root, source), 'utf8'));
    }
  });
});

describe('a listing', () => {
  it('reports for each key whether it is taken, kept or unused, and its target', async () => {
    const app = await testApp({
      files: {
        '.claude/agents/a.md':
          '---\nname: a-b\ndescription: D\ntools: Read, mcp__x\nmodel: inherit\nmaxTurns: 3\ncolor: ' +
          'red\nhooks: {Stop: []}\n---\n\nB\n',
      },
    });
    const { fields, ...found } = candidate(await look(app), '.claude/agents/a.md');
    expect(found).toMatchObject({
      id: 'a-b',
      name: 'A B',
      description: 'D',
      format: 'claude',
      scope: 'project',
      entry: null,
      state: 'new',
    });
    expect(fields.map(({ key, fate, to }) => [key, fate, to])).toEqual([
      ['name', 'taken', 'id'],
      ['description', 'taken', 'description'],
      ['tools', 'taken', 'tools'],
      ['model', 'taken', 'model'],
      ['maxTurns', 'taken', 'limits.turns'],
      ['color', 'unused', 'color'],
      ['hooks', 'kept', undefined],
      ['body', 'taken', 'body'],
    ]);
    expect(fields.find(({ key }) => key === 'tools')?.note).toBe('Not used here: mcp__x.');
    expect(fields.find(({ key }) => key === 'model')?.note).toContain('`strongest` instead');
  });

  it('reports an id conflict, and suggests a free id', async () => {
    const app = await testApp({
      files: {
        '.claude/agents/developer.md': REVIEWER.replace('reviewer', 'developer'),
        '.cursor/agents/x.md': REVIEWER,
        '.gemini/agents/x.md': REVIEWER,
      },
    });
    const looked = await look(app);
    expect(candidate(looked, '.claude/agents/developer.md')).toMatchObject({
      state: 'conflict',
      suggested: 'developer-2',
    });
    expect(candidate(looked, '.gemini/agents/x.md')).toMatchObject({ state: 'new', id: 'reviewer' });
    expect(candidate(looked, '.cursor/agents/x.md')).toMatchObject({ state: 'conflict', suggested: 'reviewer-2' });
    expect((await importAll(app)).imported.map(({ id }) => id)).toEqual(['developer-2', 'reviewer', 'reviewer-2']);
  });

  it('reports an unreadable file with line and column, without affecting other files', async () => {
    const app = await testApp({
      files: {
        '.claude/agents/broken.md': '---\nname: [\n---\nx',
        '.claude/agents/code.md': '---\nname: !!js/function "x"\n---\nx',
        '.claude/agents/bomb.md': `---\na: &a [x]\nb: [${'*a,'.repeat(60)}]\n---\nx`,
        '.claude/agents/README.md': '# These are our agents\n',
        '.claude/agents/good.md': REVIEWER,
        '.codex/agents/bad.toml': 'name = "x"\nname = "y"\n',
        '.codex/agents/proto.toml': 'name = "x"\ndeveloper_instructions = "y"\n[__proto__]\npolluted = true\n',
        '.gemini/agents/remotes.md':
          '---\n- kind: remote\n  name: far\n  agent_card_url: https://far.example/card\n- kind: remote\n  ' +
          'name: away\n---\n',
        '.gemini/agents/remote.md': '---\nkind: remote\nname: far\nagent_card_url: https://far.example/card\n---\n',
        'opencode.json': '{"agent": {"fine": {"prompt": "P"}, "build": {"model": "a/b"}},}',
      },
    });
    mkdirSync(join(app.root, '.opencode'));
    symlinkSync(join(app.root, '.claude/agents'), join(app.root, '.opencode/agent'));
    symlinkSync('/etc/passwd', join(app.root, '.claude/agents/link.md'));
    writeFileSync(join(app.root, '.claude/agents/big.md'), `---\nname: big\n---\n${'x'.repeat(300_000)}`);
    writeFileSync(join(app.root, '.claude/agents/latin.md'), Buffer.from('---\nname: caf\xe9\n---\nx', 'latin1'));
    const looked = await look(app);
    const said = (source: string) => `${candidate(looked, source).state}: ${candidate(looked, source).reason}`;
    expect(said('.claude/agents/broken.md')).toMatch(/^unreadable: Line \d+, column \d+: /);
    expect(said('.claude/agents/code.md')).toContain('unreadable: Line 2, column 7: Unresolved tag');
    expect(said('.claude/agents/bomb.md')).toContain('more than 32 aliases');
    expect(said('.claude/agents/README.md')).toContain('not_a_member: It has no frontmatter');
    expect(said('.claude/agents/link.md')).toContain('unreadable: This is a symbolic link');
    expect(said('.claude/agents/big.md')).toContain('larger than 256 KiB');
    expect(said('.claude/agents/latin.md')).toContain('not UTF-8');
    expect(said('.opencode/agent')).toContain('links are not followed');
    expect(said('.codex/agents/bad.toml')).toContain('unreadable: Line 2');
    expect(said('.codex/agents/proto.toml')).toContain('unreadable');
    expect(said('.gemini/agents/remotes.md')).toContain('not_a_member: It is a list of remote agents (far, away)');
    expect(said('.gemini/agents/remote.md')).toContain('not_a_member: It is a remote agent');
    expect(
      looked.found.filter(({ source }) => source === 'opencode.json').map(({ entry, state }) => [entry, state]),
    ).toEqual([
      ['fine', 'new'],
      ['build', 'not_a_member'],
    ]);
    expect((await importAll(app)).imported.map(({ id }) => id)).toEqual(['reviewer', 'fine']);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  it('takes bounded time for a file made to be slow to parse', async () => {
    const many = 120_000;
    const app = await testApp();
    putFiles(app.root, {
      '.claude/agents/commas.md': `---\nname: commas\ntools: "${','.repeat(many)}Read"\n---\nx`,
      '.claude/agents/blanks.md': `---\nname: blanks\ndescription: a: ${' '.repeat(many)}b\n---\nx`,
      '.gemini/agents/lines.md': `---\n${'\n'.repeat(many)}x\n---\nx`,
      '.cursor/agents/keys.md': `---\n${Array.from({ length: 800 }, (_, index) => `k${index}: v`).join('\n')}\n---\nx`,
      'opencode.json': `{"agent": {"deep": ${'['.repeat(many)}`,
    });
    const states = (await look(app)).found.map(({ source, state }) => `${source} ${state}`);
    expect(states).toEqual([
      '.claude/agents/blanks.md new',
      '.claude/agents/commas.md new',
      '.gemini/agents/lines.md unreadable',
      '.cursor/agents/keys.md new',
      'opencode.json unreadable',
    ]);
  });

  it('includes the home folder only on request, and reports when there is none', async () => {
    const app = await testApp();
    expect((await look(app)).count).toBe(0);
    expect(await app.call('GET', '/imports?scope=user')).toMatchObject({
      status: 400,
      body: { error: 'bad_request', path: 'scope' },
    });
    expect(await app.call('GET', '/imports?scope=planet')).toMatchObject({ status: 400 });
  });

  it('lists and imports agents of the home folder, and reports a change of one', async () => {
    const home = temporaryFolder({ '.claude/agents/scout.md': SCOUT });
    const app = await testApp({ env: { HOME: home } });
    expect((await look(app)).count).toBe(0);
    const { found } = (await app.call('GET', '/imports?scope=user')).body as ImportCandidates;
    expect(found.map(({ source, id }) => [source, id])).toEqual([['~/.claude/agents/scout.md', 'scout']]);
    const socket = await events(app);
    expect((await app.call('POST', '/imports', { items: [{ source: found[0]?.source }] })).status).toBe(200);
    const heard = () => socket.until((frame) => frame.type === 'team.drifted' && frame.id === 'scout');
    await socket.until((frame) => frame.type === 'team.created' && frame.id === 'scout');
    writeFileSync(join(home, '.claude/agents/scout.md'), SCOUT.replace('Looks', 'Peers'));
    await heard();
    expect(await drifted(app)).toMatchObject([{ id: 'scout', source: '~/.claude/agents/scout.md', state: 'changed' }]);
    // Only the second change comes for certain after the first look.
    writeFileSync(join(home, '.claude/agents/scout.md'), SCOUT);
    await heard();
    expect(await drifted(app)).toEqual([]);
  });
});

describe('an import', () => {
  it('takes over neither an exposure nor a secret', async () => {
    const app = await testApp({
      files: {
        '.claude/agents/s.md':
          '---\nname: server-user\ndescription: D\nexposure: external\nmcpServers:\n  - gh:\n      command: ' +
          'npx\n      args: [--api-key, abc123def456, "--url=https://me:hunter2@example.com"]\n' +
          '      env: {GITHUB_TOKEN: ghp_0123456789abcdefghij0123, LOG: debug, OTHER: $OTHER}\n      headers: ' +
          '{Authorization: Bearer abcdefgh12345678}\n---\n\nB\n',
      },
    });
    const found = candidate(await look(app), '.claude/agents/s.md');
    const spoken = JSON.stringify(found);
    for (const secret of ['ghp_0123', 'hunter2', 'abc123def456', 'abcdefgh12345678'])
      expect(spoken).not.toContain(secret);
    const { imported } = await importAll(app);
    expect(imported[0]?.notes.join(' ')).toContain(`\${GITHUB_TOKEN}`);
    const text = readFileSync(join(app.root, '.mesh/team/server-user.md'), 'utf8');
    for (const secret of ['ghp_0123', 'hunter2', 'abc123def456', 'abcdefgh12345678'])
      expect(text).not.toContain(secret);
    expect(text).toContain(`GITHUB_TOKEN: "\${GITHUB_TOKEN}"`);
    expect(text).toContain('LOG: debug');
    expect(existsSync(join(app.root, '.mesh/state/imports'))).toBe(false);
    expect(((await app.call('GET', '/team/server-user')).body as MemberDetail).exposure).toBe('internal');
    expect(await getExport(app, 'server-user', 'claude')).toMatchObject({
      state: 'same',
      losses: [{ key: 'secrets' }],
    });
  });

  it('rejects a prompt that contains a secret, and does not show it', async () => {
    const text = '---\nname: leaky\ndescription: With sk-0123456789abcdefghij.\n---\n\nUse sk-0123456789abcdefghij.\n';
    const app = await testApp({ files: { '.claude/agents/s.md': text } });
    expect(JSON.stringify(await look(app))).not.toContain('sk-0123');
    expect((await importAll(app)).skipped).toMatchObject([
      { source: '.claude/agents/s.md', code: 'secret_in_member_file' },
    ]);
  });

  it('skips existing, changed and unknown items, and imports the others', async () => {
    const app = await testApp({
      files: { '.claude/agents/a.md': REVIEWER, '.claude/agents/b.md': REVIEWER.replace('reviewer', 'second') },
    });
    const items = [
      { source: '.claude/agents/a.md', sha256: '0'.repeat(64) },
      { source: '.claude/agents/none.md' },
      { source: '../outside.md' },
      { source: '.mesh/team/developer.md' },
      { source: '.claude/agents/b.md', id: 'Bad Id' },
      { source: '.claude/agents/b.md' },
      { source: '.claude/agents/b.md' },
      { source: '.claude/agents/a.md', id: 'developer' },
    ];
    const { imported, skipped } = (await app.call('POST', '/imports', { items })).body as Imported;
    expect(imported.map(({ id }) => id)).toEqual(['second']);
    expect(skipped.map(({ code }) => code)).toEqual([
      'file_changed',
      'not_found',
      'not_found',
      'not_found',
      'bad_request',
      'member_exists',
      'member_exists',
    ]);
  });

  it('publishes the same event as the creation of a member', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    const told = new Promise((resolve) =>
      app.daemon.bus.watch((event) => event.type === 'team.created' && resolve(event)),
    );
    await importAll(app);
    expect(await told).toMatchObject({ type: 'team.created', id: 'reviewer' });
  });

  it('imports entries of opencode.json, with prompt files only from the same folder', async () => {
    const json =
      '{\n  // ours\n  "model": "a/b",\n  "agent": {\n    "scout": { "description": "Looks", "prompt": ' +
      '"{file:./prompts/scout.md}", "steps": 4 },\n    "thief": { "prompt": "{file:/etc/passwd}" },\n    ' +
      '"hidden": { "prompt": "{file:./.env}" },\n    "plain": { "prompt": "Do it.", "reasoningEffort": "high", ' +
      '},\n  },\n}\n';
    const app = await testApp({
      files: { 'opencode.jsonc': json, 'prompts/scout.md': 'Look around.\n', '.env': 'SECRET=1' },
    });
    const looked = await look(app);
    expect(looked.found.map(({ entry, state }) => [entry, state])).toEqual([
      ['scout', 'new'],
      ['thief', 'unreadable'],
      ['hidden', 'unreadable'],
      ['plain', 'new'],
    ]);
    await importAll(app);
    expect((await app.call('GET', '/team/scout')).body).toMatchObject({ body: 'Look around.\n', limits: { turns: 4 } });
    expect(await getExport(app, 'scout', 'opencode')).toMatchObject({
      path: 'opencode.jsonc',
      state: 'same',
      content: json,
    });
    await app.call('PATCH', '/team/plain', { effort: 'low', body: 'Do it now.' });
    const { content, state } = await getExport(app, 'plain', 'opencode');
    expect(state).toBe('foreign');
    expect(content).toContain('// ours');
    expect(content.startsWith(json.slice(0, json.indexOf('{ "prompt": "Do it."')))).toBe(true);
    expect(content).toContain('"prompt": "Do it now."');
    expect(content).toContain('"reasoningEffort": "low"');
  });
});

describe('an export', () => {
  it('changes only edited keys, and preserves comments, order and quoting', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    await importAll(app);
    await app.call('PATCH', '/team/reviewer', { description: 'Reviews twice.' });
    expect((await getExport(app, 'reviewer', 'claude')).content).toBe(REVIEWER.replace('Reviews.', 'Reviews twice.'));
    await app.call('PATCH', '/team/reviewer', { tools: ['read', 'search', 'execute'] });
    expect((await getExport(app, 'reviewer', 'claude')).content).toContain('tools: Read, Grep, Bash # least\n');
  });

  it('reports keys that the other tool cannot express', async () => {
    const app = await testApp();
    const { content, losses, path, state } = await getExport(app, 'architect-master', 'cursor');
    expect({ path, state }).toEqual({ path: '.cursor/agents/architect-master.md', state: 'new' });
    expect(content).toMatch(/^---\nname: architect-master\ndescription: /);
    expect(losses.map(({ key }) => key)).toEqual(expect.arrayContaining(['kind', 'model']));
    expect(await app.call('GET', '/exports/nobody?format=cursor')).toMatchObject({ status: 404 });
    expect(await app.call('GET', '/exports/developer?format=emacs')).toMatchObject({ status: 400 });
  });

  it('writes only on request, updates its own files, and overwrites others only with replace', async () => {
    const app = await testApp({ files: { '.claude/agents/consultant.md': 'mine' } });
    const send = async (body: object) =>
      (
        (await app.call('POST', '/exports', { format: 'claude', ids: ['developer', 'consultant'], ...body }))
          .body as ExportedList
      ).files.map(({ state, written }) => `${state} ${written}`);
    const path = join(app.root, '.claude/agents/developer.md');
    expect(await send({})).toEqual(['new false', 'foreign false']);
    expect(existsSync(path)).toBe(false);
    expect(await send({ write: true })).toEqual(['new true', 'foreign false']);
    expect(await send({ write: true })).toEqual(['same false', 'foreign false']);
    await app.call('PATCH', '/team/developer', { description: 'Another.' });
    expect(await send({ write: true })).toEqual(['changed true', 'foreign false']);
    writeFileSync(path, 'edited by hand');
    expect(await send({ write: true })).toEqual(['foreign false', 'foreign false']);
    expect(await send({ write: true, replace: true })).toEqual(['foreign true', 'foreign true']);
    expect(readFileSync(path, 'utf8')).toContain('description: Another.');
    expect(candidate(await look(app), '.claude/agents/developer.md')).toMatchObject({
      state: 'same',
      written_for: 'developer',
    });
    await app.call('DELETE', '/team/developer');
    expect(candidate(await look(app), '.claude/agents/developer.md')).toMatchObject({ state: 'new', id: 'developer' });
  });

  it('replaces files of others only for the named members', async () => {
    const app = await testApp({
      files: { '.claude/agents/consultant.md': 'mine', '.claude/agents/developer.md': 'mine too' },
    });
    const { files } = (
      await app.call('POST', '/exports', {
        format: 'claude',
        ids: ['developer', 'consultant'],
        write: true,
        replace: ['developer'],
      })
    ).body as ExportedList;
    expect(files.map(({ id, current, written }) => [id, current, written])).toEqual([
      ['developer', 'mine too', true],
      ['consultant', 'mine', false],
    ]);
    expect(readFileSync(join(app.root, '.claude/agents/consultant.md'), 'utf8')).toBe('mine');
  });

  it('without a format updates all files written before, in their formats, and no others', async () => {
    const app = await testApp();
    const send = async (body: object) =>
      ((await app.call('POST', '/exports', { write: true, ...body })).body as ExportedList).files.map(
        ({ format, id, state, written }) => `${format} ${id} ${state} ${written}`,
      );
    expect(await send({})).toEqual([]);
    await send({ format: 'claude', ids: ['developer', 'consultant'] });
    await send({ format: 'codex', ids: ['developer'] });
    expect(await send({})).toEqual([
      'claude developer same false',
      'claude consultant same false',
      'codex developer same false',
    ]);
    await app.call('PATCH', '/team/developer', { description: 'Another.' });
    writeFileSync(join(app.root, '.claude/agents/consultant.md'), 'by hand');
    expect(await send({})).toEqual([
      'claude developer changed true',
      'claude consultant foreign false',
      'codex developer changed true',
    ]);
    expect(readFileSync(join(app.root, '.codex/agents/developer.toml'), 'utf8')).toContain('Another.');
    rmSync(join(app.root, '.codex/agents/developer.toml'));
    expect(await send({})).toEqual(['claude developer same false', 'claude consultant foreign false']);
  });

  it('lists unmodified leftovers of deleted members, and removes them only with prune', async () => {
    const app = await testApp({ files: { '.claude/agents/third.md': REVIEWER.replace('reviewer', 'third') } });
    await importAll(app);
    for (const name of ['First', 'Second']) await app.call('POST', '/team', { name, description: 'D', body: 'B' });
    await app.call('PATCH', '/team/third', { description: 'Mine.' });
    await app.call('POST', '/exports', {
      format: 'claude',
      ids: ['first', 'second', 'third'],
      write: true,
      replace: true,
    });
    for (const id of ['first', 'second', 'third']) await app.call('DELETE', `/team/${id}`);
    const path = (id: string) => join(app.root, `.claude/agents/${id}.md`);
    writeFileSync(path('second'), 'by hand');
    const send = async (body: object) =>
      ((await app.call('POST', '/exports', { format: 'claude', ...body })).body as ExportedList).leftovers;
    const left = { id: 'first', format: 'claude', path: '.claude/agents/first.md' };
    expect(await send({})).toEqual([{ ...left, removed: false }]);
    expect(await send({ write: true })).toEqual([{ ...left, removed: false }]);
    expect(await send({ format: 'codex', write: true, prune: true })).toEqual([]);
    expect(await send({ write: true, prune: true, ids: [] })).toEqual([{ ...left, removed: true }]);
    expect(existsSync(path('first'))).toBe(false);
    expect(readFileSync(path('second'), 'utf8')).toBe('by hand');
    // An export replaced a file of others here, so it is never removed.
    expect(existsSync(path('third'))).toBe(true);
    expect(await send({})).toEqual([]);
  });

  it('hides secrets of a shared file in the response, and preserves them in the file', async () => {
    const key = 'sk-0123456789abcdefghij';
    const json = `{\n  "provider": {"x": {"apiKey": "${key}"}},\n  "agent": {\n    "scout": {"prompt": "Look."}\n  }\n}\n`;
    const app = await testApp({ files: { 'opencode.json': json } });
    await importAll(app);
    await app.call('PATCH', '/team/scout', { body: 'Look twice.' });
    const body = { format: 'opencode', ids: ['scout'], write: true, replace: true };
    const [file] = ((await app.call('POST', '/exports', body)).body as ExportedList).files;
    expect(file?.written).toBe(true);
    expect(file?.losses.map((loss) => loss.key)).toContain('secrets');
    expect(JSON.stringify(file)).not.toContain(key);
    expect(readFileSync(join(app.root, 'opencode.json'), 'utf8')).toBe(
      json.replace('{"prompt": "Look."}', '{\n      "prompt": "Look twice."\n    }'),
    );
    // Nor does the daemon keep a copy of what it wrote.
    const mesh = join(app.root, '.mesh');
    const kept = readdirSync(mesh, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const holders = kept.filter(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(key));
    expect(holders.map(({ name }) => name)).toEqual([]);
  });

  it('does not overwrite the file from which another member was imported', async () => {
    const app = await testApp({ files: { '.claude/agents/developer.md': REVIEWER.replace('reviewer', 'developer') } });
    await importAll(app);
    const { files } = (
      await app.call('POST', '/exports', {
        format: 'claude',
        ids: ['developer', 'developer-2'],
        write: true,
        replace: true,
      })
    ).body as ExportedList;
    expect(files.map(({ id, path, state, written }) => [id, path, state, written])).toEqual([
      ['developer', '.claude/agents/developer.md', 'foreign', false],
      ['developer-2', '.claude/agents/developer.md', 'same', false],
    ]);
    expect(files[0]?.losses).toContainEqual({ key: 'file', why: 'Not written: `developer-2` goes there' });
    expect(await getExport(app, 'developer', 'claude')).toMatchObject({
      path: '.claude/agents/developer.md',
      losses: files[0]?.losses,
    });
  });

  it('never writes through a symbolic link or outside the project', async () => {
    const app = await testApp();
    const outside = temporaryFolder({ 'x.md': 'theirs' });
    mkdirSync(join(app.root, '.claude/agents'), { recursive: true });
    symlinkSync(join(outside, 'x.md'), join(app.root, '.claude/agents/developer.md'));
    symlinkSync(outside, join(app.root, '.cursor'));
    for (const format of ['claude', 'cursor']) {
      const { files } = (await app.call('POST', '/exports', { format, ids: ['developer'], write: true, replace: true }))
        .body as ExportedList;
      expect(files[0]).toMatchObject({
        state: 'foreign',
        written: false,
        losses: expect.arrayContaining([expect.objectContaining({ key: 'file' })]),
      });
    }
    expect(readdirSync(outside)).toEqual(['x.md']);
    expect(readFileSync(join(outside, 'x.md'), 'utf8')).toBe('theirs');
    const origin = 'origin: {format: claude, path: ../../escape.md, sha256: "0"}';
    writeFileSync(join(app.root, '.mesh/team/sly.md'), `---\ndescription: d\n${origin}\n---\n\nB\n`);
    expect((await getExport(app, 'sly', 'claude')).path).toBe('.claude/agents/sly.md');
  });

  it('restores the same keys and prompt when the state of the machine is lost', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    await importAll(app);
    rmSync(join(app.root, '.mesh/state/imports'), { recursive: true });
    expect((await getExport(app, 'reviewer', 'claude')).content).toBe(REVIEWER);
    rmSync(join(app.root, '.claude/agents/a.md'));
    expect(await getExport(app, 'reviewer', 'claude')).toMatchObject({
      state: 'new',
      content: REVIEWER.replace(' # least', ''),
    });
  });
});

describe('an imported member whose source changed', () => {
  const settle = (app: TestApp, id: string, action: string) => app.call('POST', `/imports/${id}/drift`, { action });

  it('is listed with the changes, and can be pulled', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    await importAll(app);
    expect(await drifted(app)).toEqual([]);
    expect(await settle(app, 'reviewer', 'pull')).toMatchObject({ status: 404 });
    await app.call('PATCH', '/team/reviewer', { emoji: '🔎' });
    const moved = REVIEWER.replace('Reviews.', 'Reviews well.')
      .replace('model: sonnet', 'maxTurns: 9')
      .replace('twice', 'thrice');
    writeFileSync(join(app.root, '.claude/agents/a.md'), moved);
    const [one] = await drifted(app);
    expect(one).toMatchObject({
      id: 'reviewer',
      source: '.claude/agents/a.md',
      format: 'claude',
      state: 'changed',
      member_edited: false,
    });
    expect(one?.fields.map(({ key }) => key)).toEqual(['description', 'maxTurns', 'model', 'body']);
    expect(candidate(await look(app), '.claude/agents/a.md')).toMatchObject({ state: 'changed', id: 'reviewer' });
    const preview = (await app.call('GET', '/imports/reviewer/drift')).body as PullPreview;
    expect(preview.text).toBe(readFileSync(join(app.root, '.mesh/team/reviewer.md'), 'utf8'));
    expect(preview.pulled).toContain('\nLook thrice.\n');
    expect(await settle(app, 'reviewer', 'pull')).toMatchObject({ status: 200, body: { count: 0 } });
    expect(readFileSync(join(app.root, '.mesh/team/reviewer.md'), 'utf8')).toBe(preview.pulled);
    expect(await app.call('GET', '/imports/reviewer/drift')).toMatchObject({ status: 404 });
    expect((await app.call('GET', '/team/reviewer')).body).toMatchObject({
      description: 'Reviews well.',
      model: 'strongest',
      limits: { turns: 9 },
      emoji: '🔎',
      body: 'Look thrice.\n',
    });
    expect((await getExport(app, 'reviewer', 'claude')).content).toBe(moved);
  });

  it('is announced when its source changes, disappears or returns, and when the drift is settled', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    const path = join(app.root, '.claude/agents/a.md');
    // Watching starts only with the first imported member.
    const made = getEvent(app, 'team.created', 'reviewer');
    await importAll(app);
    await made;
    let told = getEvent(app, 'team.drifted', 'reviewer');
    writeFileSync(path, REVIEWER.replace('twice', 'thrice'));
    await told;
    expect(await drifted(app)).toMatchObject([{ id: 'reviewer', state: 'changed' }]);
    told = getEvent(app, 'team.drifted', 'reviewer');
    rmSync(path);
    await told;
    expect(await drifted(app)).toMatchObject([{ state: 'gone' }]);
    told = getEvent(app, 'team.drifted', 'reviewer');
    writeFileSync(path, REVIEWER.replace('twice', 'thrice'));
    await told;
    told = getEvent(app, 'team.drifted', 'reviewer');
    await settle(app, 'reviewer', 'pull');
    await told;
    expect(await drifted(app)).toEqual([]);
  });

  it('shows no drift after an export to the source, and only the later edit after that', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    const path = join(app.root, '.claude/agents/a.md');
    await importAll(app);
    await app.call('PATCH', '/team/reviewer', { description: 'Reviews twice.', tools: ['read', 'search', 'execute'] });
    await app.call('POST', '/exports', { format: 'claude', ids: ['reviewer'], write: true, replace: true });
    expect(await drifted(app)).toEqual([]);
    expect(candidate(await look(app), '.claude/agents/a.md').state).toBe('same');
    writeFileSync(path, readFileSync(path, 'utf8').replace('Look twice', 'Look thrice'));
    const [one] = await drifted(app);
    expect(one).toMatchObject({ state: 'changed', member_edited: false });
    expect(one?.fields.map(({ key }) => key)).toEqual(['body']);
    await settle(app, 'reviewer', 'pull');
    expect((await app.call('GET', '/team/reviewer')).body).toMatchObject({
      description: 'Reviews twice.',
      body: 'Look thrice.\n',
    });
  });

  it('reports that the member was edited too', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    await importAll(app);
    await app.call('PATCH', '/team/reviewer', { body: 'Mine now.\n' });
    writeFileSync(join(app.root, '.claude/agents/a.md'), REVIEWER.replace('twice', 'thrice'));
    expect(await drifted(app)).toMatchObject([{ member_edited: true }]);
  });

  it('can be ignored until the source changes again', async () => {
    const app = await testApp({ files: { '.claude/agents/a.md': REVIEWER } });
    await importAll(app);
    writeFileSync(join(app.root, '.claude/agents/a.md'), REVIEWER.replace('twice', 'thrice'));
    expect(await settle(app, 'reviewer', 'ignore')).toMatchObject({ status: 200, body: { count: 0 } });
    expect(await drifted(app)).toEqual([]);
    writeFileSync(join(app.root, '.claude/agents/a.md'), REVIEWER.replace('twice', 'four times'));
    expect(await drifted(app)).toHaveLength(1);
    rmSync(join(app.root, '.claude/agents/a.md'));
    expect(await drifted(app)).toMatchObject([{ state: 'gone', fields: [] }]);
    expect(await settle(app, 'reviewer', 'pull')).toMatchObject({ status: 400 });
    await settle(app, 'reviewer', 'ignore');
    expect(await drifted(app)).toEqual([]);
  });

  it('is not reported when only the member file claims the origin', async () => {
    const app = await testApp({
      files: {
        '.mesh/team/sly.md': '---\norigin: {format: claude, path: ../../etc/passwd.md, sha256: "0"}\n---\n\nB\n',
        '.mesh/team/home.md':
          '---\norigin: {format: claude, scope: user, path: .claude/agents/private.md, sha256: "0"}\n---\n\nB\n',
      },
    });
    expect(await drifted(app)).toEqual([]);
  });
});
