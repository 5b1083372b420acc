import { readFileSync, renameSync, rmSync, statSync, unlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { type ADoor, aDoor, OPEN, SHUT } from '../../testing/apps/a-door.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { DEFAULT_ROSTER } from '../team/default-roster.js';

const CONSULTANT = DEFAULT_ROSTER.get('consultant') ?? '';
const member = (id: string) => `.mesh/team/${id}.md`;
const exposed = ({ exposure }: ADoor) => exposure.externalMembers().map(({ id }) => id);
const hold = async ({ team }: ADoor, id: string) => (await team.get(id)).exposure_hold;

/** Changes files as `git pull` does, and resolves when the daemon has read them. */
async function pull(door: ADoor, files: Record<string, string>): Promise<void> {
  putFiles(door.root, Object.fromEntries(Object.entries(files).map(([id, text]) => [member(id), text])));
  await door.team.list();
}

describe('a member that the repository exposes', () => {
  it('stays internal until the operator approves, with a warning', async () => {
    const door = await aDoor({ files: { guide: OPEN, porter: OPEN, clerk: SHUT }, agrees: false });
    const { exposure, team, tokens, warnings, events } = door;
    expect(exposed(door)).toEqual([]);
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
    expect(exposed(door)).toEqual(['guide']);
    expect(readFileSync(join(door.root, member('guide')), 'utf8')).toBe(OPEN);
  });

  it.each(['patch', 'patchAgain'])('is approved by any request to expose it: %s', async (how) => {
    const door = await aDoor({ agrees: false });
    if (how === 'patchAgain') await door.exposure.keepInternal('guide');
    await door.team.patch('guide', { exposure: 'external' });
    expect(exposed(door)).toEqual(['guide']);
  });

  it('is not approved by another edit through the daemon', async () => {
    const door = await aDoor({ agrees: false });
    await door.team.patch('guide', { emoji: '🔧' });
    await door.team.replaceFile('guide', `${OPEN}More.\n`);
    expect(await hold(door, 'guide')).toBe('agreement');
    expect(exposed(door)).toEqual([]);
  });

  it('needs approval when a pull adds it while the daemon runs, and publishes no exposure event', async () => {
    const door = await aDoor({ files: { clerk: SHUT } });
    await pull(door, { clerk: OPEN, courier: OPEN });
    expect(door.exposure.waitingMembers()).toEqual(['clerk', 'courier']);
    expect(door.tokens()).toEqual({});
    expect(door.events.map(({ type }) => type)).not.toContain('team.exposed');
    expect(door.warnings.join()).toContain('exposes `courier`');
  });

  it('is approved once, which remains valid after restarts, lost tokens and edits of the file', async () => {
    const first = await aDoor();
    await pull(first, { guide: `${OPEN}Another prompt.\n` });
    expect(exposed(first)).toEqual(['guide']);
    await first.team.close();
    rmSync(join(first.root, '.mesh/credentials/team-tokens.json'));
    const again = await aDoor({ root: first.root, agrees: false });
    expect(exposed(again)).toEqual(['guide']);
    expect(statSync(join(first.root, '.mesh/state/exposure.json')).mode & 0o777).toBe(0o600);
  });

  it('with a token from an earlier version needs no approval', async () => {
    const root = temporaryFolder({
      '.mesh/credentials/team-tokens.json': JSON.stringify({ guide: `mk_${'a'.repeat(43)}` }),
    });
    const door = await aDoor({ root, files: { guide: OPEN, porter: OPEN }, agrees: false });
    expect(exposed(door)).toEqual(['guide']);
    expect(door.exposure.waitingMembers()).toEqual(['porter']);
  });
});

describe('an approval', () => {
  it.each<[string, (door: ADoor) => Promise<unknown>]>([
    ['hidden by the operator', ({ team }) => team.patch('guide', { exposure: 'internal' })],
    ['internal by its file', (door) => pull(door, { guide: SHUT })],
    ['removed by the operator', ({ team }) => team.remove('guide')],
    [
      'removed on disk',
      async ({ root, team }) => {
        unlinkSync(join(root, member('guide')));
        await team.list();
      },
    ],
  ])('ends with the exposure of its member: %s', async (_how, end) => {
    const door = await aDoor();
    await end(door);
    // Another, unseen member may take over the id.
    putFiles(door.root, { 'elsewhere.md': OPEN });
    renameSync(join(door.root, 'elsewhere.md'), join(door.root, member('guide')));
    await door.team.list();
    expect(await hold(door, 'guide')).toBe('agreement');
    expect(exposed(door)).toEqual([]);
  });

  it('ends even when the exposure ended while no daemon was running', async () => {
    const first = await aDoor();
    await first.team.close();
    const second = await aDoor({ root: first.root, files: { guide: SHUT } });
    await second.team.close();
    const third = await aDoor({ root: first.root, files: { guide: OPEN }, agrees: false });
    expect(await hold(third, 'guide')).toBe('agreement');
  });
});

describe('keeping a member internal', () => {
  it('is remembered, leaves the file unchanged, and can be reversed', async () => {
    const first = await aDoor({ agrees: false });
    expect(await first.exposure.keepInternal('guide')).toMatchObject({ exposure_hold: 'kept_internal' });
    expect(first.events.at(-1)).toMatchObject({ type: 'team.updated', id: 'guide' });
    await first.team.close();
    const door = await aDoor({ root: first.root, files: {}, agrees: false });
    expect(door.exposure.waitingMembers()).toEqual([]);
    expect(door.warnings).toEqual([]);
    expect(await hold(door, 'guide')).toBe('kept_internal');
    expect(exposed(door)).toEqual([]);
    expect(readFileSync(join(door.root, member('guide')), 'utf8')).toBe(OPEN);
    await door.exposure.expose('guide');
    expect(exposed(door)).toEqual(['guide']);
  });

  it('is rejected for an exposed member, and changes nothing for an internal one', async () => {
    const door = await aDoor();
    await expect(door.exposure.keepInternal('guide')).rejects.toMatchObject({ code: 'not_waiting' });
    await expect(door.exposure.keepInternal('nobody')).rejects.toMatchObject({ code: 'not_found' });
    await expect(door.exposure.expose('nobody')).rejects.toMatchObject({ code: 'not_found' });
    expect(await door.exposure.keepInternal('clerk')).not.toHaveProperty('exposure_hold');
    await pull(door, { clerk: OPEN });
    expect(await hold(door, 'clerk')).toBe('agreement');
  });
});

describe('the default consultant', () => {
  it('remains exposed in a roster that the daemon wrote, even when written again', async () => {
    const first = await aDoor({ files: {}, agrees: false });
    expect(exposed(first)).toEqual(['consultant']);
    await first.team.close();
    rmSync(join(first.root, '.mesh/team'), { recursive: true });
    expect(exposed(await aDoor({ root: first.root, files: {}, agrees: false }))).toEqual(['consultant']);
  });

  it('remains exposed in a clone with the shipped file, and needs approval when a byte differs', async () => {
    expect(exposed(await aDoor({ files: { consultant: CONSULTANT }, agrees: false }))).toEqual(['consultant']);
    const changed = await aDoor({ files: { consultant: `${CONSULTANT}Obey.\n` }, agrees: false });
    expect(exposed(changed)).toEqual([]);
    expect(await hold(changed, 'consultant')).toBe('agreement');
  });

  it('needs approval when a pull restores it after it was hidden', async () => {
    const door = await aDoor({ files: {}, agrees: false });
    await door.team.patch('consultant', { exposure: 'internal' });
    await pull(door, { consultant: CONSULTANT });
    expect(await hold(door, 'consultant')).toBe('agreement');
    await door.team.close();
    const again = await aDoor({ root: door.root, files: {}, agrees: false });
    expect(exposed(again)).toEqual([]);
  });
});

describe('with tests that block exposure', () => {
  it('the approval is recorded, and the member is exposed when the tests pass', async () => {
    const door = await aDoor({ agrees: false });
    door.world.testsHold = 'Its tests failed.';
    await expect(door.exposure.expose('guide')).rejects.toMatchObject({ code: 'tests_failed' });
    expect(await hold(door, 'guide')).toBe('tests');
    expect(exposed(door)).toEqual([]);
    door.world.testsHold = undefined;
    await door.exposure.openHeld('guide');
    expect(exposed(door)).toEqual(['guide']);
  });

  it('a refused exposure of an internal member is not an approval', async () => {
    const door = await aDoor();
    door.world.testsHold = 'Its tests failed.';
    await expect(door.exposure.expose('clerk')).rejects.toMatchObject({ code: 'tests_failed' });
    door.world.testsHold = undefined;
    await pull(door, { clerk: OPEN });
    expect(await hold(door, 'clerk')).toBe('agreement');
  });
});

describe('the approval file', () => {
  it('is reported and not overwritten when damaged, and its invalid entries are ignored', async () => {
    const root = temporaryFolder({ '.mesh/state/exposure.json': '{"guide": "yes", "../x": "agreed", "__proto__": 1}' });
    const door = await aDoor({ root, agrees: false });
    expect(await hold(door, 'guide')).toBe('agreement');
    await door.team.close();
    writeFileSync(join(root, '.mesh/state/exposure.json'), 'not json');
    await expect(aDoor({ root })).rejects.toMatchObject({ code: 'store_readonly' });
    expect(readFileSync(join(root, '.mesh/state/exposure.json'), 'utf8')).toBe('not json');
  });

  it('is not written below standard revision 30, and no approval is required', async () => {
    const { exposure, team } = await aDoor({ version: 29, agrees: false });
    expect(exposure.waitingMembers()).toEqual([]);
    expect(await team.get('guide')).not.toHaveProperty('exposure_hold');
    await expect(exposure.expose('guide')).rejects.toMatchObject({ code: 'forbidden' });
  });
});
