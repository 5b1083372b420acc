import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { daemon, meshd, onScreen } from '../../testing/processes/command-line.js';

it('team rm asks like the other removals, and keeps a copy', async () => {
  const app = await daemon();
  const file = join(app.root, '.mesh/team/deployer.md');
  const text = readFileSync(file, 'utf8');
  const question = /Remove \S+ \(deployer\) with its file and its token\?/;
  for (const answer of ['n\n', '\n']) {
    const session = onScreen(app.root, 'team', 'rm', 'deployer');
    await session.until('err', question);
    session.type(answer);
    expect(await session.exit).toBe(1);
    expect(session.err).toContain('Nothing was removed.');
    expect(readFileSync(file, 'utf8')).toBe(text);
  }
  const refused = onScreen(app.root, 'team', 'rm', 'deployer', '--json');
  await refused.until('err', question);
  refused.type('n\n');
  expect([await refused.exit, JSON.parse(refused.out)]).toEqual([
    1,
    { error: 'cancelled', message: 'Nothing was removed.' },
  ]);
  const left = onScreen(app.root, 'team', 'rm', 'deployer');
  await left.until('err', question);
  left.type('\u0003');
  expect(await left.exit).toBe(130);
  expect(existsSync(file)).toBe(true);
  const unasked = await meshd(app.root, 'team', 'rm', 'deployer');
  expect(unasked.exit).toBe(2);
  expect(unasked.err).toMatch(
    /`meshd team restore deployer` writes it back, with another token\. Without a terminal, add --yes/,
  );
  expect(existsSync(file)).toBe(true);

  const session = onScreen(app.root, 'team', 'rm', 'deployer');
  await session.until('err', /\[y\/N\]/);
  session.type('y\n');
  expect(await session.exit).toBe(0);
  expect(session.out).toContain('Removed deployer.');
  const copy = /A copy is in (\S+)\./.exec(session.err)?.[1] ?? '';
  expect(readFileSync(join(app.root, copy), 'utf8')).toBe(text);
  expect(existsSync(file)).toBe(false);
});
