import type { Page } from '@playwright/test';
import type { MessageList } from '../daemon/contract/conversations.js';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

test.use({ client: 'claude-code', clockStep: 86_400 });

const log = (page: Page) => page.getByRole('log', { name: 'Transcript' });

/** Replaces the page's ten-second timeouts. They run only when the test calls the returned function. */
async function holdTenSeconds(page: Page): Promise<() => Promise<void>> {
  await page.addInitScript(() => {
    const plain = window.setTimeout.bind(window);
    const held: (() => void)[] = [];
    const hold = (run: () => void, ms?: number) => (ms === 10_000 ? -held.push(run) : plain(run, ms));
    Object.assign(window, { setTimeout: hold, passTenSeconds: () => held.splice(0).forEach((run) => void run()) });
  });
  return () => page.evaluate(() => (window as unknown as { passTenSeconds: () => void }).passTenSeconds());
}

test('a conversation that is deleted can be had back for ten seconds, and is gone when the page goes', async ({
  page,
  project,
}) => {
  const begin = (title: string) =>
    project.api<{ conv: string }>('POST', '/conversations', { member: 'developer', title });
  const titles = async () =>
    (await project.api<{ conversations: { title: string }[] }>('GET', '/conversations')).conversations
      .map(({ title }) => title)
      .sort();
  const passTenSeconds = await holdTenSeconds(page);
  const { conv } = await begin('The sixth lamp');
  await begin('The seventh lamp');
  await open(page, project, `/talk/${conv}`);
  const box = page.getByRole('textbox', { name: 'Message to Developer' });
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText(/^This conversation is deleted in \d+ s\.$/)).toBeVisible();
  const undo = page.getByRole('button', { name: 'Undo the deletion' });
  await expect(undo).toBeFocused();
  await expect(box).toHaveCount(0);
  await expectAccessible(page);
  await undo.press('Enter');
  await expect(box).toBeFocused();

  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Conversations' }).click();
  await expect(page.getByText(/“The sixth lamp” is deleted in \d+ s\./)).toBeVisible();
  await expectAccessible(page);
  expect(await titles()).toEqual(['The seventh lamp', 'The sixth lamp']);
  await page.reload();
  await expect(page.getByRole('link', { name: 'The seventh lamp' })).toBeVisible();
  await expect.poll(titles).toEqual(['The seventh lamp']);
  await expect(page.getByRole('link', { name: 'The sixth lamp' })).toHaveCount(0);

  await page.getByRole('link', { name: 'The seventh lamp' }).click();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await expect(page.getByText('This conversation is deleted in')).toBeVisible();
  expect(await titles()).toEqual(['The seventh lamp']);
  await passTenSeconds();
  await expect(page).toHaveURL(/\/app\/talk$/);
  await expect(page.getByText('No conversations yet.')).toBeVisible();
  expect(await titles()).toEqual([]);
});

test('ten thousand characters without a space are laid out in pieces of their own', async ({
  page,
  agent,
  project,
}) => {
  const run = 'W'.repeat(10_000);
  agent.plays({ text: `${run}\n\n\`${run}\`\n\nThe end.` });
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', {
    member: 'developer',
    title: 'Unbroken',
  });
  await project.api('POST', `/conversations/${conv}/messages`, { text: run });
  await open(page, project, `/talk/${conv}`);
  await expect(log(page).getByText('The end.')).toBeVisible();
  const longest = () =>
    log(page).evaluate((element) => {
      const texts = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
      const lengths = [];
      while (texts.nextNode()) lengths.push(texts.currentNode.nodeValue?.length ?? 0);
      return { whole: lengths.reduce((sum, length) => sum + length, 0) > 30_000, longest: Math.max(...lengths) };
    });
  await expect.poll(longest).toEqual({ whole: true, longest: 200 });
});

