import { readFileSync } from 'node:fs';
import type { Page } from '@playwright/test';
import type { MessageList } from '../daemon/contract/conversations.js';
import { expect, expectAccessible, holdNext, open, test, WITH_MOTION } from './fixtures.js';

test.use(WITH_MOTION);

test.use({ client: 'claude-code' });

const log = (page: Page) => page.getByRole('log', { name: 'Transcript' });
const status = (page: Page) => page.locator('main header').getByRole('status');
const box = (page: Page) => page.getByRole('textbox', { name: 'Message to Developer' });
const sendMessage = async (page: Page, words: string) => {
  await box(page).fill(words);
  await box(page).press('Enter');
};

/** Returns where a word of the element begins on the screen, from the left. */
function findLeft(element: Element, word: string): number {
  const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const at = texts.currentNode.nodeValue?.indexOf(word) ?? -1;
    if (at === -1) continue;
    const range = document.createRange();
    range.setStart(texts.currentNode, at);
    range.setEnd(texts.currentNode, at + word.length);
    return range.getBoundingClientRect().left;
  }
  return Number.NaN;
}

const FIRST_HALF =
  '## At dusk\n\nThe angle stands in `src/dusk.ts`:\n\n```ts\nexport const DUSK_ANGLE_DEGREES = -6;\n```\n\n';
const SECOND_HALF = '| setting | default |\n|---|---|\n| `LAMP_ANGLE` | **-6** |\n\nNothing else decides it.';

test('a member is talked to from its page: the answer streams, and its tools say what they did', {
  tag: '@flow',
}, async ({ page, context, agent, project }) => {
  agent.plays(
    { tool: { name: 'Read', input: { file_path: 'src/dusk.ts' }, output: 'the whole file' } },
    { tool: { name: 'Bash', input: { command: 'npm test' }, output: '1 failed', failed: true } },
    { tool: { name: 'Grep', input: { pattern: 'isDusk' }, unfinished: true } },
    { text: FIRST_HALF },
    agent.gate('half'),
    { text: SECOND_HALF },
  );
  const desk = await context.newPage();
  await open(desk, project);
  await open(page, project, '/team/developer');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await expect(page).toHaveURL(/\/app\/talk\/conv-[\w-]{16}$/);
  await expect(page.getByText('No messages yet.')).toBeVisible();
  await expect(box(page)).toBeFocused();
  expect(await page.evaluate(() => document.documentElement.scrollHeight - window.innerHeight)).toBe(0);
  await expect(box(page)).toBeEditable();
  await expectAccessible(page);

  await page.keyboard.type('@dusk');
  const files = page.getByRole('listbox', { name: 'Files of the project' });
  await expect(files.getByRole('option', { name: 'src/dusk.ts', selected: true })).toBeVisible();
  await expectAccessible(page);
  await page.keyboard.press('Escape');
  await expect(files).toBeHidden();
  await expect(box(page)).toHaveValue('@dusk');
  await page.keyboard.type('.');
  await expect(files).toBeHidden();
  await box(page).fill('');
  await page.keyboard.type('@dusk.t');
  await expect(files.getByRole('option')).toHaveText(['src/dusk.ts']);
  await page.keyboard.press('Tab');
  await expect(box(page)).toHaveValue('@src/dusk.ts ');
  await expect(box(page)).toBeFocused();
  await box(page).fill('');

  await page.keyboard.type('When do the lights go on?');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'When do the lights go on?' })).toBeVisible();
  await expect(log(page).getByRole('heading', { name: 'At dusk' })).toBeVisible();
  await expect(log(page).getByText('DUSK_ANGLE_DEGREES')).toBeVisible();
  await expect(log(page).getByText('```')).toHaveCount(0);
  await expect(status(page)).toHaveText('working');
  const tools = log(page).getByRole('list', { name: 'Tools used' }).getByRole('listitem');
  await expect(tools).toHaveText([
    /^Read src\/dusk\.ts · \d+ ms done/,
    /^Bash npm test · \d+ ms failed/,
    /^Grep isDusk working$/,
  ]);
  await expect(
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Conversations 1 under way' }),
  ).toBeVisible();
  const working = desk.getByRole('region', { name: /^Working now/ });
  await expect(working.getByRole('link', { name: 'When do the lights go on?' })).toBeVisible();
  // What runs comes before the first steps.
  await expect(working.locator('xpath=following::section[@aria-label="First steps"]')).toBeVisible();
  await expect(working.getByRole('list', { name: 'Last actions' }).getByRole('listitem')).toHaveText([
    /^Read src\/dusk\.ts/,
    /^Bash npm test .* failed$/,
    /^Grep isDusk · running$/,
  ]);
  await expectAccessible(page);
  await expectAccessible(desk);

  agent.open('half');
  await expect(status(page)).toHaveText('answered');
  await expect(log(page).getByRole('cell', { name: 'LAMP_ANGLE' })).toBeVisible();
  await expect(tools.last()).toHaveText(/^Grep isDusk · [\d.]+ m?s done$/);
  await expect(log(page).getByText(/· claude-code · .*25 tokens in, 24 out, \$0\.0125$/)).toBeVisible();
  await expect(working.getByText('Nothing is running.')).toBeVisible();
  await tools.first().locator('summary').click();
  await expect(tools.first().getByText('the whole file')).toBeVisible();
  await expectAccessible(page);

  await page
    .getByRole('complementary', { name: 'About this conversation' })
    .getByRole('link', { name: 'src/dusk.ts' })
    .click();
  await expect(page.getByRole('dialog', { name: /src\/dusk\.ts/ }).getByText('export function isDusk')).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toHaveCount(0);
  await page.reload();
  await expect(log(page).getByRole('cell', { name: 'LAMP_ANGLE' })).toBeVisible();
  await expect(tools).toHaveCount(3);
});

