import type { Page } from '@playwright/test';
import { expect, open, type Project, test } from '../fixtures.js';
import { IMAGE, LONG, REVERSED, SCRIPT } from './corpus.js';
import { expectHarmless } from './harmless.js';

async function see(page: Page, project: Project, path: string, words: string): Promise<void> {
  await open(page, project, path);
  await expect(page.getByText(words).first()).toBeAttached();
  await expectHarmless(page, path);
}

test('what an address holds is only text', async ({ page, project }) => {
  const { request_id } = await project.answer('consultant', 'Which port does it listen on?');
  const markup = encodeURIComponent(IMAGE);
  await see(page, project, `/requests?q=${markup}&member=${markup}`, 'No request matches these filters.');
  await see(page, project, `/requests/${request_id}?file=${markup}&from=1&to=2`, 'The file could not be read.');
  await see(page, project, `/requests/${markup}`, 'There is no such request');
  await see(
    page,
    project,
    `/find?${new URLSearchParams({ q: `${IMAGE}${REVERSED}`, tags: LONG.slice(0, 60) })}`,
    'In a terminal',
  );
  await see(page, project, `/${markup}?${encodeURIComponent(SCRIPT)}#${markup}`, 'There is no such page');
});

test('a reversed name or file name does not rearrange what stands beside it', async ({ page, project }) => {
  project.write(
    '.mesh/team/hostile.md',
    `---\nname: ${JSON.stringify(`${IMAGE}${REVERSED}`)}\ndescription: Turns words.\n---\n`,
  );
  await open(page, project, '/team');
  const row = page
    .getByRole('list', { name: 'Members' })
    .getByRole('listitem')
    .filter({ has: page.getByText('hostile', { exact: true }) });
  // When the name wraps, its last line must not overlap the id beside it.
  const name = await row.getByRole('link').evaluate((link) => [...link.getClientRects()].at(-1)?.right);
  const id = await row
    .getByText('hostile', { exact: true })
    .evaluate((element) => element.getBoundingClientRect().left);
  expect(name).toBeLessThanOrEqual(id);

  const doc = { filename: `${REVERSED}.md`, content: 'The beacon BEACON_COLOUR is green at sea.' };
  const { request_id } = await project.answer('consultant', 'Which colour is BEACON_COLOUR?', { context_docs: [doc] });
  await open(page, project, `/requests/${request_id}`);
  const file = page
    .getByRole('region', { name: 'Answer' })
    .getByText(/^before.+\.md$/)
    .first();
  await expect(file).toBeVisible();
  expect(await file.evaluate((element) => element.getClientRects().length)).toBe(1);
});
