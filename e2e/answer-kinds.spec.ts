import type { AskRecord } from '../daemon/contract/asks.js';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

const KINDS = [
  ['What does this project do?', 'found', 'Found'],
  ['What is the angle of the sun at night?', 'likely', 'Probably here'],
  ['Which Kubernetes ingress controller terminates the payments webhook?', 'none', 'Not found'],
] as const;

for (const [question, confidence, word] of KINDS) {
  test(`an answer that is ${confidence} is told apart, in a request and in a conversation`, async ({
    page,
    project,
  }) => {
    const { request_id, conv, ...record } = await project.answer('consultant', question);
    expect(record).toMatchObject({ confidence, searched: { files: expect.any(Number), left_out: 0 } });
    await open(page, project, `/requests/${request_id}`);
    const answer = page.getByRole('region', { name: 'Answer' });
    await expect(answer.getByText(word, { exact: true })).toBeVisible();
    await expect(answer.getByText(/^\d+ files searched$/)).toBeVisible();
    await expectAccessible(page);
    await open(page, project, `/talk/${conv}`);
    const log = page.getByRole('log', { name: 'Transcript' });
    await expect(log.getByText(word, { exact: true })).toBeVisible();
    await expectAccessible(page);
    await open(page, project, '/requests');
    const last = page.getByRole('list', { name: 'Requests' }).getByRole('listitem').filter({ hasText: question });
    await expect(last).toContainText(confidence === 'found' ? /\d quotes? verified/ : word);

    const printed = await project.meshd('ask', 'consultant', question);
    expect(printed).toMatch(new RegExp(`^\\S ${word}: .*\\d+ files searched\\n\\n`));
  });
}

test('a quote that has moved is opened at its new lines, and one that has changed is shown as such', async ({
  page,
  project,
}) => {
  const { request_id, conv } = await project.answer('consultant', 'When do the lights go on?');
  const readme = project.read('README.md');
  project.write('README.md', `Read this first.\n\n${readme}`);
  project.write('src/dusk.ts', 'export const night = true;\n');
  const seen = async () => (await project.api<AskRecord>('GET', `/requests/${request_id}`)).citations ?? [];
  await expect
    .poll(async () => (await seen()).map(({ status }) => status).sort())
    .toEqual(['changed', 'moved', 'moved']);

  await open(page, project, `/requests/${request_id}`);
  const citations = page.getByRole('region', { name: /^Citations/ });
  await expect(citations).toContainText('2 of 3 quotes verified, 1 changed since');
  const changed = citations.getByRole('listitem').filter({ hasText: 'src/dusk.ts' });
  await expect(changed).toContainText('changed: this quote is no longer in the file');
  await expect(changed.getByRole('link')).toHaveCount(0);
  await tabTo(page, changed.getByText('What changed'));
  await page.keyboard.press('Enter');
  const diff = changed.getByRole('region', { name: 'What changed in src/dusk.ts:1-6' });
  await expect(diff).toContainText('removed: export const DUSK_ANGLE_DEGREES = -6;');
  await expect(diff).toContainText('added: export const night = true;');
  await expect(changed.getByRole('link', { name: 'Open the file' })).toBeVisible();
  const moved = citations.getByRole('listitem').filter({ hasText: 'moved here from line 11' });
  await expect(moved.getByRole('link', { name: 'README.md:13' })).toBeVisible();
  const answer = page.getByRole('region', { name: 'Answer' });
  await expect(answer).toContainText('now line 13');
  await expect(answer).toContainText('src/dusk.ts:1-6changed');
  await expectAccessible(page);

  const receipt = page.getByRole('region', { name: 'Receipt' });
  await receipt.getByRole('button', { name: 'Verify' }).click();
  await expect(receipt.getByRole('status')).toContainText('Signature verified in this browser.');
  await moved.getByRole('link', { name: 'README.md:13' }).click();
  await expect(page).toHaveURL(/file=README\.md&from=13&to=13/);
  const file = page.getByRole('dialog', { name: 'README.md:13' });
  await expect(file.locator('li[class*=cited]')).toContainText('LAMP_ANGLE');

  await open(page, project, `/talk/${conv}`);
  const log = page.getByRole('log', { name: 'Transcript' });
  await expect(log.getByRole('link', { name: 'README.md:13' })).toBeVisible();
  await expect(log).toContainText('changed: this quote is no longer in the file');
  await expectAccessible(page);

  // The receipt of the changed record verifies offline too.
  project.write('record.json', JSON.stringify(await project.api('GET', `/requests/${request_id}`)));
  expect(await project.meshd('verify', 'record.json')).toContain('Valid');
});
