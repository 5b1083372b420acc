import { expect, test } from './finger.js';

test('a request is watched from its arrival to its answer, and another is stopped', async ({
  page,
  finger,
  project,
}) => {
  const rows = page.getByRole('list', { name: 'Requests' }).getByRole('listitem');
  const status = page.locator('main').getByRole('status');
  for (let number = 1; number <= 10; number += 1) await project.answer('consultant', `Question ${number}: which port?`);
  await project.holdAnswers();
  await finger.open(project);
  await finger.goTo('Requests', 'Requests');
  await expect(rows).toHaveCount(10);
  await finger.swipe(400);
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(120);
  await project.ask('consultant', 'Which port does it listen on?');
  const pill = page.getByRole('button', { name: '1 new' });
  await expect(pill).toBeInViewport();
  await finger.tap(pill);
  await expect(pill).toHaveCount(0);
  const row = rows.filter({ hasText: 'Which port does it listen on?' });
  await expect(row).toBeInViewport();
  await expect(row.getByText('working', { exact: true })).toBeVisible();

  await project.ask('consultant', 'When do the lights go on?');
  await finger.tap(rows.filter({ hasText: 'When do the lights go on?' }).getByRole('link'));
  await finger.expectPage('Ask to Consultant');
  await finger.tap(page.getByRole('button', { name: 'Stop' }));
  await expect(status.getByText('stopped', { exact: true })).toBeVisible();
  await finger.goTo('Requests', 'Requests');
  project.releaseAnswers();
  await expect(row.getByText('answered', { exact: true })).toBeVisible();
});
