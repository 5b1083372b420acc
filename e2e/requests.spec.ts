import type { Page } from '@playwright/test';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

const rows = (page: Page) => page.getByRole('list', { name: 'Requests' }).getByRole('listitem');

test('a request arrives from outside and is answered before one’s eyes', async ({ page, context, project }) => {
  await open(page, project, '/requests');
  await expect(page.getByText('No requests yet.')).toBeVisible();
  await expect(page.getByRole('link', { name: 'Copy curl' })).toBeVisible();
  const desk = await context.newPage();
  await open(desk, project);
  for (const tab of [page, desk]) await tab.evaluate(() => Object.assign(window, { isSamePage: true }));

  await project.holdAnswers();
  await project.ask('consultant', 'What does this project do?');
  const row = rows(page).filter({ hasText: 'What does this project do?' });
  await expect(row.getByText('working', { exact: true })).toBeVisible();
  await expect(row).toContainText('consultant · asked by harbour-clock/2.1');
  await expect(page).toHaveTitle(/^\(1\) Requests/);
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Requests 1 under way' }),
  ).toBeVisible();
  await expect(
    desk.getByRole('region', { name: /^Working now/ }).getByText('What does this project do?'),
  ).toBeVisible();

  project.releaseAnswers();
  await expect(row.getByText('answered', { exact: true })).toBeVisible();
  await expect(row).toContainText(/(?<!of )(?<!\d)\d+ quotes? verified/);
  await expect(page).toHaveTitle(/^Requests/);
  await expect(
    desk.getByRole('region', { name: /^Recently answered/ }).getByText('What does this project do?'),
  ).toBeVisible();
  await expect(desk.getByRole('region', { name: /^Working now/ }).getByText('Nothing is running.')).toBeVisible();
  for (const tab of [page, desk]) expect(await tab.evaluate(() => 'isSamePage' in window)).toBe(true);
  await expectAccessible(page);
  await expectAccessible(desk);
});

test('requests at work are watched, wait in line, and can be stopped', async ({ page, project }) => {
  await open(page, project, '/requests');
  await project.holdAnswers();
  const running = await project.ask('consultant', 'Which port does it listen on?');
  for (const number of [2, 3, 4]) await project.ask('consultant', `Question ${number}?`);
  await project.ask('consultant', 'When do the lights go on?');
  await rows(page).getByRole('link', { name: 'When do the lights go on?' }).click();
  const status = page.locator('main').getByRole('status');
  await expect(status.getByText('queued', { exact: true })).toBeVisible();
  await expect(page.getByText('Next in line.')).toBeVisible();
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(status.getByText('stopped', { exact: true })).toBeVisible();

  await page.goBack();
  const last = rows(page).filter({ hasText: 'Question 4?' });
  await last.getByRole('button', { name: 'Stop “Question 4?”' }).click();
  await expect(last.getByText('stopped', { exact: true })).toBeVisible();
  await rows(page).getByRole('link', { name: 'Which port does it listen on?' }).click();
  await expect(status.getByText('working', { exact: true })).toBeVisible();
  const polls = page.getByRole('region', { name: 'Timeline' }).getByRole('listitem').last();
  await expect(polls).toHaveText('no poll yet');
  await project.api('GET', running.poll, undefined, { authorization: `Bearer ${await project.token('consultant')}` });
  await expect(polls).toHaveText('polled once, the caller is waiting');
  await page.getByRole('button', { name: 'Stop' }).click();
  await expect(status.getByText('stopped', { exact: true })).toBeVisible();
  await expect(page.getByText('cancelled', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Stop' })).toHaveCount(0);
  project.releaseAnswers();
  await expectAccessible(page);

  await page.goBack();
  await expect(rows(page).getByText('answered', { exact: true })).toHaveCount(2);
  await expect(rows(page).getByText('stopped', { exact: true })).toHaveCount(3);
});

test.describe('on an agent program', () => {
  test.use({ client: 'claude-code' });

  test('a request at work says what was done last, and for how long nothing was', async ({ page, agent, project }) => {
    agent.plays(
      { tool: { name: 'Read', input: { file_path: 'README.md' }, output: 'the whole file' } },
      { tool: { name: 'Grep', input: { pattern: 'PORT' }, unfinished: true } },
      agent.gate('found'),
      { text: 'It listens on 8123.' },
    );
    await open(page, project, '/requests');
    await project.ask('consultant', 'Which port does it listen on?');
    const row = rows(page).filter({ hasText: 'Which port does it listen on?' });
    await expect(row.getByText(/asked by harbour-clock\/2\.1 · Grep PORT$/)).toBeVisible();
    await page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 16_000;
    });
    await expect(row.getByText(/ · Grep PORT · silent for \d+ s$/)).toBeVisible();
    await page.getByRole('link', { name: /^Home/ }).click();
    await expect(page.getByRole('region', { name: /^Working now/ }).getByText(/ · Grep PORT/)).toBeVisible();
    agent.open('found');
    const answered = page.getByRole('region', { name: /^Recently answered/ });
    await expect(answered.getByText('Which port does it listen on?')).toBeVisible();
    await expect(page.getByText('Grep PORT')).toHaveCount(0);

    // Its conversation may be listed beside it, under the same words.
    await answered.getByRole('link', { name: 'Which port does it listen on?' }).click();
    await expect(page.getByText('It listens on 8123.', { exact: true })).toBeVisible();
    await expect(page.getByText('No quotes: nothing in this answer was verified against the files.')).toBeVisible();
  });
});

