import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { aDoor, OPEN, SHUT } from '../../testing/a-door.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';

const TOKEN = /^mk_[A-Za-z0-9_-]{43}$/;

describe('at start', () => {
  it('external members that are agreed to and have no token get one, internal ones none', async () => {
    const first = await aDoor();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const { exposure, tokens } = await aDoor({ root: first.root, agrees: false });
    expect(tokens()).toEqual({ guide: expect.stringMatching(TOKEN) });
    expect(exposure.tokenOf('guide')).not.toBe(first.exposure.tokenOf('guide'));
  });

  it('external members get a token when the operator agrees', async () => {
    const { exposure, tokens } = await aDoor();
    expect(tokens()).toEqual({ guide: expect.stringMatching(TOKEN) });
    expect(exposure.tokenOf('guide')).toBe(tokens()['guide']);
    expect(exposure.last4('guide')).toBe(tokens()['guide']?.slice(-4));
    expect(exposure.tokenOf('clerk')).toBeUndefined();
  });

  it('the tokens of the last run stay, those of members that are gone or internal now die', async () => {
    const first = await aDoor({ files: { guide: OPEN, second: OPEN, third: OPEN } });
    const before = first.tokens();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/team/second.md'));
    const { tokens } = await aDoor({ root: first.root, files: { third: SHUT } });
    expect(tokens()).toEqual({ guide: before['guide'] });
  });

  it('the token of a member whose file is broken waits for it', async () => {
    const first = await aDoor();
    const token = first.tokens()['guide'] ?? '';
    await first.team.close();
    const { exposure, tokens, team, event, root } = await aDoor({
      root: first.root,
      files: { guide: '---\nname: [\n---\n' },
    });
    expect(tokens()).toEqual({ guide: token });
    expect(exposure.verify('guide', token)).toBe(false);
    const exposed = event('team.exposed');
    putFiles(root, { '.mesh/team/guide.md': OPEN });
    await exposed;
    expect(exposure.verify('guide', token)).toBe(true);
    expect((await team.get('guide')).token).toBe(token);
  });

  it('the seeded consultant ships exposed with a token', async () => {
    const { exposure, team } = await aDoor({ files: {} });
    expect(exposure.externalMembers().map(({ id }) => id)).toEqual(['consultant']);
    expect(await team.get('consultant')).toMatchObject({
      token: expect.stringMatching(TOKEN),
      token_last4: expect.stringMatching(/^.{4}$/),
    });
    const row = (await team.list()).members.find(({ id }) => id === 'consultant');
    expect(row).not.toHaveProperty('token');
    expect(row?.token_last4).toBe(exposure.last4('consultant'));
  });
});

