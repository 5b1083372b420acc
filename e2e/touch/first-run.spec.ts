import { expect, test } from './finger.js';

test('first run: one asks, reads the cited lines, rates the answer, and puts the steps away', async ({
  page,
  finger,
  project,
}) => {
  await finger.open(project);
  await expect(page.getByRole('img', { name: /^You and your programs ask/ })).toBeVisible();
  const ask = page.getByRole('region', { name: 'Ask', exact: true });
  await finger.write(
    ask.getByRole('textbox', { name: 'Question for Consultant' }),
    'What is the default of LAMP_ANGLE?',
  );
  await finger.tap(ask.getByRole('button', { name: 'Ask', exact: true }));
  await expect(ask.getByRole('status')).toHaveText('answered');
  await expect(ask.getByText('Probably here', { exact: true })).toBeVisible();
  await finger.tap(
    ask.getByRole('list', { name: 'Citations' }).getByRole('link', { name: 'README.md:11', exact: true }),
    {
      isInText: true,
    },
  );
  const file = page.getByRole('dialog', { name: 'README.md:11' });
  await expect(file.getByRole('listitem').filter({ hasText: 'LAMP_ANGLE' })).toBeInViewport();
  await finger.tap(file.getByRole('button', { name: 'Who changed this' }));
  await expect(file.getByRole('listitem').first()).toContainText(/ ago|just now/);
  await finger.tap(file.getByRole('button', { name: 'Close the file' }));
  await expect(file).toHaveCount(0);
  await finger.expectPage('Ask to Consultant');
  await expect(page.getByText('asked by you', { exact: true })).toBeVisible();
  const good = page.getByRole('button', { name: 'Good answer' });
  await finger.tap(good);
  await expect(good).toHaveAttribute('aria-pressed', 'true');

  await finger.goTo('Home', 'Home');
  for (const card of ['What meshd is', 'Bring your agents', 'Let a program ask']) {
    await finger.tap(page.getByRole('button', { name: `Dismiss “${card}”` }));
    await expect(page.getByRole('heading', { name: card })).toHaveCount(0);
  }
  await finger.tap(page.getByRole('link', { name: 'All requests' }));
  await finger.expectPage('Requests');
  await finger.tap(page.getByRole('button', { name: /Go to/ }));
  await finger.tap(page.getByRole('dialog', { name: 'Go to' }).getByRole('option', { name: 'Export members' }));
  await finger.expectPage('Export members');
  const tick = page.getByRole('checkbox', { name: 'consultant' });
  const wasTicked = await tick.isChecked();
  await finger.tap(tick, { isUnderLabel: true });
  await expect(tick).toBeChecked({ checked: !wasTicked });
});
