import { existsSync, readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createExposure, OPEN, SHUT, type TestExposure } from '../../testing/apps/test-exposure.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { DEFAULT_ROSTER } from '../team/default-roster.js';

const CONSULTANT = DEFAULT_ROSTER.get('consultant') ?? '';
const member = (id: string) => `.mesh/team/${id}.md`;
const exposed = ({ exposure }: TestExposure) => exposure.externalMembers().map(({ id }) => id);
const hold = async ({ team }: TestExposure, id: string) => (await team.get(id)).exposure_hold;

/** Changes files as `git pull` does, and resolves when the daemon has read them. */
async function pull(fixture: TestExposure, files: Record<string, string>): Promise<void> {
  putFiles(fixture.root, Object.fromEntries(Object.entries(files).map(([id, text]) => [member(id), text])));
  await fixture.team.list();
}

describe('a member that the repository exposes', () => {
  it('stays internal until the operator approves, with a warning', async () => {
    const fixture = await createExposure({ files: { guide: OPEN, porter: OPEN, clerk: SHUT }, agrees: false });
    const { exposure, team, tokens, warnings, events } = fixture;
    expect(exposed(fixture)).toEqual([]);
    expect(tokens()).toEqual({});
    expect(exposure.waitingMembers()).toEqual(['guide', 'porter']);
    expect(warnings.join()).toContain('This repository exposes 2 members (guide, porter) to other programs.');
    const row = await team.get('guide');
    expect(row).toMatchObject({
      exposure: 'external',
      exposure_hold: 'agreement',
      warnings: [{ path: 'exposure', reason: expect.stringContaining('`meshd team expose guide`') }],
    });
    expect(row).not.toHaveProperty('token_last4');
    await expect(exposure.rotate('guide')).rejects.toMatchObject({ code: 'not_exposed' });

    const agreed = await exposure.expose('guide');
    expect(agreed.token).toBe(tokens()['guide']);
    expect(agreed).not.toHaveProperty('exposure_hold');
    expect(events.map(({ type }) => type)).toContain('team.exposed');
    expect(exposed(fixture)).toEqual(['guide']);
    expect(readFileSync(join(fixture.root, member('guide')), 'utf8')).toBe(OPEN);
  });

  it.each(['patch', 'patchAgain'])('is approved by any request to expose it: %s', async (how) => {
    const fixture = await createExposure({ agrees: false });
    if (how === 'patchAgain') await fixture.exposure.keepInternal('guide');
    await fixture.team.patch('guide', { exposure: 'external' });
    expect(exposed(fixture)).toEqual(['guide']);
  });

  it('is not approved by another edit through the daemon', async () => {
    const fixture = await createExposure({ agrees: false });
    await fixture.team.patch('guide', { emoji: '🔧' });
    await fixture.team.replaceFile('guide', `${OPEN}More.\n`);
    expect(await hold(fixture, 'guide')).toBe('agreement');
    expect(exposed(fixture)).toEqual([]);
  });

  it('needs approval when a pull adds it while the daemon runs, and publishes no exposure event', async () => {
    const fixture = await createExposure({ files: { clerk: SHUT } });
    await pull(fixture, { clerk: OPEN, courier: OPEN });
    expect(fixture.exposure.waitingMembers()).toEqual(['clerk', 'courier']);
    expect(fixture.tokens()).toEqual({});
    expect(fixture.events.map(({ type }) => type)).not.toContain('team.exposed');
    expect(fixture.warnings.join()).toContain('exposes `courier`');
  });

  it('is approved once, which remains valid after restarts, lost tokens and edits of the file', async () => {
    const first = await createExposure();
    await pull(first, { guide: `${OPEN}Another prompt.\n` });
    expect(exposed(first)).toEqual(['guide']);
    await first.team.close();
    rmSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const again = await createExposure({ root: first.root, agrees: false });
    expect(exposed(again)).toEqual(['guide']);
    expect(statSync(join(first.root, '.mesh/state/exposure.json')).mode & 0o777).toBe(0o600);
  });

  it('is approved by a request that makes it external, which remains valid when its token is lost', async () => {
    const first = await createExposure();
    await first.team.patch('clerk', { exposure: 'external' });
    await first.team.create({ id: 'porter', exposure: 'external' });
    await first.team.close();
    rmSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const again = await createExposure({ root: first.root, files: {}, agrees: false });
    expect(exposed(again)).toEqual(['clerk', 'guide', 'porter']);
  });

  it('with a token from an earlier version needs no approval', async () => {
    const root = temporaryFolder({
      '.mesh/credentials/team-tokens.json': JSON.stringify({ guide: `mk_${'a'.repeat(43)}` }),
    });
    const fixture = await createExposure({ root, files: { guide: OPEN, porter: OPEN }, agrees: false });
    expect(exposed(fixture)).toEqual(['guide']);
    expect(fixture.exposure.waitingMembers()).toEqual(['porter']);
  });
});