test('a conversation opens at the first answer that was not seen, and at its end once all was', async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', {
    member: 'developer',
    title: 'Logbook',
  });
  const answered = async (name: string) => {
    agent.plays({ text: Array.from({ length: 40 }, (_, at) => `${name} line ${at + 1}.`).join('\n\n') });
    await project.api('POST', `/conversations/${conv}/messages`, { text: `Read ${name}` });
    await expect
      .poll(() => project.api<{ running: string | null; queued: number }>('GET', `/conversations/${conv}`))
      .toMatchObject({ running: null, queued: 0 });
  };
  const unread = async () => (await project.api<{ unread: number }>('GET', `/conversations/${conv}`)).unread;
  await answered('first');
  await open(page, project, `/talk/${conv}`);
  const mark = log(page).getByRole('heading', { name: 'New since your last visit' });
  await expect(mark).toBeInViewport();
  await page.getByRole('button', { name: /↓$/ }).click();
  await expect(log(page).getByText('first line 40.')).toBeInViewport();
  await expect.poll(unread).toBe(0);
  project.passTime();
  await page.goto('about:blank');
  await answered('second');
  await answered('third');

  await open(page, project, `/talk/${conv}`);
  await expect(mark).toBeInViewport();
  await expect(log(page).getByText('second line 1.', { exact: true })).toBeInViewport();
  await expect(log(page).getByText('third line 40.')).not.toBeInViewport();
  const pill = page.getByRole('button', { name: '3 new ↓' });
  await expect(pill).toBeVisible();
  expect(await unread()).toBe(2);
  await expectAccessible(page);
  await pill.click();
  await expect(log(page).getByText('third line 40.')).toBeInViewport();
  await expect.poll(unread).toBe(0);
  await page.reload();
  await expect(log(page).getByText('third line 40.')).toBeInViewport();
  await expect(mark).toHaveCount(0);

  // The time of a message is its address.
  await log(page).evaluate((place) => place.scrollTo(0, 0));
  const times = log(page).getByRole('link', { name: /^\d\d:\d\d$/ });
  await times.first().press('Enter');
  await expect(page).toHaveURL(/\?message=/);
  const address = page.url();
  await expectAccessible(page);
  await page.goto('about:blank');
  await page.goto(address);
  await expect(log(page).getByText('Read first')).toBeInViewport();
  await expect(log(page).getByText('third line 40.')).not.toBeInViewport();
  await times.nth(1).click();
  await expect(page).not.toHaveURL(address);
  await expect(log(page).getByText('first line 1.', { exact: true })).toBeInViewport();

  // To the first message of the day after, by keyboard, and back by mouse.
  const { messages } = await project.api<MessageList>('GET', `/conversations/${conv}/messages`);
  const [first, second] = ['Read first', 'Read second'].map((text) => {
    const at = new Date(messages.find((message) => message.text === text)?.created_at ?? '');
    return [at.getFullYear(), at.getMonth() + 1, at.getDate()].map((part) => String(part).padStart(2, '0'));
  }) as [string[], string[]];
  expect(first).not.toEqual(second);
  const date = page.getByLabel('Go to a date');
  await tabTo(page, date);
  await page.keyboard.type([second[1], second[2], second[0]].join(''));
  await expect(date).toHaveValue(second.join('-'));
  await page.keyboard.press('Enter');
  await expect(log(page)).toBeFocused();
  await expect(log(page).getByText('Read second', { exact: true })).toBeInViewport();
  await expect(log(page).getByText('first line 40.')).not.toBeInViewport();
  await expect(page).toHaveURL(new RegExp(`message=${messages.find(({ text }) => text === 'Read second')?.id}`));
  await date.fill('2199-01-01');
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  await expect(page.getByText('There is no message since then.')).toBeVisible();
  await expectAccessible(page);
  await date.fill(first.join('-'));
  await page.getByRole('button', { name: 'Go', exact: true }).click();
  const said = log(page).getByText('Read first', { exact: true });
  await expect(said).toBeInViewport();

  const composer = page.getByRole('textbox', { name: 'Message to Developer' });
  const quote = log(page).getByRole('button', { name: 'Quote' });
  await said.hover();
  await quote.first().click();
  await expect(composer).toBeFocused();
  await expect(composer).toHaveValue('> Read first\n\n');
  await page.keyboard.type('Why?');
  await tabTo(page, quote.last(), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(composer).toBeFocused();
  await expect(composer).toHaveValue(/^> Read first\n\nWhy\?\n\n(> .*\n>\n)+> third line 40\.\n\n$/);
  await expectAccessible(page);
});

test('a Mermaid diagram is drawn under the strict policy, and its source is one press away', async ({
  page,
  agent,
  project,
}) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', {
    member: 'developer',
    title: 'Drawings',
  });
  const fence = (source: string) => `\`\`\`mermaid\n${source}\n\`\`\`\n\n`;
  const steps = Array.from({ length: 12 }, (_, at) => `s${at}[Step ${at}] --> s${at + 1}`).join('\n');
  agent.plays({
    text: `${fence(`graph LR\n${steps}`)}${fence('pie\n"a": 1')}${fence(`graph LR\n${'a & '.repeat(20)}b --> c`)}`,
  });
  await project.api('POST', `/conversations/${conv}/messages`, { text: 'Draw it' });
  await page.setViewportSize({ width: 360, height: 740 });
  await open(page, project, `/talk/${conv}`);
  const drawing = log(page).getByRole('img', { name: 'Diagram: its source says the same in text' });
  await expect(drawing).toHaveCount(1);
  await expect.poll(() => drawing.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(400);
  // A wide drawing scrolls in its own box.
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
  await expect(log(page).getByText('Not drawn. Only flowcharts')).toBeVisible();
  await expect(log(page).getByText('Not drawn: it is too large.')).toBeVisible();
  await expectAccessible(page);
  const light = await drawing.getAttribute('src');
  await page.emulateMedia({ colorScheme: 'dark' });
  await expect(drawing).not.toHaveAttribute('src', light ?? '');
  const source = log(page).getByRole('button', { name: 'Show the source' });
  await source.click();
  await expect(log(page).getByText('s0[Step 0] --> s1')).toBeVisible();
  await expect(drawing).toHaveCount(0);
  await source.press('Enter');
  await expect(drawing).toBeVisible();
});
