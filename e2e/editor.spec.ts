import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, expectAccessible, open, tabTo, test } from './fixtures.js';

/** A folder of the PATH with an editor that writes down its arguments, one a line. */
const bin = mkdtempSync(join(tmpdir(), 'meshd-editor-'));
writeFileSync(join(bin, 'zed'), '#!/bin/sh\nprintf "%s\\n" "$@" > "$0.part" && mv "$0.part" "$0.args"\n');
chmodSync(join(bin, 'zed'), 0o755);

const LINES = 2_150;
const text = Array.from({ length: LINES }, (_, at) => `export const lamp${at + 1} = ${at + 1};`).join('\n');

test.use({
  hasTouch: true,
  machine: { PATH: `${bin}:${process.env['PATH']}` },
  files: { 'src/lamps.ts': `${text}\n` },
});
test.afterAll(() => rmSync(bin, { recursive: true, force: true }));

test('a long file is read on by scrolling and by keyboard, and its line opens in the chosen editor', async ({
  page,
  project,
}) => {
  const { conv } = await project.api<{ conv: string }>('POST', '/conversations', { member: 'developer' });
  await open(page, project, `/talk/${conv}?file=src/lamps.ts&from=2100`);
  // By selectors and polls: for each check that does not hold yet, the roles and names of thousands of lines would be
  // computed, which takes longer than the test may.
  const file = page.locator('dialog[data-side-panel]');
  const line = (number: number) => file.locator(`a[href="#L${number}"]`);
  const button = (words: string) => file.locator('button', { hasText: words });
  await expect(line(2100)).toBeInViewport();
  await expect.poll(() => line(2000).count()).toBe(0);

  const blame = button('Who changed this');
  const colour = () => blame.evaluate((element) => getComputedStyle(element).backgroundColor);
  const unpressed = await colour();
  await blame.press('Enter');
  await expect(blame).toHaveAttribute('aria-pressed', 'true');
  await expect.poll(colour).not.toBe(unpressed);
  await blame.press('Enter');

  // By keyboard: earlier lines come before what is in view, and the focus stays in the lines.
  await line(2100).focus();
  await expect.poll(() => button('Show lines 1 to 2000').count()).toBe(1);
  await page.keyboard.press('Shift+Tab');
  await expect.poll(() => line(1).count()).toBe(1);
  await expect(file.locator('section[aria-label=Lines]')).toBeFocused();
  await expect(line(2001)).toBeInViewport();
  await line(2003).click();
  await expect(file.locator('h2')).toHaveText('src/lamps.ts:2003');

  const inEditor = button('Open in editor');
  await expect(inEditor).toHaveAttribute('aria-label', 'Open src/lamps.ts:2003 in Zed');
  await blame.focus();
  await tabTo(page, inEditor);
  await page.keyboard.press('Enter');
  await expect
    .poll(() => page.locator('div[class*=toast_]').allInnerTexts())
    .toEqual([expect.stringContaining('Opened in Zed.')]);
  await expect
    .poll(() => readFileSync(join(bin, 'zed.args'), 'utf8'))
    .toBe(`${join(project.root, 'src/lamps.ts')}:2003\n`);
  rmSync(join(bin, 'zed.args'));
  await page.setViewportSize({ width: 360, height: 740 });
  await expect(inEditor).toBeInViewport({ ratio: 1 });
  await inEditor.tap();
  await expect.poll(() => existsSync(join(bin, 'zed.args'))).toBe(true);
  await page.setViewportSize({ width: 1280, height: 800 });

  await open(page, project, '/system?tab=settings');
  const editor = page.getByLabel('Editor');
  await expect(editor).toHaveValue('automatic');
  await expectAccessible(page);
  await expect(editor.getByRole('option').first()).toHaveText('the first that is found: Zed');
  await editor.selectOption('none');
  await expect.poll(async () => (await project.api<{ editor: string }>('GET', '/preferences')).editor).toBe('none');
  await open(page, project, `/talk/${conv}?file=src/lamps.ts&from=9`);
  // What is not drawn yet is found by keyboard, and the search goes on at the first line.
  await expect(line(9)).toBeInViewport();
  await line(9).focus();
  await page.keyboard.press('/');
  const field = file.locator('input[data-find]');
  const count = file.locator('search [role=status]');
  const current = file.locator('mark[data-current]');
  await expect(field).toBeFocused();
  await page.keyboard.type('LAMP2149');
  await expect(count).toHaveText('1 of 1, line 2149');
  await expect(current).toHaveText('lamp2149');
  await expect(current).toBeInViewport();
  await field.fill('lamp9 ');
  await expect(count).toHaveText('1 of 1, line 9');
  // In highlighted lines a match is in as many parts as it has words.
  await expect(current.first()).toBeInViewport();
  await page.keyboard.press('Escape');
  await expect(field).toHaveCount(0);
  await expect(file.locator('section[aria-label=Lines]')).toBeFocused();
  // By scrolling down.
  await expect.poll(() => button('Show lines 2001 to 2150').count()).toBe(1);
  await line(1999).evaluate((element) => element.scrollIntoView());
  await expect.poll(() => line(2150).count()).toBe(1);
  await expect
    .poll(() => file.locator('section > [role=status]').allInnerTexts())
    .toEqual(['Lines 1 to 2150 of 2150.']);
  await expect(button('Who changed this')).toBeVisible();
  await expect.poll(() => button('Open in editor').count()).toBe(0);
});
