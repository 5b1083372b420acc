import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentFiles } from '../../storage/members/agent-files.js';
import { imports } from '../../testing/parts/importing.js';
import { putFiles } from '../../testing/temporary-folder.js';

const SCOUT = '---\nname: scout\ndescription: Looks around.\n---\nLook.\n';

describe('agents in the home folder', () => {
  it('are listed and imported on request, with paths that start with ~', async () => {
    const { feature, exports, root } = await imports({
      '.claude/agents/scout.md': SCOUT,
      '.config/opencode/agent/deep/er.md': 'Plain.\n',
      '.config/opencode/opencode.json': '{"agent": {"inner": {"prompt": "P"}}}',
      '.codex/agents/c.toml': 'name = "c-x"\ndeveloper_instructions = "C"\n',
      '.ssh/agents/x.md': SCOUT,
    });
    expect(await feature.list({})).toMatchObject({ count: 0 });
    const { found } = await feature.list({ scope: 'user' });
    expect(found.map(({ source, entry, id, state }) => [source, entry, id, state])).toEqual([
      ['~/.claude/agents/scout.md', null, 'scout', 'new'],
      ['~/.config/opencode/agent/deep/er.md', null, 'deep-er', 'new'],
      ['~/.codex/agents/c.toml', null, 'c-x', 'new'],
      ['~/.config/opencode/opencode.json', 'inner', 'inner', 'new'],
    ]);
    const { imported, skipped } = await feature.import({
      items: found.map(({ source, entry }) => ({ source, entry })),
    });
    expect(skipped).toEqual([]);
    expect(imported).toHaveLength(4);
    expect((await feature.import({ items: [{ source: '~/.ssh/agents/x.md' }] })).skipped).toMatchObject([
      { code: 'not_found' },
    ]);
    const { files } = await exports.export({ format: 'claude', ids: ['scout'], write: true });
    expect(files[0]).toMatchObject({ path: '.claude/agents/scout.md', content: SCOUT, written: true });
    expect(await new AgentFiles(root).read('.claude/agents/scout.md')).toMatchObject({ text: SCOUT });
    expect(await exports.get('deep-er', 'opencode')).toMatchObject({
      path: '.opencode/agent/deep/er.md',
      content: 'Plain.\n',
    });
    expect(await exports.get('inner', 'opencode')).toMatchObject({ path: '.opencode/agent/inner.md', state: 'new' });
  });

  it('are read again only on the machine that imported them', async () => {
    const { feature, drift, home, root } = await imports({ '.claude/agents/scout.md': SCOUT });
    await feature.import({ items: [{ source: '~/.claude/agents/scout.md' }] });
    writeFileSync(join(home, '.claude/agents/scout.md'), SCOUT.replace('Looks', 'Peers'));
    expect((await drift.list()).drifted).toMatchObject([
      { id: 'scout', source: '~/.claude/agents/scout.md', fields: [{ key: 'description' }] },
    ]);
    rmSync(join(root, '.mesh/state/imports.json'));
    expect((await drift.list()).drifted).toEqual([]);
  });

  it('are not read again for a member whose file could not be written', async () => {
    const { feature, root, parts } = await imports({ '.claude/agents/scout.md': SCOUT });
    rmSync(join(root, '.mesh/team'), { recursive: true });
    putFiles(root, { '.mesh/team': 'no folder' });
    await expect(feature.import({ items: [{ source: '~/.claude/agents/scout.md' }] })).rejects.toThrow();
    expect(await parts.records.isFromHome('scout', '~/.claude/agents/scout.md')).toBe(false);
  });

  it('are rejected without a home folder, while other requests succeed', async () => {
    const origin = 'origin: {format: claude, scope: user, path: .claude/agents/scout.md, sha256: "0"}';
    const { feature, drift, root } = await imports({}, true, { scout: `---\n${origin}\n---\n\nLook.\n` });
    putFiles(root, { '.mesh/state/imports.json': '{"from_home": {"scout": "~/.claude/agents/scout.md"}}' });
    await expect(feature.list({ scope: 'user' })).rejects.toMatchObject({ code: 'bad_request' });
    expect(await drift.list()).toEqual({ drifted: [], count: 0 });
  });

  it('are limited to five hundred per request, with a count of the rest', async () => {
    const { feature } = await imports(
      Object.fromEntries(Array.from({ length: 503 }, (_, index) => [`.cursor/agents/a${index}.md`, SCOUT])),
    );
    expect(await feature.list({ scope: 'user' })).toMatchObject({ count: 500, left_out: 3 });
  });
});