describe('the token file', () => {
  it('is 0600 in a directory of 0700, and is tightened when it is wider', async () => {
    const first = await aDoor();
    const folder = join(first.root, '.mesh/credentials');
    const modes = () => [statSync(folder).mode & 0o777, statSync(join(folder, 'team-tokens.json')).mode & 0o777];
    expect(modes()).toEqual([0o700, 0o600]);
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'team-tokens.json'), 0o644);
    await first.team.close();
    await aDoor({ root: first.root });
    expect(modes()).toEqual([0o700, 0o600]);
  });

  it.each([
    'not json',
    '[]',
    '{"guide": 7}',
    '{"guide": "short"}',
    '{"../x": "mk_0123456789012345678901234567890123456789012"}',
  ])('that holds %s is neither used nor overwritten, nor quoted', async (text) => {
    const root = temporaryFolder({ '.mesh/credentials/team-tokens.json': text });
    await expect(aDoor({ root })).rejects.toMatchObject({
      code: 'store_readonly',
      message: expect.not.stringContaining('mk_'),
    });
    expect(readFileSync(join(root, '.mesh/credentials/team-tokens.json'), 'utf8')).toBe(text);
  });

  it('behind a symbolic link is refused', async () => {
    const root = temporaryFolder({ 'elsewhere/team-tokens.json': '{}' });
    mkdirSync(join(root, '.mesh'));
    symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/credentials'));
    await expect(aDoor({ root })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('that cannot be written leaves the old token working', async () => {
    const { exposure, root, tokens } = await aDoor();
    const token = tokens()['guide'] ?? '';
    rmSync(join(root, '.mesh/credentials'), { recursive: true });
    writeFileSync(join(root, '.mesh/credentials'), 'in the way');
    await expect(exposure.rotate('guide')).rejects.toMatchObject({ code: 'forbidden' });
    expect(exposure.verify('guide', token)).toBe(true);
  });
});

describe('exposing and hiding', () => {
  it('internal to external mints a token before the answer', async () => {
    const { team, exposure, tokens } = await aDoor();
    const { token } = await team.patch('clerk', { exposure: 'external' });
    expect(token).toMatch(TOKEN);
    expect(tokens()['clerk']).toBe(token);
    expect(exposure.verify('clerk', token ?? '')).toBe(true);
    const created = await team.create({ id: 'porter', exposure: 'external' });
    expect(created.token).toBe(tokens()['porter']);
  });

  it('to internal revokes before the answer and closes what is open on it', async () => {
    const { team, exposure, tokens } = await aDoor();
    const token = tokens()['guide'] ?? '';
    const revoked: string[] = [];
    exposure.onRevoked((id) => revoked.push(id));
    expect(await team.patch('guide', { exposure: 'internal' })).not.toHaveProperty('token');
    expect(tokens()).toEqual({});
    expect(revoked).toEqual(['guide']);
    expect(exposure.verify('guide', token)).toBe(false);
    expect((await team.patch('guide', { exposure: 'external' })).token).not.toBe(token);
    expect(exposure.verify('guide', token)).toBe(false);
  });

  it('removal takes the token along', async () => {
    const { team, exposure, tokens } = await aDoor();
    const token = tokens()['guide'] ?? '';
    await team.remove('guide');
    expect(tokens()).toEqual({});
    await team.create({ id: 'guide', exposure: 'external' });
    expect(exposure.verify('guide', token)).toBe(false);
  });

  it('an edit of the file by hand hides as well', async () => {
    const { exposure, tokens, event, root } = await aDoor();
    const token = tokens()['guide'] ?? '';
    const hidden = event('team.hidden');
    putFiles(root, { '.mesh/team/guide.md': SHUT });
    await hidden;
    expect(tokens()).toEqual({});
    expect(exposure.verify('guide', token)).toBe(false);
  });

  it('a member that breaks stays open with its token', async () => {
    const { exposure, tokens, event, root } = await aDoor();
    const broken = event('team.broken');
    putFiles(root, { '.mesh/team/guide.md': '---\nexposure: [\n---\n' });
    await broken;
    expect(exposure.verify('guide', tokens()['guide'] ?? '')).toBe(true);
  });

  it('many at once leave one token each', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `member-${i}`);
    const { team, tokens } = await aDoor({ files: Object.fromEntries(ids.map((id) => [id, SHUT])) });
    await Promise.all(ids.map((id) => team.patch(id, { exposure: 'external' })));
    expect(Object.keys(tokens()).sort()).toEqual([...ids].sort());
    expect(new Set(Object.values(tokens())).size).toBe(12);
  });
});

describe('verifying', () => {
  it('opens a member only to its own token', async () => {
    const { exposure, tokens } = await aDoor({ files: { guide: OPEN, porter: OPEN, clerk: SHUT } });
    const { guide = '', porter = '' } = tokens();
    expect(exposure.verify('guide', guide)).toBe(true);
    for (const wrong of [porter, '', guide.slice(0, -1), `${guide}x`, guide.toUpperCase(), 'mk_']) {
      expect(exposure.verify('guide', wrong)).toBe(false);
    }
    for (const id of ['clerk', 'nobody', '__proto__', 'constructor', '..'])
      expect(exposure.verify(id, guide)).toBe(false);
    expect(exposure.memberOf(guide)).toBe('guide');
    expect(exposure.memberOf(porter)).toBe('porter');
    expect(exposure.memberOf('mk_nothing')).toBeUndefined();
  });
});

