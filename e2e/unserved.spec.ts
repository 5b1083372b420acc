import { expect, expectAccessible, open, test } from './fixtures.js';

const FILE = '.mesh/team/consultant.md';

test('what a file offers to callers and cannot is said on the member’s page, field by field, until it is mended', async ({
  page,
  project,
}) => {
  await open(page, project, '/team/consultant');
  const notice = page.getByText('Some settings in this file are not active.');
  await expect(page.getByRole('heading', { level: 1, name: 'Consultant' })).toBeVisible();
  await expect(notice).toBeHidden();
  const text = project.read(FILE);
  const broken =
    'payment: { modes: [x402], wallet: abc }\nskills:\n  - { id: "<b>bold</b>", description: Counts. }\n---\n';
  project.write(FILE, text.replace(/\n---\n/, `\n${broken}`));
  await expect(notice).toBeVisible();
  for (const field of ['payment.wallet', 'skills.0.id']) await expect(page.getByText(field)).toBeVisible();
  await expectAccessible(page);
  project.write(FILE, text);
  await expect(notice).toBeHidden();
});