test('a conversation begun in Talk is named, pinned, put away, brought back and taken along', async ({
  page,
  agent,
  project,
}) => {
  agent.plays({ text: 'It is the **sixth** lamp.' });
  await open(page, project, '/talk');
  await expect(page.getByText('No conversations yet.')).toBeVisible();
  await page.getByRole('button', { name: 'New conversation' }).first().click();
  const begin = page.getByRole('dialog', { name: 'New conversation' });
  await begin.getByLabel('With').selectOption('developer');
  await expectAccessible(page);
  await begin.getByRole('button', { name: 'Start' }).click();
  await sendMessage(page, 'Which lamp is it?');
  await expect(status(page)).toHaveText('answered');

  await page.getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByRole('textbox', { name: 'Title' })).toHaveValue('Which lamp is it?');
  await page.keyboard.type('The sixth lamp');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'The sixth lamp' })).toBeVisible();
  await expect(page).toHaveTitle(/^The sixth lamp/);
  await page.getByRole('button', { name: 'Pin', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeVisible();

  for (const [format, whole] of [
    [
      'Markdown',
      /^# The sixth lamp\n\ndeveloper, since .*\n\n## You, .*\n\nWhich lamp is it\?\n\n## developer, .*\n\nIt is the \*\*sixth\*\* lamp\.\n$/,
    ],
    ['HTML', /^<!doctype html>.*<h1>The sixth lamp<\/h1>[\s\S]*It is the \*\*sixth\*\* lamp\.[\s\S]*<\/html>\n$/],
    ['JSON lines', /^\{.*"role":"user".*\}\n\{.*"role":"assistant".*\}\n$/],
  ] as const) {
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: format, exact: true }).click();
    expect(readFileSync(await (await download).path(), 'utf8')).toMatch(whole);
  }

  const main = page.getByRole('navigation', { name: 'Main' });
  await main.getByRole('link', { name: 'Conversations' }).click();
  const pinned = page.getByRole('list', { name: 'Pinned' }).getByRole('listitem');
  await expect(pinned).toContainText('Developer · It is the sixth lamp.');
  const conv = (await pinned.getByRole('link').getAttribute('href'))?.split('/').at(-1);
  const unread = async () => (await project.api<{ unread: number }>('GET', `/conversations/${conv}`)).unread;
  await expect.poll(unread).toBe(0);
  agent.plays({ text: 'The seventh is dark.' });
  await project.api('POST', `/conversations/${conv}/messages`, { text: 'And the seventh?' });
  await expect(pinned.getByText('1 new')).toBeVisible();
  await expectAccessible(page);
  await pinned.getByRole('link', { name: 'The sixth lamp' }).click();
  await expect.poll(unread).toBe(0);

  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByText('Archived. It stays readable.')).toBeVisible();
  await page.getByRole('button', { name: 'Undo' }).click();
  await expect(page.getByRole('button', { name: 'Archive', exact: true })).toBeVisible();
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Unarchive' })).toBeVisible();

  await main.getByRole('link', { name: 'Conversations' }).click();
  await expect(page.getByText('No conversations yet.')).toBeVisible();
  await page.getByRole('searchbox').fill('sixth');
  const archived = page.getByRole('region', { name: /^Archived/ });
  await expect(archived.getByRole('listitem')).toHaveText(/The sixth lamp/);
  await expectAccessible(page);
  await archived.getByRole('button', { name: 'Show them all' }).press('Enter');
  await expect(page).toHaveURL(/show=archived/);
  await page.getByRole('link', { name: 'The sixth lamp' }).click();
  await expect(log(page).getByText('It is the sixth lamp.')).toBeVisible();
  await page.getByRole('button', { name: 'Unarchive' }).click();
  await expect(page.getByText('Unarchived.')).toBeVisible();
  await main.getByRole('link', { name: 'Conversations' }).click();
  await expect(pinned).toHaveCount(1);
});

