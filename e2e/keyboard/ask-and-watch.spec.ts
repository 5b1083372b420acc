import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './keys.js';

const run = promisify(execFile);

test('first run: one asks, reads the cited lines, and puts the steps away', { tag: '@flow' }, async ({
  page,
  keys,
  project,
}) => {
  await keys.open(project);
  const skip = page.getByRole('link', { name: 'Skip to the content' });
  await keys.enter(skip, 1);
  const first = page.getByRole('region', { name: 'First steps' });
  const ask = page.getByRole('region', { name: 'Ask', exact: true });
  await keys.write(
    ask.getByRole('textbox', { name: 'Question for Consultant' }),
    'What is the default of LAMP_ANGLE?',
    3,
  );
  await keys.enter(ask.getByRole('button', { name: 'Ask', exact: true }), 2);
  await expect(ask.getByRole('status')).toHaveText('answered');
  await expect(ask.getByText('Answered locally without a model.')).toBeVisible();
  await keys.expectSeen();

  const citation = ask
    .getByRole('list', { name: 'Citations' })
    .getByRole('link', { name: 'README.md:11', exact: true });
  await keys.enter(citation);
  const file = page.getByRole('dialog', { name: 'README.md:11' });
  await expect(file.getByRole('listitem').filter({ hasText: 'LAMP_ANGLE' })).toBeInViewport();
  await keys.expectSeen();
  await keys.press('Escape');
  await expect(file).toHaveCount(0);
  await keys.expectPage('Ask to Consultant');
  const again = page.getByRole('list', { name: 'Citations' }).getByRole('link', { name: 'README.md:11', exact: true });
  await keys.enter(again);
  await expect(file).toBeVisible();
  await keys.press('Escape');
  await keys.expectAt(again);

  await keys.press('g', 'd');
  await keys.expectPage('Home');
  for (const card of ['What meshd is', 'Bring your agents', 'Let a program ask']) {
    await keys.enter(page.getByRole('button', { name: `Dismiss “${card}”` }));
    await expect(page.getByRole('heading', { name: card })).toHaveCount(0);
    await keys.expectSeen();
  }
  await expect(first).toHaveCount(0);
  await keys.expectAt(page.locator('main'));
});

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('a member is exposed, its curl is handed over, and its token is rotated and revoked', { tag: '@flow' }, async ({
    page,
    keys,
    project,
  }) => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    // A member that changes things takes no question without a model.
    await project.api('PATCH', '/team/developer', { tools: ['read', 'search'] });
    await keys.open(project, '/team');
    await keys.press('/');
    await keys.type('developer');
    const row = page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Developer', exact: true });
    await keys.walkTo(row);
    await keys.press('Enter');
    await keys.expectPage('Developer');
    await keys.enter(page.getByRole('navigation', { name: 'Developer' }).getByRole('link', { name: 'API access' }));
    await keys.enter(page.getByRole('switch', { name: 'Internal' }));
    await expect(page.getByRole('switch', { name: 'Exposed to programs on this machine' })).toBeFocused();

    const token = page.getByRole('region', { name: 'Token' });
    await keys.enter(token.getByRole('button', { name: 'Copy', exact: true }));
    await expect(token.getByRole('button', { name: 'Copied' })).toBeFocused();
    const old = await copied();
    await keys.enter(token.getByRole('button', { name: 'Show' }));
    await expect(token.getByText(/^mk_[\w-]{43}$/)).toBeVisible();
    await keys.expectAt(token.getByRole('button', { name: 'Hide' }));
    await keys.press('Enter');

    await keys.reach(page.getByRole('tab', { name: 'curl', exact: true }));
    await keys.press('ArrowRight');
    await keys.expectAt(page.getByRole('tab', { name: 'TypeScript' }));
    await keys.press('ArrowLeft');
    await keys.expectAt(page.getByRole('tab', { name: 'curl', exact: true }));
    const snippet = page.getByRole('tabpanel', { name: 'curl', exact: true });
    await keys.enter(snippet.getByRole('button', { name: 'Copy', exact: true }));
    await expect(snippet.getByRole('button', { name: 'Copied' })).toBeFocused();
    const curl = await copied();
    expect(curl).not.toContain('mk_');
    expect((await run('bash', ['-euc', curl], { env: { ...process.env, DEVELOPER_TOKEN: old } })).stdout).toMatch(/\S/);

    const trial = page.getByRole('region', { name: 'Try it' });
    await keys.write(trial.getByRole('textbox'), 'Which port does it listen on?');
    await keys.press('Control+Enter');
    await expect(trial.getByText('answered', { exact: true })).toBeVisible();
    await keys.expectAt(trial.getByRole('textbox'));

    const rotate = token.getByRole('button', { name: 'Rotate' });
    await keys.back(rotate, 16);
    await keys.press('Enter');
    const sure = page.getByRole('dialog', { name: 'Rotate the token' });
    await keys.expectAt(sure);
    await keys.press('Escape');
    await expect(sure).toHaveCount(0);
    await keys.expectAt(rotate);
    await keys.press('Enter');
    await keys.enter(sure.getByRole('button', { name: 'Rotate' }));
    await expect(sure).toHaveCount(0);
    await keys.expectAt(rotate);
    await keys.enter(token.getByRole('button', { name: 'Revoke' }), 1);
    await keys.enter(page.getByRole('dialog', { name: 'Revoke the token' }).getByRole('button', { name: 'Revoke' }));
    await expect(page.getByRole('switch', { name: 'Internal' })).toBeVisible();
    await keys.expectAt(page.locator('main'));
    await keys.press('g', 'r');
    await keys.expectPage('Requests');
    await expect(page.getByRole('list', { name: 'Requests' }).getByRole('listitem')).toHaveCount(2);
  });
});
