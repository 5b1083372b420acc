import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from './finger.js';

const run = promisify(execFile);

test.describe('with a clipboard', () => {
  test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

  test('a member is exposed, handed over, revoked, deleted and restored', async ({ page, finger, project }) => {
    const copied = () => page.evaluate(() => navigator.clipboard.readText());
    // A member that changes things takes no question without a model.
    await project.api('PATCH', '/team/developer', { tools: ['read', 'search'] });
    await finger.open(project);
    await finger.goTo('Team', 'Team');
    await finger.tap(page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Developer', exact: true }));
    await finger.expectPage('Developer');
    const views = page.getByRole('navigation', { name: 'Developer' });
    await expect(views.getByRole('link')).toHaveCount(0);
    await finger.tap(views.getByText('View: Overview'));
    await finger.tap(views.getByRole('link', { name: 'API access' }));
    await expect(views.getByText('View: API access')).toBeVisible();
    await expect(views.getByRole('link')).toHaveCount(0);
    await finger.tap(page.getByRole('switch', { name: 'Internal' }));
    await expect(page.getByRole('switch', { name: 'Exposed to programs on this machine' })).toBeVisible();
    const token = page.getByRole('region', { name: 'Token' });
    await finger.tap(token.getByRole('button', { name: 'Copy', exact: true }));
    await expect.poll(copied).toMatch(/^mk_[\w-]{43}$/);
    const secret = await copied();
    await finger.tap(page.getByRole('tab', { name: 'TypeScript' }));
    await finger.tap(page.getByRole('tab', { name: 'curl', exact: true }));
    await finger.tap(
      page.getByRole('tabpanel', { name: 'curl', exact: true }).getByRole('button', { name: 'Copy', exact: true }),
    );
    await expect.poll(copied).toContain('curl');
    const curl = await copied();
    expect(curl).not.toContain('mk_');
    expect((await run('bash', ['-euc', curl], { env: { ...process.env, DEVELOPER_TOKEN: secret } })).stdout).toMatch(
      /\S/,
    );

    const trial = page.getByRole('region', { name: 'Try it' });
    await finger.write(trial.getByRole('textbox'), 'Which port does it listen on?');
    await finger.tap(trial.getByRole('button', { name: 'Ask', exact: true }));
    await expect(trial.getByText('answered', { exact: true })).toBeVisible();
    await finger.tap(token.getByRole('button', { name: 'Revoke' }));
    await finger.tap(page.getByRole('dialog', { name: 'Revoke the token' }).getByRole('button', { name: 'Revoke' }));
    await expect(page.getByRole('switch', { name: 'Internal' })).toBeVisible();
    await finger.goTo('Requests', 'Requests');
    await expect(page.getByRole('list', { name: 'Requests' }).getByRole('listitem')).toHaveCount(2);

    const before = project.read('.mesh/team/developer.md');
    await finger.goTo('Team', 'Team');
    const developer = page.getByRole('list', { name: 'Members' }).getByRole('link', { name: 'Developer', exact: true });
    await finger.tap(developer);
    await finger.expectPage('Developer');
    await finger.tap(page.getByRole('button', { name: 'Delete', exact: true }));
    const deletion = page.getByRole('dialog', { name: 'Delete Developer' });
    await finger.write(deletion.getByLabel('Type developer to confirm'), 'developer');
    await finger.tap(deletion.getByRole('button', { name: /^Delete/ }));
    await finger.expectPage('Team');
    await expect(developer).toHaveCount(0);
    // Without the messages, which end at their own time.
    await finger.open(project, '/team');
    await finger.tap(page.getByText('Removed in the last 30 days (1)'));
    await finger.tap(page.getByRole('button', { name: 'Restore developer' }));
    await expect(developer).toBeVisible();
    expect(project.read('.mesh/team/developer.md')).toBe(before);
  });
});
