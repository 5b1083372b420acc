import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import { describe, expect, it } from 'vitest';
import manifest from '../../../package.json' with { type: 'json' };
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { scriptedDaemon } from '../../testing/processes/scripted-daemon.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';

const readJson = (...path: string[]) => JSON.parse(readFileSync(join(...path), 'utf8')) as object;
/** The text of every file below `folder`. */
const readAll = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n');

describe('meshd team export --as', () => {
  it('writes a plugin of Claude Code and servers of Codex, which name tokens and do not hold them', async () => {
    const app = await daemon();
    const token = await app.getToken('consultant');
    const folder = join(temporaryFolder(), 'plugin');
    const written = await meshd(app.root, 'team', 'export', '--all', '--as', 'claude-plugin', '--into', folder);
    expect(written.exit).toBe(0);
    expect(written.err).toContain('export MESHD_TOKEN_CONSULTANT="$(meshd token show consultant)"');
    expect(readJson(folder, '.claude-plugin/plugin.json')).toMatchObject({
      name: expect.stringMatching(/^meshd-[a-z0-9-]+$/),
      version: manifest.version,
    });
    expect(readJson(folder, '.mcp.json')).toEqual({
      mcpServers: {
        consultant: {
          type: 'http',
          url: `${app.address}/team/consultant/mcp`,
          // biome-ignore lint/suspicious/noTemplateCurlyInString: the other program fills it in.
          headers: { Authorization: 'Bearer ${MESHD_TOKEN_CONSULTANT}' },
        },
      },
    });
    const codex = await meshd(app.root, 'team', 'export', 'consultant', '--as', 'codex');
    expect(parse(codex.out)).toEqual({
      mcp_servers: {
        consultant: {
          url: `${app.address}/team/consultant/mcp`,
          bearer_token_env_var: 'MESHD_TOKEN_CONSULTANT',
          tool_timeout_sec: 960,
        },
      },
    });
    expect(`${readAll(folder)}${codex.out}${codex.err}${written.err}`).not.toContain(token);
  });

  it('writes an agent.json a member, and the settings of an editor', async () => {
    const app = await daemon();
    const { root } = app;
    const folder = temporaryFolder();
    expect((await meshd(root, 'team', 'export', 'developer', '--as', 'acp', '--into', folder)).exit).toBe(0);
    expect(readJson(folder, 'meshd-developer/agent.json')).toEqual({
      id: 'meshd-developer',
      name: expect.stringContaining('(meshd)'),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/./),
      license: 'MIT',
      distribution: { npx: { package: `meshd@${manifest.version}`, args: ['acp', 'developer'] } },
    });
    // A member whose file was never read is no agent that an editor could start.
    putFiles(app.root, { '.mesh/team/torn.md': '---\nname: [not closed\n---\n' });
    await expect.poll(async () => (await meshd(root, 'team', 'ls', '--json')).out).toContain('"torn"');
    const all = await meshd(root, 'team', 'export', '--all', '--as', 'zed');
    expect(Object.keys((JSON.parse(all.out) as { agent_servers: object }).agent_servers)).not.toContain('torn (meshd)');
    const { out } = await meshd(root, 'team', 'export', 'developer', 'consultant', '--as', 'zed');
    expect(JSON.parse(out)).toEqual({
      agent_servers: {
        'consultant (meshd)': { type: 'custom', command: 'meshd', args: ['acp', 'consultant'], env: {} },
        'developer (meshd)': { type: 'custom', command: 'meshd', args: ['acp', 'developer'], env: {} },
      },
    });
  });

  it('replaces no other file without --replace, and none when one of them differs', async () => {
    const { root } = await daemon();
    const folder = temporaryFolder();
    putFiles(folder, { '.mcp.json': '{}' });
    const into = ['team', 'export', 'consultant', '--as', 'claude-plugin', '--into', folder];
    expect(await meshd(root, ...into)).toMatchObject({ exit: 6, err: expect.stringContaining('.mcp.json exists') });
    expect(existsSync(join(folder, '.claude-plugin'))).toBe(false);
    expect((await meshd(root, ...into, '--replace')).exit).toBe(0);
    const { out } = await meshd(root, ...into, '--json');
    expect(JSON.parse(out)).toMatchObject({
      as: 'claude-plugin',
      files: [{ path: '.claude-plugin/plugin.json', state: 'same' }, { state: 'same' }],
      variables: [{ member: 'consultant', variable: 'MESHD_TOKEN_CONSULTANT' }],
    });
  });

  it('refuses members that other programs cannot ask, and options of the other way', async () => {
    const { root } = await daemon();
    const exported = (...args: string[]) => meshd(root, 'team', 'export', ...args);
    expect(await exported('developer', '--as', 'codex')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('developer is internal'),
    });
    expect((await exported('nobody', '--as', 'zed')).exit).toBe(4);
    expect(await exported('developer', '--as', 'zed', '--to', 'claude')).toMatchObject({
      exit: 2,
      err: expect.stringContaining('--to does not go with --as'),
    });
    expect((await exported('developer', '--as', 'zed', '--replace')).exit).toBe(2);
    expect((await exported('developer', '--to', 'claude', '--into', 'x')).exit).toBe(2);
  });
});

describe('meshd team export --as codex, for members that other programs may ask', () => {
  const member = (id: string, changes: object = {}) => ({
    id,
    name: id,
    serving: true,
    exposure: 'external',
    ...changes,
  });
  const open = member('open');
  const closed = [
    member('internal', { exposure: 'internal' }),
    member('held', { exposure_hold: 'agreement' }),
    member('kept', { exposure_hold: 'kept_internal' }),
    member('untested', { exposure_hold: 'tests' }),
    member('unsure', { warnings: [{ path: 'exposure', message: 'It is no exposure.' }] }),
  ];
  const exported = async (members: object[], ...args: string[]) => {
    const { root } = await scriptedDaemon({ 'GET /team': { members, count: members.length } });
    const folder = temporaryFolder();
    const done = await meshd(root, 'team', 'export', '--as', 'codex', '--into', folder, ...args);
    return { ...done, files: readdirSync(folder) };
  };

  it.each(closed.map((one) => [one.id, one]))('refuses %s by name, and leaves it out of all', async (id, one) => {
    expect(await exported([open, one], id)).toMatchObject({
      ...{ exit: 5, files: [] },
      err: expect.stringContaining(`meshd team expose ${id}`),
    });
    const all = await exported([open, one], '--all');
    expect(all).toMatchObject({ exit: 0, files: [expect.any(String)] });
    expect(all.err).toContain('MESHD_TOKEN_OPEN');
    expect(all.err).not.toContain(`MESHD_TOKEN_${id.toUpperCase()}`);
  });

  it('writes nothing when there is none, and takes names and --all only apart', async () => {
    expect(await exported(closed, '--all')).toMatchObject({
      ...{ exit: 4, files: [] },
      err: expect.stringContaining('No member is exposed'),
    });
    expect(await exported([open], 'open', '--all')).toMatchObject({
      ...{ exit: 2, files: [] },
      err: expect.stringContaining('Name members or give --all, not both.'),
    });
  });
});