test('filters stand in the address and survive a reload', async ({ page, project }) => {
  await project.api('PATCH', '/team/developer', { exposure: 'external' });
  await project.answer('consultant', 'Which port does it listen on?');
  await project.answer('consultant', 'When do the lights go on?');
  await project.answer('developer', 'Which port does it listen on?');
  await open(page, project, '/requests');
  await expect(rows(page)).toHaveCount(3);
  await expect(page.getByText('3 requests')).toBeVisible();
  await page.getByRole('searchbox', { name: 'Text in the question or answer' }).fill('port');
  await expect(rows(page).filter({ hasText: 'Which port' })).toHaveCount(2);
  await page.getByLabel('Member').selectOption('consultant');
  await page.getByLabel('State').selectOption({ label: 'answered' });
  await page.getByLabel('Since').selectOption({ label: 'The last hour' });
  await page.getByRole('searchbox', { name: 'Caller' }).fill('Harbour');
  await expect
    .poll(() => Object.fromEntries(new URL(page.url()).searchParams))
    .toEqual({ q: 'port', member: 'consultant', status: 'done', since: 'hour', caller: 'Harbour' });
  await expect(rows(page).filter({ hasText: 'developer ·' })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('searchbox', { name: 'Text in the question or answer' })).toHaveValue('port');
  await expect(page.getByRole('searchbox', { name: 'Caller' })).toHaveValue('Harbour');
  await expect(page.getByLabel('Member')).toHaveValue('consultant');
  await expect(page.getByLabel('State')).toHaveValue('done');
  await expect(page.getByLabel('Since')).toHaveValue('hour');
  await expect(rows(page).filter({ hasText: 'Which port' })).toHaveCount(1);
  await page.getByLabel('State').selectOption({ label: 'failed or stopped' });
  await expect(page.getByText('No request matches these filters.')).toBeVisible();
  await expectAccessible(page);
  await page.getByLabel('State').selectOption('');
  await page.getByRole('searchbox', { name: 'Caller' }).fill('curl');
  await expect(page.getByText('No request matches these filters.')).toBeVisible();
  await page.getByRole('button', { name: 'Clear the filters' }).click();
  await expect(rows(page)).toHaveCount(3);

  // The request to developer failed, so it has no kind of answer.
  const kind = page.getByLabel('Kind of answer');
  await kind.selectOption({ label: 'Not found' });
  await expect(page.getByText('No request matches these filters.')).toBeVisible();
  await tabTo(page, kind);
  await page.keyboard.press('ArrowUp');
  await expect(page).toHaveURL(/kind=likely$/);
  await expect(rows(page).filter({ hasText: 'Probably here' })).toHaveCount(2);
  await expect(page.getByText('2 requests')).toBeVisible();
});