test('a turn that failed says why and is said again', async ({ page, agent, project }) => {
  agent.plays({ text: 'I begin. ' }, { error: 'The model is overloaded.' });
  await open(page, project, '/team/developer');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await sendMessage(page, 'Which port is it?');
  await expect(status(page)).toHaveText('failed');
  await expect(log(page).getByText('I begin.')).toBeVisible();
  await expect(
    log(page).getByText('The client failed: Claude Code could not answer: The model is overloaded.'),
  ).toBeVisible();
  await expectAccessible(page);
  agent.plays({ text: 'Port 8123.' });
  await log(page).getByRole('button', { name: 'Retry' }).click();
  await expect(status(page)).toHaveText('answered');
  await expect(log(page).getByText('Port 8123.')).toBeVisible();
  await expect(log(page).getByText('Which port is it?')).toHaveCount(2);
});

test('a / at the start names a command: it is run and never said', async ({ page, agent, project }) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
  const keys = page.keyboard;
  const commands = page.getByRole('listbox', { name: 'Commands' });
  const problem = page.locator('main form').getByRole('alert');
  const run = async (typed: string) => {
    await expect(page.locator('main form:has(textarea) button[type=submit]')).not.toHaveAttribute('aria-busy');
    await keys.press('ControlOrMeta+a');
    await keys.type(typed);
    await keys.press('Enter');
  };
  await open(page, project, `/talk/${conv}`);
  await expect(box(page)).toBeFocused();
  await expect(box(page)).toBeEditable();
  await keys.type('/');
  await expect(commands.getByRole('option', { name: '/help list these commands', selected: true })).toBeVisible();
  await keys.press('ArrowDown');
  await expect(commands.getByRole('option', { selected: true })).toHaveText(/^\/stop stop the running turn/);
  await expectAccessible(page);
  await keys.press('Escape');
  await expect(commands).toBeHidden();
  await expect(box(page)).toHaveValue('/');
  await expect(box(page)).toBeFocused();

  await keys.press('Backspace');
  await run('/sto');
  await expect(problem).toHaveText('Nothing is running.');
  await expect(box(page)).toHaveValue('/stop');
  await run('/etc/hosts');
  await expect(problem).toHaveText(/^\/etc\/hosts is not one of \/help \/stop .*begin with \/\/ to send a slash\.$/);
  await expect(box(page)).toHaveValue('/etc/hosts');
  await expectAccessible(page);
  await run(`/rename ${'a'.repeat(201)}`);
  await expect(problem).toContainText('Not sent. Your text is still here.');
  await expect(box(page)).toHaveValue(/^\/rename a{201}$/);

  agent.plays({ text: 'I look at it. ' }, agent.gate('never'));
  await run('//etc/hosts');
  await expect(log(page).getByText('I look at it.')).toBeVisible();
  await expect(problem).toHaveCount(0);
  await expect(box(page)).toHaveValue('');
  await run('/stop');
  await expect(status(page)).toHaveText('stopped');
  await expect(log(page).getByRole('button', { name: 'Retry' })).toBeVisible();
  agent.plays({ text: 'It is right.' });
  await run('/retry');
  await expect(status(page)).toHaveText('answered');
  await run('/ren');
  await expect(box(page)).toHaveValue('/rename ');
  await keys.type('The sixth lamp');
  await keys.press('Enter');
  await expect(page.getByRole('heading', { level: 1, name: 'The sixth lamp' })).toBeVisible();
  const download = page.waitForEvent('download');
  await run('/export jsonl');
  expect(readFileSync(await (await download).path(), 'utf8')).toMatch(/"text":"\/etc\/hosts"/);
  await run('/pin');
  await expect(page.getByRole('button', { name: 'Unpin' })).toBeVisible();
  await expect(box(page)).toHaveValue('');
  await keys.press('ArrowUp');
  await expect(box(page)).toHaveValue('//etc/hosts');
  const { messages } = await project.api<MessageList>('GET', `/conversations/${conv}/messages`);
  expect(messages.filter(({ role }) => role === 'user').map(({ text }) => text)).toEqual(['/etc/hosts', '/etc/hosts']);
  await run('/new');
  await expect(page.getByRole('dialog', { name: 'New conversation' }).getByLabel('With')).toHaveValue('developer');
});