describe('an approval', () => {
  it.each<[string, (fixture: TestExposure) => Promise<unknown>]>([
    ['hidden by the operator', ({ team }) => team.patch('guide', { exposure: 'internal' })],
    ['internal by its file', (fixture) => pull(fixture, { guide: SHUT })],
    ['removed by the operator', ({ team }) => team.remove('guide')],
    [
      'removed on disk',
      async ({ root, team }) => {
        unlinkSync(join(root, member('guide')));
        await team.list();
      },
    ],
  ])('ends with the exposure of its member: %s', async (_how, end) => {
    const fixture = await createExposure();
    await end(fixture);
    // Another, unseen member may take over the id.
    putFiles(fixture.root, { 'elsewhere.md': `${OPEN}\nAnother one.\n` });
    renameSync(join(fixture.root, 'elsewhere.md'), join(fixture.root, member('guide')));
    await fixture.team.list();
    expect(await hold(fixture, 'guide')).toBe('agreement');
    expect(exposed(fixture)).toEqual([]);
  });

  it('ends even when the exposure ended while no daemon was running', async () => {
    const first = await createExposure();
    await first.team.close();
    const second = await createExposure({ root: first.root, files: { guide: SHUT } });
    await second.team.close();
    const third = await createExposure({ root: first.root, files: { guide: OPEN }, agrees: false });
    expect(await hold(third, 'guide')).toBe('agreement');
  });
});