test('who reads further down is not moved by what arrives', async ({ page, project }) => {
  for (let number = 1; number <= 24; number += 1) await project.answer('consultant', `Question ${number}: which port?`);
  await open(page, project, '/requests');
  await expect(rows(page)).toHaveCount(24);
  const read = rows(page).filter({ hasText: 'Question 8:' });
  await read.scrollIntoViewIfNeeded();
  await page.evaluate(() => window.scrollBy({ top: 300, behavior: 'instant' }));
  await expect.poll(() => page.evaluate(() => window.scrollY)).toBeGreaterThan(200);
  const before = (await read.boundingBox())?.y;
  await project.answer('consultant', 'When do the lights go on?');
  const pill = page.getByRole('button', { name: '1 new' });
  await expect(pill).toBeInViewport();
  expect((await read.boundingBox())?.y).toBe(before);
  await expectAccessible(page);
  await pill.click();
  await expect(rows(page)).toHaveCount(25);
  await expect(rows(page).first()).toContainText('When do the lights go on?');
  await expect(rows(page).first()).toBeInViewport();
  await expect(pill).toHaveCount(0);
});

test('a request’s page holds all there is to know of it', async ({ page, project }) => {
  const note = { filename: 'note.txt', content: 'The harbour master wants it in writing.' };
  const { request_id } = await project.answer('consultant', 'What is the default of LAMP_ANGLE?', {
    context_docs: [note],
  });
  await open(page, project, '/requests');
  await rows(page).getByRole('link', { name: 'What is the default of LAMP_ANGLE?' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Ask to Consultant' })).toBeVisible();
  await expect(page).toHaveTitle(/^answered: What is the default of LAMP_ANGLE\?/);
  await page.getByText('1 document attached').click();
  await expect(page.getByRole('figure').filter({ hasText: 'note.txt' }).first()).toContainText(note.content);
  await expect(page.getByRole('region', { name: 'Answer' })).toContainText('-6');
  const citations = page.getByRole('region', { name: /^Citations/ });
  await expect(citations.getByText('quote verified', { exact: true }).first()).toBeVisible();

  const timeline = page.getByRole('region', { name: 'Timeline' });
  for (const moment of ['asked', 'builtin began', 'answered', 'collected by the caller'])
    await expect(timeline.getByText(moment, { exact: true })).toBeVisible();
  await expect(timeline).toContainText(/polled (once|[0-9]+ times), collected/);
  await expect(page.getByRole('region', { name: 'Caller' })).toContainText('harbour-clock/2.1');
  await expect(page.getByRole('region', { name: 'Run' })).toContainText('builtin');

  const receipt = page.getByRole('region', { name: 'Receipt' });
  await receipt.getByRole('button', { name: 'Verify' }).click();
  await expect(receipt.getByRole('status')).toContainText('Valid.');
  await expect(receipt.getByRole('status')).toContainText('the key is this daemon’s own');
  await expect(receipt.getByRole('status')).toContainText('Signature verified in this browser.');
  await page.getByText('Raw JSON').click();
  await expect(page.getByRole('figure').filter({ hasText: `GET /requests/${request_id}` })).toContainText('"receipt"');
  await expect(page.getByRole('figure').filter({ hasText: 'The original request' })).toContainText(
    'User-Agent: harbour-clock/2.1',
  );
  await expectAccessible(page);

  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export' }).click();
  expect((await saved).suggestedFilename()).toBe(`${request_id}.md`);
  await page.getByRole('link', { name: 'Open as conversation' }).click();
  await expect(page.getByRole('log', { name: 'Transcript' })).toContainText('What is the default of LAMP_ANGLE?');
  await page.goBack();

  await page.getByRole('button', { name: 'Ask again' }).click();
  await expect(page).not.toHaveURL(new RegExp(request_id));
  await expect(page).toHaveURL(/\/app\/requests\/req-[\w-]{16}$/);
  await expect(page.locator('main').getByRole('status').getByText('answered', { exact: true })).toBeVisible();
  await expect(page.getByText('1 document attached')).toBeVisible();
});

test('a request that is not there has a page that says so', async ({ page, project }) => {
  await open(page, project, '/requests/req-AAAAAAAAAAAAAAAA');
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such request' })).toBeVisible();
  await expect(page.getByText('req-AAAAAAAAAAAAAAAA')).toBeVisible();
  await expectAccessible(page);
  await page.getByRole('link', { name: 'Show the requests' }).click();
  await expect(page.getByText('No requests yet.')).toBeVisible();
  await open(page, project, '/no/such/page');
  await expect(page.getByRole('heading', { level: 1, name: 'There is no such page' })).toBeVisible();
  await expectAccessible(page);
});

test('an answer is rated with a reason, found again by its rating, and the rating is withdrawn', async ({
  page,
  project,
}) => {
  await project.ask('consultant', 'What does this project do?');
  await open(page, project, '/requests');
  await rows(page).getByRole('link', { name: 'What does this project do?' }).click();
  const rating = page.getByRole('group', { name: 'Your rating. Only you see it.' });
  await rating.getByRole('button', { name: 'Bad answer' }).click();
  await expect(rating.getByRole('button', { name: 'Bad answer' })).toHaveAttribute('aria-pressed', 'true');
  await page.getByLabel('Why').fill('It leaves the night out.');
  await page.getByRole('button', { name: 'Keep' }).click();
  await expect(page.getByRole('button', { name: 'Keep' })).toHaveAttribute('aria-disabled', 'true');
  await expectAccessible(page);

  await page.goto(`${project.address}/app/requests`);
  await page.getByLabel('Your rating').selectOption('bad answer');
  await expect(rows(page)).toHaveCount(1);
  await expect(rows(page)).toContainText('you rated it bad');
  await page.getByLabel('Your rating').selectOption('good answer');
  await expect(page.getByText('No request matches these filters.')).toBeVisible();

  await page.goto(`${project.address}/app/requests`);
  await rows(page).getByRole('link', { name: 'What does this project do?' }).click();
  await expect(page.getByLabel('Why')).toHaveValue('It leaves the night out.');
  await rating.getByRole('button', { name: 'Bad answer' }).click();
  await expect(rating.getByRole('button', { name: 'Bad answer' })).toHaveAttribute('aria-pressed', 'false');
  await expect(page.getByLabel('Why')).toBeHidden();
});

test('an answer is rated by keyboard alone', async ({ page, project }) => {
  await project.ask('consultant', 'What does this project do?');
  await open(page, project, '/requests');
  await rows(page).getByRole('link', { name: 'What does this project do?' }).click();
  const good = page.getByRole('button', { name: 'Good answer' });
  await expect(good).toBeVisible();
  await tabTo(page, good);
  await page.keyboard.press('Enter');
  await expect(good).toHaveAttribute('aria-pressed', 'true');
  await tabTo(page, page.getByLabel('Why'));
  await page.keyboard.type('Short and right.');
  await page.keyboard.press('Enter');
  await page.reload();
  await expect(page.getByLabel('Why')).toHaveValue('Short and right.');
});

test('the operator sees how an answer was found', async ({ page, project }) => {
  const { request_id } = await project.answer('consultant', 'On which port does it listen?');
  await open(page, project, `/requests/${request_id}`);
  await page.getByText('How this answer was found').click();
  const steps = page.getByRole('list', { name: 'Steps of the answer' }).getByRole('listitem');
  await expect(steps.filter({ hasText: /^Searched passages\d+\.\d ms$/ }).first()).toBeVisible();
  const words = page.getByRole('region', { name: 'Words of the question' });
  await expect(words.getByRole('row', { name: /^port an everyday word/ })).toBeVisible();
  const quoted = page.getByRole('region', { name: 'Candidates' }).getByRole('row', { name: /quoted$/ });
  await expect(quoted.first()).toContainText(/README\.md:\d+.*Words \d/);
  await expectAccessible(page);
  await quoted.first().getByRole('link').click();
  await expect(page.getByRole('dialog')).toContainText('README.md');
});