describe('rotating', () => {
  it('gives a new token; the old one is dead at once, and the sockets on it are told', async () => {
    const { exposure, tokens, events } = await aDoor();
    const old = tokens()['guide'] ?? '';
    const revoked: string[] = [];
    const stop = exposure.onRevoked((id) => revoked.push(id));
    const rotated = await exposure.rotate('guide');
    expect(rotated).toEqual({
      id: 'guide',
      token: expect.stringMatching(TOKEN),
      rotated_at: '2026-11-21T12:00:00.000Z',
    });
    expect(rotated.token).not.toBe(old);
    expect(tokens()).toEqual({ guide: rotated.token });
    expect([exposure.verify('guide', old), exposure.verify('guide', rotated.token)]).toEqual([false, true]);
    expect(revoked).toEqual(['guide']);
    stop();
    await exposure.rotate('guide');
    expect(revoked).toEqual(['guide']);
    const told = events.filter(({ type }) => type === 'team.token_rotated');
    expect(told).toHaveLength(2);
    expect(JSON.stringify(events)).not.toContain('mk_');
  });

  it('throws not_exposed for an internal member, not_found for none, bad_request for no id', async () => {
    const { exposure } = await aDoor();
    await expect(exposure.rotate('clerk')).rejects.toMatchObject({ code: 'not_exposed' });
    await expect(exposure.rotate('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(exposure.rotate('..')).rejects.toMatchObject({ code: 'bad_request', details: { path: 'id' } });
  });

  it('of a member that is hidden meanwhile leaves no token', async () => {
    const { exposure, team, tokens } = await aDoor();
    await Promise.allSettled([
      exposure.rotate('guide'),
      team.patch('guide', { exposure: 'internal' }),
      exposure.rotate('guide'),
    ]);
    expect(tokens()).toEqual({});
  });
});

describe('when git tracks secrets', () => {
  it('no new one is written and the command that mends it is named; hiding still works', async () => {
    const { team, exposure, world, root } = await aDoor();
    world.tracked = ['.mesh/credentials/team-tokens.json'];
    const refusal = { code: 'forbidden', message: expect.stringContaining('git rm -r --cached') };
    await expect(team.patch('clerk', { exposure: 'external' })).rejects.toMatchObject(refusal);
    await expect(team.create({ id: 'porter', exposure: 'external' })).rejects.toMatchObject(refusal);
    await expect(exposure.rotate('guide')).rejects.toMatchObject(refusal);
    expect(readFileSync(join(root, '.mesh/team/clerk.md'), 'utf8')).toBe(SHUT);
    expect(exposure.externalMembers().map(({ id }) => id)).toEqual(['guide']);
    await team.patch('guide', { exposure: 'internal' });
    expect(exposure.externalMembers()).toEqual([]);
  });

  it('the daemon starts all the same and says so', async () => {
    const first = await aDoor();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const { exposure, warnings } = await aDoor({ root: first.root, tracked: ['.mesh/state/mesh.db'] });
    expect(exposure.tokenOf('guide')).toBeUndefined();
    expect(exposure.verify('guide', '')).toBe(false);
    expect(warnings.join()).toContain('git rm -r --cached');
  });
});

describe('below standard revision 30', () => {
  it('nothing is minted, served or rotated until it is raised', async () => {
    const { team, exposure, world, root } = await aDoor({ version: 29 });
    const refusal = { code: 'forbidden', message: expect.stringContaining('meshd upgrade') };
    await expect(team.patch('clerk', { exposure: 'external' })).rejects.toMatchObject(refusal);
    await expect(exposure.rotate('guide')).rejects.toMatchObject(refusal);
    expect(exposure.externalMembers()).toEqual([]);
    expect(exposure.external('guide')).toBeUndefined();
    expect((await team.list()).count).toBe(2);
    world.version = 30;
    await exposure.start();
    expect(exposure.external('guide')).toBeUndefined();
    await exposure.expose('guide');
    expect(exposure.verify('guide', exposure.tokenOf('guide') ?? '')).toBe(true);
    expect(readFileSync(join(root, '.mesh/team/clerk.md'), 'utf8')).toBe(SHUT);
  });

  it('tokens of a higher revision do not open anything', async () => {
    const { exposure, world, tokens } = await aDoor();
    world.version = 29;
    expect(exposure.verify('guide', tokens()['guide'] ?? '')).toBe(false);
    expect(exposure.memberOf(tokens()['guide'] ?? '')).toBeUndefined();
  });
});
