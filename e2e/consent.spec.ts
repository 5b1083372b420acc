import type { MemberList } from '../daemon/contract/team.js';
import { expect, expectAccessible, open, type Project, test } from './fixtures.js';

const OPEN = (name: string) => `---\nname: ${name}\nexposure: external\n---\n\nYou answer at the ${name}.\n`;
const FILES = { '.mesh/team/porter.md': OPEN('Gate'), '.mesh/team/usher.md': OPEN('Hall') };

test.use({ files: FILES });

const holds = async (project: Project) =>
  Object.fromEntries(
    (await project.api<MemberList>('GET', '/team')).members.map(({ id, exposure_hold }) => [id, exposure_hold]),
  );

test('members that a clone opens are reviewed, exposed one and all, or kept internal, by mouse', async ({
  page,
  project,
}) => {
  await open(page, project);
  const needs = page.getByRole('region', { name: 'Needs you' });
  await expect(needs.getByText('This repository exposes 2 members to other programs: porter, usher.')).toBeVisible();
  await expectAccessible(page);
  expect(await project.token('porter')).toBe('');

  await needs.getByRole('link', { name: 'Review porter' }).click();
  await expect(page.getByText('This member needs your approval.')).toBeVisible();
  await expect(page.getByRole('region', { name: 'Initial prompt' }).getByText('You answer at the Gate.')).toBeVisible();
  await expectAccessible(page);
  await page.goBack();

  await needs.getByRole('button', { name: 'Expose porter' }).click();
  await expect(page.getByText('Exposed: porter.')).toBeVisible();
  await expect(needs.getByText('This repository exposes a member to other programs: usher.')).toBeVisible();
  expect(await project.token('porter')).toMatch(/^mk_/);

  await needs.getByRole('button', { name: 'Keep usher internal' }).click();
  await expect(needs.getByText('Nothing needs you.')).toBeVisible();
  expect(await holds(project)).toEqual({ porter: undefined, usher: 'kept_internal' });
  expect(project.read('.mesh/team/usher.md')).toBe(FILES['.mesh/team/usher.md']);

  // A pull adds members while the page is open, and agreement in another place removes the card.
  project.write('.mesh/team/pilot.md', OPEN('Quay'));
  project.write('.mesh/team/scout.md', OPEN('Tower'));
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Team' }).click();
  // Home shows the same card.
  await expect(page.getByRole('heading', { level: 1, name: 'Team' })).toBeVisible();
  await expect(page.getByText('This repository exposes 2 members to other programs: pilot, scout.')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('button', { name: 'Expose all 2' }).click();
  await expect(page.getByText('Exposed: pilot, scout.')).toBeVisible();
  await expect(page.getByText(/This repository exposes/)).toHaveCount(0);

  // A member that was kept internal can still be exposed on its page.
  await page.getByRole('list', { name: 'Members', exact: true }).getByRole('link', { name: 'Hall' }).click();
  await expect(page.getByText('You keep this member internal.')).toBeVisible();
  await page.getByRole('button', { name: 'Expose', exact: true }).click();
  await expect(page.getByText('You keep this member internal.')).toHaveCount(0);
  expect(await project.token('usher')).toMatch(/^mk_/);
});

test('the command line agrees, and the card goes', async ({ page, project }) => {
  await open(page, project);
  await expect(page.getByText('This repository exposes 2 members')).toBeVisible();
  await project.meshd('team', 'expose', 'porter');
  await expect(page.getByText('This repository exposes a member to other programs: usher.')).toBeVisible();
  await project.meshd('team', 'expose', 'usher');
  await expect(page.getByText(/This repository exposes/)).toHaveCount(0);
});
