import { chmodSync, mkdirSync, readFileSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as waitForTick } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { SecretFile } from '../../storage/files/secret-file.js';
import { MarkdownFolder } from '../../storage/members/markdown-folder.js';
import { createExposure, OPEN, SHUT } from '../../testing/apps/test-exposure.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { TokenStore } from './token-store.js';

const TOKEN = /^mk_[A-Za-z0-9_-]{43}$/;

describe('at startup', () => {
  it('approved external members without a token get one, internal members do not', async () => {
    const first = await createExposure();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const { exposure, tokens } = await createExposure({ root: first.root, agrees: false });
    expect(tokens()).toEqual({ guide: expect.stringMatching(TOKEN) });
    expect(exposure.findToken('guide')).not.toBe(first.exposure.findToken('guide'));
  });

  it('a member that has lost its token gets another, and those of the others remain', async () => {
    const first = await createExposure({ files: { guide: OPEN, porter: OPEN } });
    const { guide = '' } = first.tokens();
    await first.team.close();
    putFiles(first.root, { '.mesh/credentials/team-tokens.json': JSON.stringify({ guide }) });
    const { tokens } = await createExposure({ root: first.root, files: {}, agrees: false });
    expect(tokens()).toEqual({ guide, porter: expect.stringMatching(TOKEN) });
  });

  it('external members get a token when the operator approves', async () => {
    const { exposure, tokens } = await createExposure();
    expect(tokens()).toEqual({ guide: expect.stringMatching(TOKEN) });
    expect(exposure.findToken('guide')).toBe(tokens()['guide']);
    expect(exposure.last4('guide')).toBe(tokens()['guide']?.slice(-4));
    expect([exposure.findToken('clerk'), exposure.last4('clerk')]).toEqual([undefined, undefined]);
  });

  it('tokens of the previous run are kept, except those of removed or internal members', async () => {
    const first = await createExposure({ files: { guide: OPEN, second: OPEN, third: OPEN } });
    const before = first.tokens();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/team/second.md'));
    const { tokens } = await createExposure({ root: first.root, files: { third: SHUT } });
    expect(tokens()).toEqual({ guide: before['guide'] });
  });

  it('the token of a member with a broken file is kept until the file is valid', async () => {
    const first = await createExposure();
    const token = first.tokens()['guide'] ?? '';
    await first.team.close();
    const { exposure, tokens, team, event, root } = await createExposure({
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

  it('the seeded consultant is exposed with a token', async () => {
    const { exposure, team } = await createExposure({ files: {} });
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
  it('has mode 0600 in a directory with mode 0700, and wider modes are corrected', async () => {
    const first = await createExposure();
    const folder = join(first.root, '.mesh/credentials');
    const modes = () => [statSync(folder).mode & 0o777, statSync(join(folder, 'team-tokens.json')).mode & 0o777];
    expect(modes()).toEqual([0o700, 0o600]);
    chmodSync(folder, 0o755);
    chmodSync(join(folder, 'team-tokens.json'), 0o644);
    await first.team.close();
    await createExposure({ root: first.root });
    expect(modes()).toEqual([0o700, 0o600]);
  });

  it.each([
    'not json',
    '[]',
    '{"guide": 7}',
    '{"guide": "short"}',
    JSON.stringify({ guide: Array.from({ length: 40 }, () => 'x') }),
    '{"../x": "mk_0123456789012345678901234567890123456789012"}',
  ])('with the content %s is neither used, overwritten nor quoted', async (text) => {
    const root = temporaryFolder({ '.mesh/credentials/team-tokens.json': text });
    await expect(createExposure({ root })).rejects.toMatchObject({
      code: 'store_readonly',
      message: expect.not.stringContaining('mk_'),
    });
    expect(readFileSync(join(root, '.mesh/credentials/team-tokens.json'), 'utf8')).toBe(text);
  });

  it('behind a symbolic link is rejected', async () => {
    const root = temporaryFolder({ 'elsewhere/team-tokens.json': '{}' });
    mkdirSync(join(root, '.mesh'));
    symlinkSync(join(root, 'elsewhere'), join(root, '.mesh/credentials'));
    await expect(createExposure({ root })).rejects.toMatchObject({ code: 'forbidden' });
  });

  it('that cannot be written leaves the old token valid', async () => {
    const { exposure, root, tokens } = await createExposure();
    const token = tokens()['guide'] ?? '';
    rmSync(join(root, '.mesh/credentials'), { recursive: true });
    writeFileSync(join(root, '.mesh/credentials'), 'in the way');
    await expect(exposure.rotate('guide')).rejects.toMatchObject({ code: 'forbidden' });
    expect(exposure.verify('guide', token)).toBe(true);
  });
});

describe('a change of exposure', () => {
  it('to external creates a token before the response', async () => {
    const { team, exposure, tokens } = await createExposure();
    const { token } = await team.patch('clerk', { exposure: 'external' });
    expect(token).toMatch(TOKEN);
    expect(tokens()['clerk']).toBe(token);
    expect(exposure.verify('clerk', token ?? '')).toBe(true);
    const created = await team.create({ id: 'porter', exposure: 'external' });
    expect(created.token).toBe(tokens()['porter']);
  });

  it('whose file cannot be written leaves no token, with which a pulled file would open the member', async () => {
    const { team, root, exposure, tokens } = await createExposure();
    const folder = join(root, '.mesh/team');
    const text = readFileSync(join(folder, 'clerk.md'), 'utf8');
    vi.spyOn(MarkdownFolder.prototype, 'write').mockRejectedValueOnce(new Error('no space left'));
    await expect(team.patch('clerk', { exposure: 'external' })).rejects.toThrow('no space left');
    vi.spyOn(MarkdownFolder.prototype, 'write').mockRejectedValueOnce(new Error('no space left'));
    await expect(team.create({ id: 'porter', exposure: 'external' })).rejects.toThrow('no space left');
    expect(Object.keys(tokens())).toEqual(['guide']);
    expect(readFileSync(join(folder, 'clerk.md'), 'utf8')).toBe(text);

    writeFileSync(join(folder, 'clerk.md'), OPEN);
    expect(await team.get('clerk')).not.toHaveProperty('token');
    expect(exposure.external('clerk')).toBeUndefined();
    expect(exposure.waitingMembers()).toEqual(['clerk']);
  });

  it('to internal revokes the token before the response and notifies the listeners', async () => {
    const { team, exposure, tokens } = await createExposure();
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

  it('by removal of the member deletes its token', async () => {
    const { team, exposure, tokens } = await createExposure();
    const token = tokens()['guide'] ?? '';
    await team.remove('guide');
    expect(tokens()).toEqual({});
    await team.create({ id: 'guide', exposure: 'external' });
    expect(exposure.verify('guide', token)).toBe(false);
  });

  describe('by a file that is gone from the disk', () => {
    /** An exposed member whose file was just taken from the disk, as by `git stash`. */
    async function away() {
      const fixture = await createExposure();
      const { team, root, tokens, exposure } = fixture;
      const token = tokens()['guide'] ?? '';
      const revoked: string[] = [];
      exposure.onRevoked((id) => revoked.push(id));
      unlinkSync(join(root, '.mesh/team/guide.md'));
      await team.list();
      expect([exposure.verify('guide', token), exposure.memberOf(token), revoked]).toEqual([
        false,
        undefined,
        ['guide'],
      ]);
      const back = async (text: string) => {
        putFiles(root, { '.mesh/team/guide.md': text });
        await team.list();
        return [exposure.verify('guide', token), exposure.waitingMembers()];
      };
      return { ...fixture, token, back };
    }

    it('closes the member until the same file is back', async () => {
      const { clock, tokens, token, back, exposure, events } = await away();
      clock.advance(15 * 60_000 - 1);
      expect(await back(OPEN)).toEqual([true, []]);
      expect(events.at(-1)).toMatchObject({ type: 'team.exposed', id: 'guide' });
      clock.advance(60_000);
      expect([tokens()['guide'], exposure.verify('guide', token)]).toEqual([token, true]);
    });

    it('ends the token with another file of its name', async () => {
      const { tokens, back, exposure, token } = await away();
      expect(await back(`${OPEN}\n`)).toEqual([false, ['guide']]);
      expect(tokens()).toEqual({});
      expect(exposure.explainFormer(token)).toMatchObject({ details: { token_ended: 'removed' } });
    });

    it('ends the token after a quarter of an hour', async () => {
      const { clock, back, exposure, token } = await away();
      clock.advance(15 * 60_000);
      expect(await back(OPEN)).toEqual([false, ['guide']]);
      expect(exposure.explainFormer(token)).toMatchObject({ details: { token_ended: 'removed' } });
    });

    it('gives a member that the operator makes under its name a token of its own', async () => {
      const { team, tokens, exposure, token } = await away();
      await team.create({ id: 'guide', exposure: 'external' });
      expect([exposure.verify('guide', token), exposure.external('guide')?.id]).toEqual([false, 'guide']);
      expect(tokens()['guide']).not.toBe(token);
    });

    it('ends the token at the next start, while it is still gone', async () => {
      const { team, clock, root, tokens } = await away();
      await team.close();
      expect([clock.pending, Object.keys(tokens())]).toEqual([0, ['guide']]);
      expect((await createExposure({ root, files: {} })).tokens()).toEqual({});
    });
  });

  it('by removal of a member without a token ends none', async () => {
    const { team, exposure, tokens, warnings } = await createExposure();
    const revoked: string[] = [];
    exposure.onRevoked((id) => revoked.push(id));
    await team.remove('clerk');
    expect([revoked, warnings.filter((text) => text.includes('token'))]).toEqual([[], []]);
    expect(Object.keys(tokens())).toEqual(['guide']);
  });

  it('by an edit on disk revokes the token as well', async () => {
    const { exposure, tokens, event, root } = await createExposure();
    const token = tokens()['guide'] ?? '';
    const hidden = event('team.hidden');
    putFiles(root, { '.mesh/team/guide.md': SHUT });
    await hidden;
    expect(tokens()).toEqual({});
    expect(exposure.verify('guide', token)).toBe(false);
  });

  it.each([
    ['becomes broken', '---\nexposure: [\n---\n'],
    ['is empty while an editor writes it', ''],
  ])('does not occur when the file %s: the token remains valid', async (_what, text) => {
    const { exposure, tokens, event, root } = await createExposure();
    const broken = event('team.broken');
    putFiles(root, { '.mesh/team/guide.md': text });
    await broken;
    expect(exposure.verify('guide', tokens()['guide'] ?? '')).toBe(true);
  });

  it('of many members at once creates one token for each', async () => {
    const ids = Array.from({ length: 12 }, (_, i) => `member-${i}`);
    const { team, tokens } = await createExposure({ files: Object.fromEntries(ids.map((id) => [id, SHUT])) });
    await Promise.all(ids.map((id) => team.patch(id, { exposure: 'external' })));
    expect(Object.keys(tokens()).sort()).toEqual([...ids].sort());
    expect(new Set(Object.values(tokens())).size).toBe(12);
  });
});

describe('verify', () => {
  it('accepts only the own token of an external member', async () => {
    const { exposure, tokens } = await createExposure({ files: { guide: OPEN, porter: OPEN, clerk: SHUT } });
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

describe('rotate', () => {
  it('returns a new token, invalidates the old one at once, and notifies the listeners', async () => {
    const { exposure, tokens, events } = await createExposure();
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
    expect(told).toMatchObject([{ id: 'guide' }, { id: 'guide' }]);
    expect(JSON.stringify(events)).not.toContain('mk_');
  });

  it('throws not_exposed for an internal member, not_found for an unknown one, bad_request for an invalid id', async () => {
    const { exposure } = await createExposure();
    await expect(exposure.rotate('clerk')).rejects.toMatchObject({ code: 'not_exposed' });
    await expect(exposure.rotate('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(exposure.rotate('..')).rejects.toMatchObject({ code: 'bad_request', details: { path: 'id' } });
  });

  it('creates no token for a member that is hidden concurrently', async () => {
    const { exposure, team, tokens } = await createExposure();
    await Promise.allSettled([
      exposure.rotate('guide'),
      team.patch('guide', { exposure: 'internal' }),
      exposure.rotate('guide'),
    ]);
    expect(tokens()).toEqual({});
  });

  it('is refused for a member that is hidden while it waits for the token file', async () => {
    const { exposure, team, tokens } = await createExposure({ files: { guide: OPEN, other: OPEN } });
    let release: () => void = () => undefined;
    const isFree = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { write } = SecretFile.prototype;
    const slow = vi.spyOn(SecretFile.prototype, 'write').mockImplementationOnce(async function (
      this: SecretFile,
      value,
    ) {
      await isFree;
      await write.call(this, value);
    });
    onTestFinished(() => slow.mockRestore());
    const other = exposure.rotate('other');
    await expect.poll(() => slow.mock.calls.length).toBe(1);
    const waiting = expect(exposure.rotate('guide')).rejects.toMatchObject({ code: 'not_exposed' });
    for (let tick = 0; tick < 10; tick += 1) await waitForTick();
    const hidden = team.patch('guide', { exposure: 'internal' });
    await expect.poll(() => exposure.external('guide')).toBeUndefined();
    release();
    await Promise.all([waiting, hidden]);
    expect(tokens()).toEqual({ other: (await other).token });
  });

  it.each(['internal', 'removed'] as const)(
    'leaves no token of a member that is %s sooner or later during the rotation',
    async (how) => {
      for (const ticks of [0, 1, 3, 6]) {
        const { exposure, team, tokens } = await createExposure();
        const rotated = Promise.allSettled([exposure.rotate('guide')]);
        for (let tick = 0; tick < ticks; tick += 1) await waitForTick();
        await (how === 'internal' ? team.patch('guide', { exposure: 'internal' }) : team.remove('guide'));
        const [result] = await rotated;
        expect(tokens()).toEqual({});
        if (result?.status === 'fulfilled') expect(exposure.verify('guide', result.value.token)).toBe(false);
      }
    },
  );
});

describe('when Git tracks secrets', () => {
  it('no new secret is written, with the remedy in the error, while hiding still works', async () => {
    const { team, exposure, world, root } = await createExposure();
    world.tracked = ['.mesh/credentials/team-tokens.json'];
    const refusal = { code: 'forbidden', message: expect.stringContaining('git rm -r --cached') };
    await expect(team.patch('clerk', { exposure: 'external' })).rejects.toMatchObject(refusal);
    await expect(team.create({ id: 'porter', exposure: 'external' })).rejects.toMatchObject(refusal);
    await expect(exposure.rotate('guide')).rejects.toMatchObject(refusal);
    await expect(exposure.rotate('clerk')).rejects.toMatchObject({ code: 'not_exposed' });
    expect(readFileSync(join(root, '.mesh/team/clerk.md'), 'utf8')).toBe(SHUT);
    expect(exposure.externalMembers().map(({ id }) => id)).toEqual(['guide']);
    await team.patch('guide', { exposure: 'internal' });
    expect(exposure.externalMembers()).toEqual([]);
  });

  it('the daemon still starts, with a warning', async () => {
    const first = await createExposure();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const { exposure, warnings, tokens, world } = await createExposure({
      root: first.root,
      tracked: ['.mesh/state/mesh.db'],
    });
    expect(exposure.findToken('guide')).toBeUndefined();
    expect(exposure.verify('guide', '')).toBe(false);
    expect(exposure.memberOf('')).toBeUndefined();
    expect(warnings).toEqual([expect.stringContaining('git rm -r --cached')]);
    world.tracked = [];
    const { token } = await exposure.rotate('guide');
    expect(tokens()).toEqual({ guide: token });
    expect(warnings).toHaveLength(1);
  });

  it('the daemon does not start when tokens cannot be made for another reason', async () => {
    const failing = vi.spyOn(TokenStore.prototype, 'add').mockRejectedValue(new Error('no random numbers'));
    onTestFinished(() => failing.mockRestore());
    await expect(createExposure({ files: {} })).rejects.toThrow('no random numbers');
  });

  it('a daemon that needs no new secret starts without a warning', async () => {
    const first = await createExposure();
    await first.team.close();
    const { tokens, warnings } = await createExposure({ root: first.root, tracked: ['.mesh/state/mesh.db'] });
    expect(tokens()).toEqual(first.tokens());
    expect(warnings).toEqual([]);
  });
});

describe('below standard revision 30', () => {
  it('no token is created, accepted or rotated until the revision is raised', async () => {
    const { team, exposure, world, root } = await createExposure({ version: 29 });
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
    expect(exposure.verify('guide', exposure.findToken('guide') ?? '')).toBe(true);
    expect(readFileSync(join(root, '.mesh/team/clerk.md'), 'utf8')).toBe(SHUT);
  });

  it('existing tokens are not accepted', async () => {
    const { exposure, world, tokens } = await createExposure();
    world.version = 29;
    expect(exposure.verify('guide', tokens()['guide'] ?? '')).toBe(false);
    expect(exposure.memberOf(tokens()['guide'] ?? '')).toBeUndefined();
    expect([exposure.findToken('guide'), exposure.last4('guide')]).toEqual([undefined, undefined]);
  });

  it('a token stays stored when its member is removed meanwhile, and ends when the revision is raised', async () => {
    const first = await createExposure();
    await first.team.close();
    unlinkSync(join(first.root, '.mesh/team/guide.md'));
    const { exposure, tokens, world } = await createExposure({ root: first.root, files: {}, version: 29 });
    expect(tokens()).toEqual(first.tokens());
    world.version = 30;
    await exposure.start();
    expect(tokens()).toEqual({});
  });

  it('a request to expose a member is no approval', async () => {
    const { exposure, team, world } = await createExposure({ version: 29 });
    await team.patch('guide', { exposure: 'external' });
    world.version = 30;
    await exposure.start();
    expect(exposure.waitingMembers()).toEqual(['guide']);
  });
});