describe('keeping a member internal', () => {
  it('is remembered, leaves the file unchanged, and can be reversed', async () => {
    const first = await createExposure({ agrees: false });
    expect(await first.exposure.keepInternal('guide')).toMatchObject({ exposure_hold: 'kept_internal' });
    expect(first.events.at(-1)).toMatchObject({ type: 'team.updated', id: 'guide' });
    await first.team.close();
    const fixture = await createExposure({ root: first.root, files: {}, agrees: false });
    expect(fixture.exposure.waitingMembers()).toEqual([]);
    expect(fixture.warnings).toEqual([]);
    expect(await hold(fixture, 'guide')).toBe('kept_internal');
    expect(exposed(fixture)).toEqual([]);
    expect(readFileSync(join(fixture.root, member('guide')), 'utf8')).toBe(OPEN);
    await fixture.exposure.expose('guide');
    expect(exposed(fixture)).toEqual(['guide']);
  });

  it('is rejected for an exposed member, and changes nothing for an internal one', async () => {
    const fixture = await createExposure();
    await expect(fixture.exposure.keepInternal('guide')).rejects.toMatchObject({ code: 'not_waiting' });
    await expect(fixture.exposure.keepInternal('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(fixture.exposure.expose('nobody')).rejects.toMatchObject({ code: 'not_found' });
    const { length } = fixture.events;
    expect(await fixture.exposure.keepInternal('clerk')).not.toHaveProperty('exposure_hold');
    expect(fixture.events).toHaveLength(length);
    await pull(fixture, { clerk: OPEN });
    expect(await hold(fixture, 'clerk')).toBe('agreement');
  });
});

describe('the default consultant', () => {
  it('remains exposed in a roster that the daemon wrote, even when written again', async () => {
    const first = await createExposure({ files: {}, agrees: false });
    expect(exposed(first)).toEqual(['consultant']);
    await first.team.close();
    rmSync(join(first.root, '.mesh/team'), { recursive: true });
    expect(exposed(await createExposure({ root: first.root, files: {}, agrees: false }))).toEqual(['consultant']);
  });

  it('remains exposed in a clone with the shipped file, and needs approval when a byte differs', async () => {
    expect(exposed(await createExposure({ files: { consultant: CONSULTANT }, agrees: false }))).toEqual(['consultant']);
    const changed = await createExposure({ files: { consultant: `${CONSULTANT}Obey.\n` }, agrees: false });
    expect(exposed(changed)).toEqual([]);
    expect(await hold(changed, 'consultant')).toBe('agreement');
  });

  it('is the only shipped member that a pull may expose: an internal one needs approval', async () => {
    const fixture = await createExposure({ files: {}, agrees: false });
    await pull(fixture, { developer: OPEN });
    expect(exposed(fixture)).toEqual(['consultant']);
    expect(await hold(fixture, 'developer')).toBe('agreement');
  });

  it('needs approval when a pull restores it after it was hidden', async () => {
    const fixture = await createExposure({ files: {}, agrees: false });
    await fixture.team.patch('consultant', { exposure: 'internal' });
    await pull(fixture, { consultant: CONSULTANT });
    expect(await hold(fixture, 'consultant')).toBe('agreement');
    await fixture.team.close();
    const again = await createExposure({ root: fixture.root, files: {}, agrees: false });
    expect(exposed(again)).toEqual([]);
  });
});

describe('with tests that block exposure', () => {
  it('the approval is recorded, and the member is exposed when the tests pass', async () => {
    const fixture = await createExposure({ agrees: false });
    fixture.world.testsHold = 'Its tests failed.';
    await expect(fixture.exposure.expose('guide')).rejects.toMatchObject({ code: 'tests_failed' });
    expect(await hold(fixture, 'guide')).toBe('tests');
    expect(exposed(fixture)).toEqual([]);
    fixture.world.testsHold = undefined;
    await fixture.exposure.openHeld('guide');
    expect(exposed(fixture)).toEqual(['guide']);
  });

  it('a refused exposure of an internal member is not an approval, and no news', async () => {
    const fixture = await createExposure();
    fixture.world.testsHold = 'Its tests failed.';
    const { length } = fixture.events;
    await expect(fixture.exposure.expose('clerk')).rejects.toMatchObject({ code: 'tests_failed' });
    expect(fixture.events).toHaveLength(length);
    fixture.world.testsHold = undefined;
    await pull(fixture, { clerk: OPEN });
    expect(await hold(fixture, 'clerk')).toBe('agreement');
  });
});

describe('a member whose tests may hold it', () => {
  it('that is exposed stays so when they fail later, also when it is asked for again', async () => {
    const fixture = await createExposure();
    fixture.world.testsHold = 'Its tests failed.';
    const { length } = fixture.events;
    expect((await fixture.exposure.expose('guide')).token).toBe(fixture.tokens()['guide']);
    await fixture.exposure.openHeld('guide');
    expect(exposed(fixture)).toEqual(['guide']);
    expect(fixture.events).toHaveLength(length);
  });

  it('is not exposed by passed tests while it is internal, unknown or waits for approval', async () => {
    const fixture = await createExposure({ agrees: false });
    for (const id of ['guide', 'clerk', 'nobody']) await fixture.exposure.openHeld(id);
    expect(fixture.tokens()).toEqual({});
    expect(fixture.events.map(({ type }) => type)).not.toContain('team.exposed');
  });

  it('is exposed where nothing runs tests', async () => {
    const fixture = await createExposure({ hasTests: false });
    await fixture.exposure.expose('clerk');
    expect(exposed(fixture)).toEqual(['clerk', 'guide']);
  });
});

describe('the approval file', () => {
  it('is reported and not overwritten when damaged, and its invalid entries are ignored', async () => {
    const root = temporaryFolder({ '.mesh/state/exposure.json': '{"guide": "yes", "../x": "agreed", "__proto__": 1}' });
    const fixture = await createExposure({ root, agrees: false });
    expect(await hold(fixture, 'guide')).toBe('agreement');
    await fixture.team.close();
    writeFileSync(join(root, '.mesh/state/exposure.json'), 'not json');
    await expect(createExposure({ root })).rejects.toMatchObject({ code: 'store_readonly' });
    expect(readFileSync(join(root, '.mesh/state/exposure.json'), 'utf8')).toBe('not json');
  });

  it('is not written below standard revision 30, and no approval is required', async () => {
    const fixture = await createExposure({ version: 29, agrees: false });
    const { exposure, team } = fixture;
    expect(exposure.waitingMembers()).toEqual([]);
    expect(await team.get('guide')).not.toHaveProperty('exposure_hold');
    await expect(exposure.expose('guide')).rejects.toMatchObject({ code: 'forbidden' });
    await team.patch('guide', { exposure: 'external' });
    expect(existsSync(join(fixture.root, '.mesh/state/exposure.json'))).toBe(false);
    expect(fixture.warnings).toEqual([]);
  });

  it('holds no member back below standard revision 30, and is true again above', async () => {
    const fixture = await createExposure({ agrees: false });
    await fixture.exposure.keepInternal('guide');
    fixture.world.version = 29;
    expect(await hold(fixture, 'guide')).toBeUndefined();
    fixture.world.version = 30;
    expect(await hold(fixture, 'guide')).toBe('kept_internal');
  });

  it('is no reason to warn of a member that its tests hold below standard revision 30', async () => {
    const fixture = await createExposure({ version: 29, agrees: false });
    fixture.world.testsHold = 'Its tests failed.';
    await pull(fixture, { clerk: OPEN });
    expect(await hold(fixture, 'clerk')).toBe('tests');
    expect(fixture.warnings).toEqual([]);
  });
});
