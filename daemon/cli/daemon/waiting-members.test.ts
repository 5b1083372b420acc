import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { MemberList } from '../../contract/team.js';
import type { TestApp } from '../../testing/apps/test-app.js';
import { atTerminal, daemon, meshd, onScreen } from '../../testing/processes/command-line.js';
import { putFiles } from '../../testing/temporary-folder.js';

const OPEN = '---\nexposure: external\n---\nYou open doors.\n';

/** Starts a daemon whose repository contains members that are exposed in their files. */
async function pulled(...ids: string[]): Promise<TestApp> {
  const app = await daemon();
  putFiles(app.root, Object.fromEntries(ids.map((id) => [`.mesh/team/${id}.md`, OPEN])));
  return app;
}

const holds = async (app: TestApp) =>
  Object.fromEntries(
    ((await app.call('GET', '/team')).body as MemberList).members
      .filter(({ exposure }) => exposure === 'external')
      .map(({ id, exposure_hold }) => [id, exposure_hold]),
  );

describe('meshd up with members that wait for agreement', () => {
  it('prompts once for all of them, and exposes them on a yes', async () => {
    const app = await pulled('porter', 'usher');
    const session = onScreen(app.root, 'up');
    await session.until('err', /This repository exposes 2 members to other programs: porter, usher\./);
    await session.until('err', /Expose them to programs that hold their tokens\? \[y\/N\]/);
    session.type('y\n');
    expect(await session.exit).toBe(0);
    expect(session.err).toContain('Exposed: porter, usher');
    expect(await holds(app)).toEqual({ consultant: undefined, porter: undefined, usher: undefined });
    expect((await meshd(app.root, 'up')).err).not.toContain('Waiting');
  });

  it('ends when the daemon has gone meanwhile, and takes none of them for settled', async () => {
    const app = await pulled('porter', 'usher');
    const session = onScreen(app.root, 'up');
    await session.until('err', /\[y\/N\]/);
    await app.stop();
    session.type('y\n');
    expect(await session.exit).toBe(3);
    expect(session.err.match(/is not listening/g)).toHaveLength(1);
  });

  it('stores a no, does not prompt again and leaves the files unchanged', async () => {
    const app = await pulled('porter');
    const session = onScreen(app.root, 'up');
    await session.until('err', /This repository exposes member porter to other programs\./);
    session.type('\n');
    expect(await session.exit).toBe(0);
    expect(session.err).toContain('Kept internal. To expose it later: meshd team expose porter');
    expect(await holds(app)).toEqual({ consultant: undefined, porter: 'kept_internal' });
    expect(readFileSync(join(app.root, '.mesh/team/porter.md'), 'utf8')).toBe(OPEN);
    const again = onScreen(app.root, 'up');
    expect(await again.exit).toBe(0);
    expect(again.err).not.toContain('[y/N]');
    expect((await meshd(app.root, 'team', 'ls')).out).toContain('external in its file, kept internal by you');
  });

  it('treats the end of input as no decision', async () => {
    const app = await pulled('porter');
    const session = onScreen(app.root, 'up');
    await session.until('err', /\[y\/N\]/);
    session.stdin.end();
    expect(await session.exit).toBe(0);
    expect(session.err).toContain('It stays internal until you approve: meshd team expose porter');
    expect(await holds(app)).toEqual({ consultant: undefined, porter: 'agreement' });
  });

  it.each(['elsewhere', 'redirected'])(
    'prints a sentence instead of a prompt without an interactive terminal: %s',
    async (where) => {
      const app = await pulled('porter', 'usher');
      const session = where === 'elsewhere' ? await meshd(app.root, 'up') : atTerminal(app.root, 'up');
      expect(await session.exit).toBe(0);
      expect(session.err).toContain('They stay internal until you approve: meshd team expose <member>');
      expect(session.err).not.toContain('[y/N]');
      expect(await holds(app)).toMatchObject({ porter: 'agreement', usher: 'agreement' });
    },
  );

  it('lists them in JSON, in status and in show', async () => {
    const app = await pulled('porter');
    const { out } = await meshd(app.root, 'up', '--json');
    expect(JSON.parse(out)).toMatchObject({ awaiting_agreement: ['porter'] });
    expect((await meshd(app.root, 'status')).out).toContain('1 exposed, 1 internal until you approve');
    expect(JSON.parse((await meshd(app.root, 'status', '--json')).out)).toMatchObject({ awaiting_agreement: 1 });
    const shown = (await meshd(app.root, 'team', 'show', 'porter')).out;
    expect(shown).toMatch(/^Exposure +external in its file, internal until you approve$/m);
    expect(shown).toContain('This repository exposes `porter` to other programs.');
  });

  it('exposes the others when one is also held back by its tests', async () => {
    const app = await pulled('porter', 'usher');
    putFiles(app.root, { '.mesh/asks/porter.md': '---\nblocks_exposure: true\n---\n## A?\n- says: x\n' });
    const session = onScreen(app.root, 'up');
    await session.until('err', /\[y\/N\]/);
    session.type('yes\n');
    expect(await session.exit).toBe(0);
    expect(session.err).toContain('`meshd team test porter`');
    expect(session.err).toContain('Exposed: usher');
    expect(await holds(app)).toEqual({ consultant: undefined, porter: 'tests', usher: undefined });
  });
});

it('meshd team expose records the agreement for one member', async () => {
  const app = await pulled('porter');
  expect(JSON.parse((await meshd(app.root, 'team', 'expose', 'porter', '--json')).out)).toMatchObject({ id: 'porter' });
  expect(await holds(app)).toEqual({ consultant: undefined, porter: undefined });
});
