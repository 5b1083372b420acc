import { expect, test } from './keys.js';

const OPEN = '---\nexposure: external\n---\n\nYou answer.\n';

test.use({ files: { '.mesh/team/porter.md': OPEN, '.mesh/team/usher.md': OPEN, '.mesh/team/pilot.md': OPEN } });

test('members that a clone opens are reviewed, exposed and kept internal', async ({ page, keys, project }) => {
  await keys.open(project);
  const needs = page.getByRole('region', { name: 'Needs you' });
  await keys.enter(needs.getByRole('link', { name: 'Review pilot' }), 40);
  await keys.expectPage('Pilot');
  await keys.enter(page.getByRole('button', { name: 'Expose', exact: true }), 40);
  await expect(page.getByText('This member needs your approval.')).toHaveCount(0);
  await keys.expectSeen();

  await keys.press('g', 'd');
  await keys.expectPage('Home');
  await expect(needs.getByText('This repository exposes 2 members to other programs: porter, usher.')).toBeVisible();
  await keys.enter(needs.getByRole('button', { name: 'Keep porter internal' }), 40);
  await expect(needs.getByText('This repository exposes a member to other programs: usher.')).toBeVisible();
  await keys.expectSeen();
  await keys.enter(needs.getByRole('button', { name: 'Expose usher' }));
  await expect(needs.getByText('Nothing needs you.')).toBeVisible();
  await keys.expectSeen();
  expect(await project.token('usher')).toMatch(/^mk_/);
  expect(await project.token('porter')).toBe('');
});
