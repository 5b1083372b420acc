import type { Page } from '@playwright/test';
import { expect, open, type Project, test } from './fixtures.js';
import { expectHarmless, FAR, HOSTILE, IMAGE, LINK, LONG, REVERSED, SCRIPT } from './hostile.js';

const MEMBER = `---
name: ${JSON.stringify(`${IMAGE}${REVERSED}`)}
description: ${JSON.stringify(`${SCRIPT}${LONG.slice(0, 200)}`)}
exposure: external
examples: ${JSON.stringify([`${IMAGE} '"; $(touch struck)`, SCRIPT])}
refs: ${JSON.stringify(['javascript:window.struck=8', LONG])}
tools: ${JSON.stringify([IMAGE.slice(0, 80)])}
${JSON.stringify(IMAGE)}: 1
---
# ${IMAGE}

${HOSTILE}

${LONG}
`;

test.use({
  files: {
    'docs/beacon.md': `# Beacon\n\nThe beacon \`BEACON_COLOUR\` is red ${IMAGE} ${SCRIPT} ${LINK} ${FAR} ${LONG}.\n`,
    'docs/<img src=x onerror=struck=9>.md': '# Foghorn\n\nThe foghorn sounds every FOGHORN_SECONDS, thirty by default.\n',
  },
});

async function see(page: Page, project: Project, path: string, words: string | RegExp): Promise<void> {
  await open(page, project, path);
  await expect(page.getByText(words).first()).toBeAttached();
  await expectHarmless(page, path);
}

test.beforeEach(({ page, project }) => {
  project.write('.mesh/team/hostile.md', MEMBER);
  page.on('dialog', (dialog) => {
    throw new Error(`A dialog opened: ${dialog.message()}`);
  });
});

test('a hostile member file is only text', async ({ page, project }) => {
  await see(page, project, '', 'Open to programs');
  await see(page, project, '/team', IMAGE);
  await see(page, project, '/team/hostile', LONG);
  await see(page, project, '/team/hostile?tab=file', IMAGE);
  await see(page, project, '/team/hostile?tab=file&as=raw', IMAGE);
  await see(page, project, '/team/hostile?tab=door', IMAGE);
  await see(page, project, '/team/hostile?tab=door&snippet=card', 'agent.json as it is served now');
  await see(page, project, '/system', IMAGE);
  const agentId = `${project.root.split('/').at(-1)}-hostile`;
  await see(page, project, `/agents/${agentId}`, SCRIPT);
  await page.getByRole('button', { name: 'Read its public card' }).click();
  await expect(page.getByText('The card as it was read')).toBeVisible();
  await expectHarmless(page, 'its public card');
  await see(page, project, '/find', SCRIPT);
  await see(page, project, `/find?${new URLSearchParams({ q: `${IMAGE}${REVERSED}`, tags: LONG.slice(0, 60) })}`, 'In a terminal');
  await open(page, project, '/requests');
  await page.keyboard.press('ControlOrMeta+k');
  await page.getByRole('dialog', { name: 'Go to' }).getByRole('combobox').fill('hostile');
  await expect(page.getByRole('listbox').getByRole('option')).toHaveText([/^<img/, new RegExp(agentId), /Find agents for “hostile”/]);
  await expectHarmless(page, 'palette');
});

test('a hostile question, its documents, its caller and its answer are only text', async ({ page, project }) => {
  const token = await project.token('hostile');
  const asked = await project.api<{ request_id: string; poll: string }>(
    'POST',
    '/team/hostile/ask',
    {
      text: `What is BEACON_COLOUR? ${HOSTILE} ${LONG}`,
      session: 'hostile',
      context_docs: [{ filename: `${IMAGE}${REVERSED}.md`, content: `BEACON_COLOUR ${HOSTILE}` }],
    },
    { authorization: `Bearer ${token}`, 'user-agent': `${IMAGE} ${LONG}`, 'idempotency-key': IMAGE },
  );
  const record = await project.api<{ status: string }>('GET', `${asked.poll}?wait=30`, undefined, { authorization: `Bearer ${token}` });
  expect(record.status).toBe('done');
  await see(page, project, '', /What is BEACON_COLOUR/);
  await see(page, project, '/requests', /What is BEACON_COLOUR/);
  await see(
    page,
    project,
    `/requests?q=${encodeURIComponent(IMAGE)}&member=${encodeURIComponent(IMAGE)}`,
    'No request fits these filters.',
  );
  await see(page, project, `/requests/${asked.request_id}`, /What is BEACON_COLOUR/);
  await page.getByText('1 document sent along').click();
  await page.getByText('Raw JSON').click();
  await expectHarmless(page, 'the request, opened');
});

test('hostile files are cited, opened and shown as text', async ({ page, project }) => {
  const beacon = await project.answer('consultant', 'Which colour is BEACON_COLOUR?');
  expect(beacon.citations?.map(({ path }) => path)).toContain('docs/beacon.md');
  await open(page, project, `/requests/${beacon.request_id}`);
  await page
    .getByRole('list', { name: 'Citations' })
    .getByRole('link', { name: /beacon\.md/ })
    .first()
    .click();
  await expect(page.getByRole('dialog').getByText(IMAGE)).toBeVisible();
  await expectHarmless(page, 'the cited file');
  await see(page, project, `/requests/${beacon.request_id}?file=${encodeURIComponent(IMAGE)}&from=1&to=2`, 'The file could not be read.');
  await see(page, project, `/requests/${encodeURIComponent(IMAGE)}`, 'There is no such request');
  await see(
    page,
    project,
    `/${encodeURIComponent(IMAGE)}?${encodeURIComponent(SCRIPT)}#${encodeURIComponent(IMAGE)}`,
    'There is no such page',
  );
});

test('a reversed name or file name does not rearrange what stands beside it', async ({ page, project }) => {
  await open(page, project, '/team');
  const row = page
    .getByRole('list', { name: 'Members' })
    .getByRole('listitem')
    .filter({ has: page.getByText('hostile', { exact: true }) });
  // Of a name that takes more than one line, the last has the id beside it.
  const name = await row.getByRole('link').evaluate((link) => [...link.getClientRects()].at(-1)?.right);
  const id = await row.getByText('hostile', { exact: true }).evaluate((element) => element.getBoundingClientRect().left);
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