test('what is typed while a message is on its way stays, and is said next', async ({ page, project }) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
  await open(page, project, `/talk/${conv}`);
  await expect(box(page)).toBeEditable();
  const sent = holdNext(page, '**/messages', 'POST');
  await box(page).fill('Where is the port set?');
  await page.keyboard.press('Enter');
  await page.keyboard.press('End');
  await page.keyboard.type(' And the angle?');
  await expect(page.getByRole('button', { name: 'Send' })).toHaveAttribute('aria-busy', 'true');
  await (await sent).continue();
  await expect(box(page)).toHaveValue('And the angle?');
  await page.keyboard.press('Enter');
  await expect(box(page)).toHaveValue('');
  // "Run npm test, then git push." in Arabic.
  const arabic = 'شغّل npm test ثم git push.';
  await box(page).fill(arabic);
  expect(await box(page).evaluate((field) => field.matches(':dir(rtl)'))).toBe(true);
  await page.keyboard.press('Enter');
  const [first = 0, second = 0] = await Promise.all(
    ['شغّل', 'npm'].map((word) => log(page).getByText(arabic).evaluate(findLeft, word)),
  );
  expect(first).toBeGreaterThan(second);
  const said = async () => {
    const { messages } = await project.api<MessageList>('GET', `/conversations/${conv}/messages`);
    return messages.filter(({ role }) => role === 'user').map(({ text }) => text);
  };
  await expect.poll(said).toEqual(['Where is the port set?', 'And the angle?', arabic]);
});

test('what is typed outlives Esc and a reload, and the last words come back with ↑', async ({
  page,
  agent,
  project,
}) => {
  agent.plays({ text: 'Yes.' });
  await open(page, project, '/team/developer');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await box(page).fill('Half a thought');
  await page.keyboard.press('Escape');
  await expect(box(page)).not.toBeFocused();
  await expect(box(page)).toHaveValue('Half a thought');
  const docs = page.getByRole('list', { name: 'Attached documents' });
  await page
    .locator('main input[type=file]')
    .setInputFiles({ name: 'dusk.md', mimeType: 'text/plain', buffer: Buffer.from('# Dusk') });
  await expect(docs).toHaveText('dusk.md');
  await page.reload();
  await expect(docs).toHaveText('dusk.md');
  await expect(box(page)).toHaveValue('Half a thought');
  await expect(box(page)).toBeEditable();
  await box(page).press('End');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('and the rest');
  await page.keyboard.press('Enter');
  await expect(status(page)).toHaveText('answered');
  await expect(box(page)).toHaveValue('');
  await expect(docs).toHaveCount(0);
  await page.reload();
  await expect(log(page).getByText('Yes.')).toBeVisible();
  await expect(box(page)).toHaveValue('');
  await expect(box(page)).toBeEditable();
  await box(page).press('ArrowUp');
  await expect(box(page)).toHaveValue('Half a thought\nand the rest');
});

test('new lines are followed by who is at the end and move nobody else', async ({ page, agent, project }) => {
  const lines = (from: string) =>
    Array.from({ length: 30 }, (_, at) => `${from} ${at + 1} of the logbook.\n\n`).join('');
  agent.plays(
    { text: lines('Line') },
    agent.gate('more'),
    { text: lines('Further line') },
    agent.gate('last'),
    { text: lines('Last line') },
    agent.gate('end'),
  );
  const place = () => log(page).evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight);
  await open(page, project, '/team/developer');
  await page.getByRole('button', { name: 'Talk', exact: true }).click();
  await sendMessage(page, 'Read me the logbook');
  await expect(log(page).getByText('Line 30 of the logbook.', { exact: true })).toBeInViewport();
  const pill = page.getByRole('button', { name: /↓$/ });
  await expect(pill).toHaveCount(0);

  await log(page).hover();
  await page.mouse.wheel(0, -600);
  await expect(pill).toHaveText('Streaming ↓');
  await expect.poll(place).toBeGreaterThan(500);
  const before = await log(page).evaluate((element) => element.scrollTop);
  agent.open('more');
  await expect(log(page).getByText('Further line 30 of the logbook.')).toBeAttached();
  expect(await log(page).evaluate((element) => element.scrollTop)).toBe(before);

  await pill.click();
  await expect(pill).toHaveCount(0);
  await expect(log(page).getByText('Further line 30 of the logbook.')).toBeInViewport();
  agent.open('last');
  await expect(log(page).getByText('Last line 30 of the logbook.')).toBeInViewport();
  await expect.poll(place).toBeLessThan(2);
  agent.open('end');
  await expect(status(page)).toHaveText('answered');
  await expect(log(page).getByText('Last line 30 of the logbook.')).toBeInViewport();
  await expect(pill).toHaveCount(0);
});
