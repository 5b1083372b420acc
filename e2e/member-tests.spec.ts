import type { MemberTests } from '../daemon/contract/member-tests.js';
import type { MemberDetail } from '../daemon/contract/team.js';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

const FILE = '.mesh/asks/developer.md';
const TESTS = `---
blocks_exposure: true
---

## On which port does it listen?

- cites: README.md:5-7
- says: 8123

## Which opera did the harbour master write?

- not found
`;

test('what a member must answer is begun, mended and run, and stays internal until it passes', async ({
  page,
  project,
}) => {
  // Without a model only a member that does not work answers.
  await project.api('PATCH', '/team/developer', { tools: ['read', 'search'] });
  await open(page, project, '/team/developer');
  await page.getByRole('link', { name: 'Tests', exact: true }).click();
  const begin = page.getByRole('button', { name: 'Start from its examples' });
  await expectAccessible(page);
  await begin.click();
  await expect(page.getByText(`Wrote ${FILE}`)).toBeVisible();

  // A syntax error is rejected with its line, and the text stays.
  const area = page.getByRole('textbox', { name: FILE });
  await area.fill(TESTS.replace('cites:', 'quotes:'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(/^Line 7: `quotes: README\.md:5-7` is not an expectation/)).toBeVisible();
  await page.getByRole('button', { name: 'Go to line 7' }).click();
  await expect(area).toBeFocused();
  await expectAccessible(page);
  await area.fill(TESTS.replace('says: 8123', 'says: /port (?:80|443)/'));
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText(`Saved ${FILE}`)).toBeVisible();
  expect(project.read(FILE)).toContain('port (?:80|443)');
  await expect(page.getByText('The member stays internal.')).toBeVisible();

  // By keyboard: runs the tests, and shows what was missing and the request.
  const run = page.getByRole('button', { name: 'Run', exact: true });
  await tabTo(page, run);
  await page.keyboard.press('Enter');
  const tests = page.getByRole('region', { name: /^Tests/ });
  await expect(tests.getByText('1 of 2 failed')).toBeVisible();
  await expect(tests.getByText('Does not say /port (?:80|443)/.')).toBeVisible();
  await expectAccessible(page);

  await page.getByRole('link', { name: 'API access' }).click();
  await page.getByRole('switch', { name: 'Internal' }).click();
  await expect(page.getByText(/1 of 2 tests of `developer` failed/)).toBeVisible();
  await expect(page.getByText('tests: 1 of 2 failed')).toBeVisible();
  await expectAccessible(page);

  // After the file was fixed on disk, the page shows the change, and a single question is run again.
  await page.getByRole('link', { name: 'Run its tests' }).click();
  project.write(FILE, TESTS);
  await expect(tests.getByText(/have changed since/)).toBeVisible();
  await page.getByRole('button', { name: 'Run again' }).click();
  await expect(tests.getByText('2 passed')).toBeVisible();
  await expect(page.getByText('have passed: the member can be exposed')).toBeVisible();
  await tests.getByRole('link', { name: 'The request of: On which port does it listen?' }).click();
  await expect(page.getByText('asked by your tests', { exact: true })).toBeVisible();
  await page.goBack();

  await page.getByRole('link', { name: 'API access' }).click();
  await page.getByRole('switch', { name: 'Internal' }).click();
  await expect(page.getByRole('switch', { name: 'Exposed to programs on this machine' })).toBeVisible();
  const { last_run } = await project.api<MemberTests>('GET', '/team/developer/tests');
  expect(last_run).toMatchObject({ passed: 2, failed: 0, current: true });
  // The switch changes at once; the member is exposed only when the daemon has responded.
  await expect.poll(async () => (await project.api<MemberDetail>('GET', '/team/developer')).exposure).toBe('external');
  const card = await project.api<{ tests: unknown }>('GET', '/team/developer/.well-known/agent.json');
  expect(card.tests).toEqual({ passed: 2, failed: 0, at: last_run?.at, current: true });
});

test('a file that opens a member whose tests have not passed is said to be kept shut, until the command line has run them', async ({
  page,
  project,
}) => {
  await project.api('PATCH', '/team/developer', { tools: ['read', 'search'] });
  project.write(FILE, TESTS);
  project.write(
    '.mesh/team/developer.md',
    project.read('.mesh/team/developer.md').replace(/^---\n/, '---\nexposure: external\n'),
  );
  await expect(project.api('POST', '/team/developer/expose')).rejects.toThrow('tests_failed');
  await open(page, project, '/team/developer');
  const notice = page.getByText('This member is internal, although its file exposes it.');
  await expect(notice).toBeVisible();
  await expectAccessible(page);
  expect(await project.token('developer')).toBe('');
  expect(await project.meshd('team', 'test', 'developer')).toBe(
    '✓ On which port does it listen?\n✓ Which opera did the harbour master write?\n',
  );
  await expect(notice).toBeHidden();
  await expect.poll(() => project.token('developer')).toMatch(/^mk_/);
});
