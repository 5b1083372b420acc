import { rmSync } from 'node:fs';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { createExposure, OPEN, SHUT } from '../../testing/apps/test-exposure.js';
import { FormerTokens } from './former-tokens.js';

const reasonOf = async (refused: Promise<unknown>) =>
  refused.then(
    () => 'not refused',
    (error: Error) => error.message,
  );

describe('whoever cannot do what was asked is told why and what to do', () => {
  it('for one member that waits for approval, and for several', async () => {
    const one = await createExposure({ files: { guide: OPEN }, agrees: false });
    const told =
      'This repository exposes `guide` to other programs. ' +
      'It stays internal until you approve: `meshd team expose guide`.';
    expect(one.warnings).toEqual([told]);
    expect((await one.team.get('guide')).warnings).toEqual([{ path: 'exposure', reason: told }]);
    const two = await createExposure({ files: { guide: OPEN, porter: OPEN }, agrees: false });
    expect(two.warnings).toEqual([
      'This repository exposes 2 members (guide, porter) to other programs. ' +
        'They stay internal until you approve: `meshd team expose <member>`.',
    ]);
  });

  it('for a member that the operator keeps internal', async () => {
    const { exposure } = await createExposure({ agrees: false });
    expect((await exposure.keepInternal('guide')).warnings).toEqual([
      {
        path: 'exposure',
        reason: 'The file of `guide` says external, and you keep it internal. `meshd team expose guide` exposes it.',
      },
    ]);
  });

  it('for members in the wrong state, and for names that no member can have', async () => {
    const { exposure } = await createExposure();
    expect(await reasonOf(exposure.keepInternal('guide'))).toBe(
      '`guide` is exposed. Set its exposure to internal first.',
    );
    expect(await reasonOf(exposure.rotate('clerk'))).toBe(
      '`clerk` is internal and has no token: set its exposure to external first.',
    );
    for (const refused of [exposure.keepInternal('..'), exposure.expose('..')])
      await expect(refused).rejects.toMatchObject({ code: 'bad_request', details: { path: 'id' } });
  });

  it('below standard revision 30', async () => {
    const { exposure } = await createExposure({ version: 29 });
    expect(await reasonOf(exposure.expose('guide'))).toBe(
      'Exposing members needs standard revision 30; this project is at 29. Run `meshd upgrade`.',
    );
  });

  it('when Git tracks secrets: the first of them, how many more, and at most twenty by name', async () => {
    const { exposure, world } = await createExposure();
    const remedy = 'Run `git rm -r --cached --ignore-unmatch .mesh/credentials .mesh/state`, commit, and try again.';
    world.tracked = ['.mesh/state/a'];
    expect(await reasonOf(exposure.rotate('guide'))).toBe(
      `Git tracks .mesh/state/a, so no new secret is written. ${remedy}`,
    );
    world.tracked = Array.from({ length: 22 }, (_, number) => `.mesh/state/${number}`);
    expect(await reasonOf(exposure.rotate('guide'))).toBe(
      `Git tracks .mesh/state/0 and 21 more, so no new secret is written. ${remedy}`,
    );
    await expect(exposure.rotate('guide')).rejects.toMatchObject({ details: { tracked: world.tracked.slice(0, 20) } });
  });

  it('when its tests hold it: with the reason that the tests give', async () => {
    const { exposure, world } = await createExposure({ agrees: false });
    world.testsHold = 'One of its tests failed.';
    expect(await reasonOf(exposure.expose('guide'))).toBe('One of its tests failed.');
  });
});

it('an approval of a member that its tests hold is news once, when it ends the wait for the operator', async () => {
  const { exposure, world, events } = await createExposure({ agrees: false });
  const updates = () => events.filter((event) => event.type === 'team.updated' && event['id'] === 'guide').length;
  world.testsHold = 'Its tests failed.';
  await expect(exposure.expose('guide')).rejects.toMatchObject({ code: 'tests_failed' });
  expect(updates()).toBe(1);
  await expect(exposure.expose('guide')).rejects.toMatchObject({ code: 'tests_failed' });
  expect(updates()).toBe(1);
});

describe('a token that ends', () => {
  it.each([
    ['internal', SHUT],
    ['removed', undefined],
  ])('while no daemon runs is explained to its holder at the next start: %s', async (ending, text) => {
    const first = await createExposure({ files: { guide: OPEN, clerk: SHUT } });
    const token = first.tokens()['guide'] ?? '';
    await first.team.close();
    if (text === undefined) rmSync(`${first.root}/.mesh/team/guide.md`);
    const { exposure } = await createExposure({ root: first.root, files: text === undefined ? {} : { guide: text } });
    expect(exposure.explainFormer(token)).toMatchObject({
      code: 'unauthorized',
      details: { member: 'guide', token_ended: ending, ended_at: '2026-11-21T12:00:00.000Z' },
    });
    expect(exposure.explainFormer('mk_never')).toBeUndefined();
  });

  it('ends also when that cannot be remembered, with a warning', async () => {
    const { exposure, tokens, warnings } = await createExposure();
    const failing = vi.spyOn(FormerTokens.prototype, 'add').mockRejectedValue(new Error('The disk is full.'));
    onTestFinished(() => failing.mockRestore());
    const old = tokens()['guide'] ?? '';
    await exposure.rotate('guide');
    expect(exposure.verify('guide', old)).toBe(false);
    expect(warnings).toContain('Programs that hold an ended token are not told why: The disk is full.');
  });
});
