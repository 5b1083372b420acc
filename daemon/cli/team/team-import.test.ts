import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ExportedList, ImportCandidate, ImportCandidates, Imported } from '../../contract/imports.js';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { cellsOf, scriptedDaemon } from '../../testing/processes/scripted-daemon.js';
import { putFiles } from '../../testing/temporary-folder.js';

const agent = (name: string, more = '') =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\nDo ${name}.\n`;

async function project() {
  const app = await daemon();
  putFiles(app.root, {
    '.claude/agents/scribe.md': agent('scribe', 'tools: Read, Grep\ncolor: blue\nhooks: {}\n'),
    '.claude/agents/developer.md': agent('developer'),
    '.gemini/agents/broken.md': '---\nname: [\n---\n',
  });
  return app;
}

describe('meshd team import', () => {
  it('shows what was found and how each key is imported, and writes nothing', async () => {
    const { root } = await project();
    const { exit, out, err } = await meshd(root, 'team', 'import');
    expect(exit).toBe(0);
    expect(out).toMatch(/scribe +new +\.claude\/agents\/scribe\.md +name → id, description, tools, body +hooks +color/);
    expect(out).toMatch(/developer +id in use, developer-2 is free/);
    expect(out).toMatch(/– +cannot be read +\.gemini\/agents\/broken\.md +Line \d+/);
    expect(err).toContain('`meshd team import --all` imports 2');
    expect(existsSync(join(root, '.mesh/team/scribe.md'))).toBe(false);
    const dry = JSON.parse(
      (await meshd(root, 'team', 'import', '--all', '--dry-run', '--json')).out,
    ) as ImportCandidates;
    expect(dry.count).toBe(3);
    expect(JSON.parse((await meshd(root, 'team', 'import', '--from', 'gemini', '--json')).out)).toMatchObject({
      count: 1,
    });
  });

  it('imports the named files, then every other new one', async () => {
    const { root } = await project();
    const one = await meshd(root, 'team', 'import', 'scribe');
    expect(one).toMatchObject({
      exit: 0,
      out: 'Imported scribe from .claude/agents/scribe.md: .mesh/team/scribe.md\n',
    });
    expect(readFileSync(join(root, '.mesh/team/scribe.md'), 'utf8')).toContain('tools: [read, search]');
    const all = JSON.parse((await meshd(root, 'team', 'import', '--all', '--json')).out) as Imported;
    expect(all.imported.map(({ id }) => id)).toEqual(['developer-2']);
    expect(await meshd(root, 'team', 'import', 'scribe')).toMatchObject({ exit: 6 });
    expect(await meshd(root, 'team', 'import', 'nobody')).toMatchObject({ exit: 4 });
    expect(await meshd(root, 'team', 'import', '--from', 'emacs')).toMatchObject({ exit: 2 });
    expect((await meshd(root, 'team', 'import', '--all')).err).toContain('Nothing is new.');
  });
});

describe('meshd team export', () => {
  it('prints one member in the format of another tool, and reports what is lost', async () => {
    const { root } = await project();
    const { exit, out, err } = await meshd(root, 'team', 'export', 'architect-master', '--to', 'gemini');
    expect(exit).toBe(0);
    expect(out).toMatch(/^---\nname: architect-master\n/);
    expect(err).toContain('kind: Left out');
    expect(existsSync(join(root, '.gemini/agents/architect-master.md'))).toBe(false);
  });

  it('writes on request, and overwrites a file of other origin only with --replace', async () => {
    const { root } = await project();
    expect(await meshd(root, 'team', 'export', 'developer', '--to', 'claude', '--write')).toMatchObject({ exit: 6 });
    expect(readFileSync(join(root, '.claude/agents/developer.md'), 'utf8')).toBe(agent('developer'));
    expect((await meshd(root, 'team', 'export', 'developer', '--to', 'claude', '--write', '--replace')).out).toMatch(
      /developer +replaced/,
    );
    const all = JSON.parse(
      (await meshd(root, 'team', 'export', '--all', '--to', 'codex', '--write', '--json')).out,
    ) as ExportedList;
    expect(all.files.every(({ written }) => written)).toBe(true);
    expect(existsSync(join(root, '.codex/agents/consultant.toml'))).toBe(true);
    expect(await meshd(root, 'team', 'export', '--to', 'codex')).toMatchObject({ exit: 2 });
    expect(await meshd(root, 'team', 'export', 'nobody', '--to', 'codex')).toMatchObject({ exit: 4 });
  });

  it('updates the files of earlier exports, and reports those of removed members', async () => {
    const { root } = await project();
    expect((await meshd(root, 'team', 'export', '--all', '--write')).err).toContain(
      'Nothing was exported yet: name a tool with --to.',
    );
    expect(await meshd(root, 'team', 'export', 'consultant')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--to'),
    });
    await meshd(root, 'team', 'export', 'consultant', 'deployer', '--to', 'codex', '--write');
    await meshd(root, 'team', 'export', 'consultant', '--to', 'cursor', '--write');
    const consultant = join(root, '.mesh/team/consultant.md');
    writeFileSync(
      consultant,
      readFileSync(consultant, 'utf8').replace(/^description: .*$/m, 'description: Knows the tides.'),
    );
    const { out } = await meshd(root, 'team', 'export', '--all', '--write');
    expect(out).toMatch(/consultant +replaced +\.codex\/agents\/consultant\.toml/);
    expect(out).toMatch(/consultant +replaced +\.cursor\/agents\/consultant\.md/);
    expect(out).toMatch(/deployer +up to date/);
    expect(out).not.toContain('developer');
    expect(readFileSync(join(root, '.codex/agents/consultant.toml'), 'utf8')).toContain('Knows the tides.');
    rmSync(join(root, '.mesh/team/deployer.md'));
    const left = join(root, '.codex/agents/deployer.toml');
    expect((await meshd(root, 'team', 'export', '--all', '--write')).err).toContain(
      '.codex/agents/deployer.toml is left of deployer, who is gone',
    );
    expect(existsSync(left)).toBe(true);
    expect((await meshd(root, 'team', 'export', '--all', '--write', '--prune')).err).toContain(
      '.codex/agents/deployer.toml is removed',
    );
    expect(existsSync(left)).toBe(false);
  });
});

describe('meshd team drift', () => {
  it('shows changed sources, and pulls or ignores the change', async () => {
    const { root } = await project();
    await meshd(root, 'team', 'import', 'scribe', 'developer');
    expect((await meshd(root, 'team', 'drift')).err).toContain('Every imported member matches its source.');
    writeFileSync(join(root, '.claude/agents/scribe.md'), agent('scribe').replace('Do scribe.', 'Write.'));
    writeFileSync(join(root, '.claude/agents/developer.md'), agent('developer').replace('Does', 'Did'));
    expect((await meshd(root, 'team', 'drift')).out).toMatch(/scribe +changed +\.claude\/agents\/scribe\.md +.*body/);
    expect((await meshd(root, 'team', 'drift', '--pull', 'scribe')).out).toContain('scribe now matches its source.');
    expect(readFileSync(join(root, '.mesh/team/scribe.md'), 'utf8')).toContain('\nWrite.\n');
    expect(await meshd(root, 'team', 'drift', '--ignore', 'developer-2')).toMatchObject({ exit: 0 });
    expect(JSON.parse((await meshd(root, 'team', 'drift', '--json')).out)).toEqual({ drifted: [], count: 0 });
    expect(await meshd(root, 'team', 'drift', '--pull', 'scribe')).toMatchObject({ exit: 4 });
  });
});

describe('meshd team import and drift, as a daemon answers', () => {
  const candidate = (id: string, state: ImportCandidate['state'], changes: Partial<ImportCandidate> = {}) => ({
    ...{ id, state, source: `.claude/agents/${id}.md`, entry: null, format: 'claude', scope: 'project', name: id },
    ...{ description: '', sha256: `of ${id}`, fields: [], notes: [] },
    ...changes,
  });
  const found = [candidate('scribe', 'new'), candidate('developer', 'conflict', { suggested: 'developer-2' })];
  const looked = { found, count: 2, left_out: 0 };
  const nothing = { imported: [], skipped: [] };

  it.each([
    [['scribe'], ['scribe']],
    [['.claude/agents/scribe.md'], ['scribe']],
    [['developer-2'], ['developer-2']],
    [['.claude/agents/developer.md'], ['developer-2']],
    [['scribe', 'scribe'], ['scribe']],
    [
      ['scribe', '.claude/agents/scribe.md', 'developer', 'developer-2'],
      ['scribe', 'developer-2'],
    ],
  ])('names by id, free id or file: %j imports %j, each once', async (named, ids) => {
    const { root, sent } = await scriptedDaemon({ 'GET /imports': looked, 'POST /imports': nothing });
    expect(await meshd(root, 'team', 'import', ...named)).toMatchObject({ exit: 0 });
    expect(sent.at(-1)).toEqual(['POST /imports', { items: ids.map((id) => expect.objectContaining({ id })) }]);
  });

  it.each([
    ['one of two', ['scribe'], ['developer.md'], 1],
    ['all', [], ['developer.md'], 6],
    ['none', ['scribe'], [], 0],
  ])('exits by what was skipped: %s', async (_which, imported, skipped, exit) => {
    const done = {
      imported: imported.map((id) => ({ id, source: `${id}.md`, notes: [] })),
      skipped: skipped.map((source) => ({ source, code: 'stale', reason: 'It changed meanwhile.' })),
    };
    const { root } = await scriptedDaemon({ 'GET /imports': looked, 'POST /imports': done });
    for (const form of [[], ['--json']])
      expect(await meshd(root, 'team', 'import', '--all', ...form)).toMatchObject({ exit });
  });

  it.each([
    [[], ''],
    [['--user'], '?scope=user'],
    [['--from', 'codex', '--user'], '?format=codex&scope=user'],
  ])('asks with %j for /imports%s', async (options, query) => {
    const { root, sent } = await scriptedDaemon({ 'GET /imports': looked });
    expect(await meshd(root, 'team', 'import', ...options)).toMatchObject({ exit: 0 });
    expect(sent).toEqual([[`GET /imports${query}`]]);
  });

  it.each([
    [0, false],
    [1, true],
    [7, true],
  ])('says of %i files left out that they were skipped: %s', async (leftOut, isSaid) => {
    const { root } = await scriptedDaemon({ 'GET /imports': { ...looked, left_out: leftOut } });
    expect((await meshd(root, 'team', 'import')).err.includes(`${leftOut} more `)).toBe(isSaid);
  });

  it('shows what a pull would overwrite', async () => {
    const drift = (id: string, state: string, isEdited: boolean) => ({
      ...{ id, source: `${id}.md`, format: 'claude', state, member_edited: isEdited, fields: [] },
    });
    const drifted = [drift('a', 'changed', false), drift('b', 'changed', true), drift('c', 'gone', true)];
    const { root } = await scriptedDaemon({ 'GET /imports/drift': { drifted, count: 3 } });
    expect(cellsOf((await meshd(root, 'team', 'drift')).out).map(([id, state]) => [id, state])).toEqual([
      ['MEMBER', 'STATE'],
      ['a', 'changed'],
      ['b', 'changed; a pull overwrites your edits'],
      ['c', 'source is gone'],
    ]);
  });

  it('takes --pull and --ignore only apart: together they change nothing', async () => {
    const { root, sent } = await scriptedDaemon({});
    expect(await meshd(root, 'team', 'drift', '--pull', 'a', '--ignore', 'b')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('Give --pull or --ignore, not both.'),
    });
    expect(sent).toEqual([]);
  });
});
