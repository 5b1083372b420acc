import type { Preferences } from '../daemon/contract/system.js';
import { saveCluster } from './a-cluster.js';
import { expect, expectAccessible, expectDrawn, open, test } from './fixtures.js';

test.describe('the navigation', () => {
  test('folds the network until it is used, keeps what one chose, and titles agree with it', async ({
    page,
    project,
  }) => {
    await open(page, project);
    const rail = page.getByRole('navigation', { name: 'Main' });
    const network = rail.getByRole('button', { name: 'Network' });
    await expect(rail.getByRole('link')).toHaveText([
      'Home',
      'Team',
      'Conversations',
      'Roadmap',
      'Schedules',
      'Requests',
      'System',
    ]);
    await expect(network).toHaveAttribute('aria-expanded', 'false');
    // The current page is shown although its group is folded.
    await page.keyboard.press('g');
    await page.keyboard.press('p');
    await expect(page.getByRole('heading', { level: 1, name: 'Map' })).toBeVisible();
    await expect(rail.getByRole('link', { name: 'Map', exact: true })).toHaveAttribute('aria-current', 'page');
    await expect(rail.getByRole('link', { name: 'Payments' })).toHaveCount(0);
    await expectAccessible(page);
    await network.press('Enter');
    await expect(network).toHaveAttribute('aria-expanded', 'true');
    await rail.getByRole('link', { name: 'Payments' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Payments' })).toBeVisible();
    await expect(page).toHaveTitle(/^Payments – /);
    await page.reload();
    await expect(rail.getByRole('link', { name: 'Clusters' })).toBeVisible();
    await network.click();
    await expect.poll(async () => (await project.api<Preferences>('GET', '/preferences')).rail_network).toBe('folded');

    // An agent search unfolds it only while nothing was chosen.
    await project.api('PATCH', '/preferences', { rail_network: 'auto' });
    await open(page, project, '/find?q=paint');
    await expect(network).toHaveAttribute('aria-expanded', 'true');
    await open(page, project, '/talk');
    await project.api('PATCH', '/preferences', { rail_network: 'auto' });
    await expect(page).toHaveTitle(/^Conversations – /);
    await expect(network).toHaveAttribute('aria-expanded', 'false');
    await saveCluster(project, 'Lamp makers');
    await expect(network).toHaveAttribute('aria-expanded', 'true');
  });

  test('is usable at 360 pixels', async ({ page, project }) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, project);
    const rail = page.getByRole('navigation', { name: 'Main' });
    await rail.getByRole('button', { name: 'Network' }).click();
    await rail.getByRole('link', { name: 'Payments' }).click();
    await expect(page.getByRole('heading', { level: 1, name: 'Payments' })).toBeVisible();
    await expect(rail.getByRole('link', { name: 'Payments' })).toBeInViewport();
    await rail.getByRole('link', { name: 'Home' }).click();
    const ask = page.getByRole('region', { name: 'Ask', exact: true });
    await ask.getByRole('combobox', { name: 'Member' }).selectOption('developer');
    await expect(ask.getByRole('button', { name: 'Start conversation' })).toBeInViewport();
    await expectDrawn(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
    await expectAccessible(page);
    await ask.getByRole('textbox', { name: 'Question for Developer' }).fill('On which port does it listen?');
    await ask.getByRole('button', { name: 'Start conversation' }).click();
    await expect(page).toHaveURL(/\/app\/talk\/conv-/);
    await expect(page.getByRole('log').getByText('On which port does it listen?').first()).toBeVisible();
  });
});

test('a key that is pressed in the moment in which the palette appears is its own', async ({ page, project }) => {
  await open(page, project, '/team');
  // A microtask after the palette stands in the document: nothing that waits for the next task has run by then.
  const wasPrevented = page.evaluate(
    () =>
      new Promise<boolean>((resolve) => {
        new MutationObserver((_, observer) => {
          const field = document.querySelector('dialog [role=combobox]');
          if (!field) return;
          observer.disconnect();
          resolve(!field.dispatchEvent(new KeyboardEvent('keydown', { key: 'x', bubbles: true, cancelable: true })));
        }).observe(document.body, { childList: true, subtree: true });
      }),
  );
  await page.keyboard.press('ControlOrMeta+k');
  expect(await wasPrevented).toBe(false);
});

test('the palette asks, and opens files, symbols, conversations, requests and settings', { tag: '@flow' }, async ({
  page,
  project,
}) => {
  await project.answer('consultant', 'What is the default of LAMP_ANGLE?');
  await project.api('POST', '/conversations', { member: 'developer', title: 'Brighter harbour' });
  project.write('untracked-plan.md', '# Plan\n');
  await open(page, project, '/team?q=dev');
  const palette = page.getByRole('dialog', { name: 'Go to' });
  const selected = palette.getByRole('option', { selected: true });
  const look = async (text: string) => {
    await page.keyboard.press('ControlOrMeta+k');
    await expect(palette.getByRole('combobox')).toBeFocused();
    await palette.getByRole('combobox').fill(text);
  };
  await look('dusk.ts');
  await expect(selected).toHaveText(/^dusk\.ts.*src\/$/);
  await expectAccessible(page);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/app\/team\?q=dev&file=src%2Fdusk\.ts$/);
  const file = page.getByRole('dialog', { name: 'src/dusk.ts' });
  await expect(file.getByText('DUSK_ANGLE_DEGREES').first()).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page).toHaveURL(/\/app\/team\?q=dev$/);

  await look('isdu');
  await expect(selected).toHaveText(/^isDusk.*function · dusk\.ts:4$/);
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/file=src%2Fdusk\.ts&from=4&to=6$/);
  await page.keyboard.press('Escape');

  await look('untracked-plan');
  await expect(selected).toHaveText('Ask consultant: untracked-plan');
  await page.keyboard.press('Escape');
  await look('brighter');
  await expect(selected).toHaveText(/^Brighter harbour/);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'Brighter harbour' })).toBeVisible();
  await look('default of lamp');
  await expect(selected).toHaveText(/What is the default of LAMP_ANGLE\?/);
  await page.keyboard.press('Escape');
  await look('budget');
  await expect(selected).toHaveText('Usage and budgets');
  await page.keyboard.press('Escape');
  await look('enter sends');
  await expect(selected).toHaveText('Enter sends: off');
  await page.keyboard.press('Escape');

  await look('Which port is used?');
  await expect(selected).toHaveText('Ask consultant: Which port is used?');
  await selected.click();
  await expect(page).toHaveURL(/\/app\/requests\/req-/);
  await expect(page.getByRole('list', { name: 'Citations' }).getByText('README.md').first()).toBeVisible();

  await look('what meshd is');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'What meshd is' })).toBeVisible();
});
