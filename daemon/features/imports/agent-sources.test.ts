import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { AgentFiles } from '../../storage/members/agent-files.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { AgentSources } from './agent-sources.js';
import { isUsable } from './found-agents.js';

const AGENT = '---\nname: a\n---\n\nB\n';

function sources(files: Record<string, string>, home?: Record<string, string>) {
  const root = temporaryFolder(files);
  const found = new AgentSources(new AgentFiles(root), home && new AgentFiles(temporaryFolder(home)));
  const look = async (...args: Parameters<AgentSources['look']>) => {
    const { found: list, leftOut } = await found.look(...args);
    return [list.map(({ place: { path, entry } }) => (entry === null ? path : `${path} ${entry}`)), leftOut];
  };
  return { root, sources: found, look };
}

const FILES = {
  '.cursor/agents/b.md': AGENT,
  '.cursor/agents/a.md': AGENT,
  '.claude/agents/deep/a.md': AGENT,
  'opencode.json': '{"agent": {"x": {"prompt": "X"}, "y": {"prompt": "Y"}}}',
  '.opencode/opencode.jsonc': '{"agent": {"z": {"prompt": "Z"}}}',
};

describe('a look at a project', () => {
  it('finds all agents in the order of the folders, then those of configurations', async () => {
    const all = [
      ...['.claude/agents/deep/a.md', '.cursor/agents/a.md', '.cursor/agents/b.md', 'opencode.json x'],
      ...['opencode.json y', '.opencode/opencode.jsonc z'],
    ];
    const { look } = sources(FILES);
    expect(await look('project', undefined, 99)).toEqual([all, 0]);
    expect(await look('project', 'cursor', 99)).toEqual([all.slice(1, 3), 0]);
    expect(await look('project', 'opencode', 99)).toEqual([all.slice(3), 0]);
    expect(await look('project', 'codex', 99)).toEqual([[], 0]);
    for (const max of [1, 2, 3, 4, 6])
      expect(await look('project', undefined, max)).toEqual([all.slice(0, max), 6 - max]);
  });

  it('tells folders that are links', async () => {
    const { root, sources: found } = sources({ '.cursor/agents/a.md': AGENT });
    symlinkSync(join(root, '.cursor'), join(root, '.claude'));
    const { found: list, leftOut } = await found.look('project', undefined, 99);
    expect([list[0], list.length, leftOut]).toEqual([
      {
        place: { format: 'claude', scope: 'project', entry: null, path: '.claude/agents' },
        ...{ sha256: '', state: 'unreadable', reason: expect.stringContaining('links are not followed') },
      },
      ...[2, 0],
    ]);
  });
});

describe('the home folder', () => {
  it('is looked at only when it is asked for', async () => {
    const { look, sources: found } = sources({}, { '.config/opencode/opencode.json': FILES['opencode.json'] });
    expect([found.reaches('user'), found.reaches('project')]).toEqual([true, true]);
    expect(await look('project', undefined, 9)).toEqual([[], 0]);
    expect(await look('user', undefined, 9)).toEqual([
      ...[['.config/opencode/opencode.json x', '.config/opencode/opencode.json y'], 0],
    ]);
  });

  it('need not exist', async () => {
    const { sources: found } = sources({});
    expect([found.reaches('user'), found.reaches('project')]).toEqual([false, true]);
    await expect(found.look('user', undefined, 9)).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'scope' } },
      message: 'This daemon was started without a home folder (HOME): import from the project instead.',
    });
  });
});

describe('one place', () => {
  const find = (path: string, entry: string | null = null, files: Record<string, string> = FILES) =>
    sources(files).sources.find({ format: entry === null ? 'cursor' : 'opencode', scope: 'project', path, entry });

  it('has its agent', async () => {
    expect(await find('.cursor/agents/a.md')).toMatchObject({ place: { path: '.cursor/agents/a.md' }, id: 'a-member' });
    expect(await find('opencode.json', 'y')).toMatchObject({ place: { entry: 'y' }, agent: { body: 'Y' } });
    for (const none of ['.cursor/agents/c.md', '.claude/agents/deep/a.md', '.cursor/agents/../agents/a.md', 'a.md'])
      expect(await find(none)).toBeUndefined();
    expect([await find('opencode.json', 'q'), await find('opencode.jsonc', 'x')]).toEqual([undefined, undefined]);
  });

  it('in a configuration that cannot be read is told with it', async () => {
    expect(await find('opencode.json', 'x', { 'opencode.json': '{' })).toMatchObject({
      ...{ place: { entry: null }, state: 'unreadable' },
    });
  });
});

describe('a prompt in another file', () => {
  const NOTHING_ELSE = 'It must be a .md or .txt file beside the configuration or below it: nothing else is read.';

  async function prompt(reference: string, files: Record<string, string>, path = 'opencode.json') {
    const text = JSON.stringify({ agent: { x: { prompt: `{file:${reference}}` } } });
    const { sources: found } = sources({ ...files, [path]: text });
    const one = await found.find({ format: 'opencode', scope: 'project', path, entry: 'x' });
    return one && isUsable(one) ? one.agent.body : one?.reason;
  }

  it.each([...['a.md', './a.md', '././a.md', 'deep/a.markdown', 'a.txt', 'a.prompt', 'A.MD', 'deep/er/a.b.md']])(
    'is read: %s',
    async (reference) => {
      const path = reference.replace(/^(?:\.\/)+/, '');
      expect(await prompt(reference, { [path]: 'Look.\n' })).toBe('Look.\n');
    },
  );

  it.each(['a.env', 'a.md.key', 'a', '../a.md', '/a.md', '.a.md', '.ssh/a.md', 'deep/.x/a.md', 'deep//a.md', 'a.mdx'])(
    'is not read: %s',
    async (reference) => {
      const path = reference.replace(/^[./]+(?=a\.md$)/, '').replace('//', '/');
      expect(await prompt(reference, { [path]: 'Look.\n', '.ssh/a.md': 'Look.\n' })).toBe(
        `The prompt in ${reference}: ${NOTHING_ELSE}`,
      );
    },
  );

  it('is beside the configuration in its own folder', async () => {
    const path = '.opencode/opencode.json';
    expect(await prompt('p/a.md', { '.opencode/p/a.md': 'Look.\n', 'p/a.md': 'No.\n' }, path)).toBe('Look.\n');
    expect(await prompt('.x/a.md', { '.opencode/.x/a.md': 'No.\n' }, path)).toContain(NOTHING_ELSE);
  });

  it('is told when it is not there or cannot be read', async () => {
    expect(await prompt('a.md', {})).toBe('The prompt in a.md: There is no such file.');
    expect(await prompt('a.md', { 'a.md': 'x'.repeat(300_000) })).toMatch(/^The prompt in a\.md: .*256 KiB/);
  });
});
