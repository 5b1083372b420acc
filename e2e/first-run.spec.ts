import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, expectAccessible, open, tabTo, test, WITH_MOTION } from './fixtures.js';

test.use(WITH_MOTION);

const ROSTER = [
  'api-developer',
  'architect-master',
  'commit-pr-reviewer',
  'consultant',
  'deployer',
  'developer',
  'roadmap-orchestrator',
  'ui-developer',
  'ui-reviewer',
];

test.describe('a fresh repository', () => {
  test('is given its nine members and shows them', async ({ page, project }) => {
    expect(readdirSync(join(project.root, '.mesh/team')).sort()).toEqual(ROSTER.map((id) => `${id}.md`));
    await open(page, project, '/team');
    const members = page.getByRole('list', { name: 'Members' });
    await expect(members.getByRole('listitem')).toHaveCount(9);
    for (const id of ROSTER) await expect(members.getByText(id, { exact: true })).toBeVisible();
    const filter = page.getByRole('group', { name: 'Show' });
    await expect(filter.getByRole('button', { name: 'Exposed 1' })).toBeVisible();
    await expect(page.getByText(/no file:/)).toHaveCount(0);
    await expectAccessible(page);
  });

  test('says what to do first, and answers the first question with checked citations', async ({ page, project }) => {
    await open(page, project);
    const first = page.getByRole('region', { name: 'First steps' });
    await expect(first.getByRole('heading', { name: 'What meshd is' })).toBeVisible();
    await expect(first.getByRole('img', { name: /^You and your programs ask/ })).toBeVisible();
    await expect(first.getByRole('link', { name: 'Copy curl' })).toBeVisible();
    await expect(page.getByText('Nothing needs you.')).toBeVisible();
    await expect(page.getByText('No answers yet.')).toBeVisible();
    await expect(page.getByText(/9 members/)).toBeVisible();
    await expectAccessible(page);

    const ask = page.getByRole('region', { name: 'Ask', exact: true });
    const question = ask.getByRole('textbox', { name: 'Question for Consultant' });
    await expect(question).toHaveValue('What does this project do?');
    await question.fill('What is the default');
    await question.press('Shift+Enter');
    await question.pressSequentially('of LAMP_ANGLE?');
    await expect(question).toHaveValue('What is the default\nof LAMP_ANGLE?');
    await page.evaluate(() => window.dispatchEvent(new Event('pagehide')));
    await page.reload();
    await expect(question).toHaveValue('What is the default\nof LAMP_ANGLE?');
    await question.press('Enter');
    await expect(question).toHaveValue('');
    await expect(ask.getByRole('status')).toHaveText('answered');
    await expect(ask.getByText('What is the default of LAMP_ANGLE?')).toBeVisible();
    await expect(ask.getByText(/^(Found|Probably here)$/)).toBeVisible();
    await expect(first.getByRole('heading', { name: 'Let a program ask' })).toBeVisible();
    const citations = ask.getByRole('list', { name: 'Citations' });
    await expect(citations.getByRole('listitem').first()).toContainText('README.md');
    await expect(citations.getByText('quote verified', { exact: true }).first()).toBeVisible();
    await expect(citations.getByText('dropped')).toHaveCount(0);
    await expect(ask.getByText('Answered locally without a model.')).toBeVisible();
    await expect(page.getByRole('region', { name: 'Recently answered' }).getByRole('listitem')).toHaveCount(1);
    await expectAccessible(page);

    await citations.getByRole('link', { name: 'README.md:11', exact: true }).click();
    await expect(page).toHaveURL(/\/app\/requests\/req-[\w-]{16}\?file=README\.md&from=11&to=11$/);
    const file = page.getByRole('dialog', { name: 'README.md:11' });
    const cited = file.getByRole('listitem').filter({ hasText: 'LAMP_ANGLE' });
    await expect(cited).toContainText('11');
    await expect(cited).toBeInViewport();
    await expectAccessible(page);
    await page.reload();
    await expect(file).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(file).toHaveCount(0);
    await expect(page).not.toHaveURL(/file=/);

    // What the cards propose is done: they vanish, and stay away.
    project.write('.claude/agents/scribe.md', '---\nname: scribe\ndescription: Writes.\n---\nYou write.\n');
    await open(page, project);
    await expect(first.getByText(/^Found 1 in this project/)).toBeVisible();
    await project.meshd('team', 'import', 'scribe');
    await project.answer('consultant', 'On which port does it listen?');
    await expect(first.getByRole('heading', { name: 'Let a program ask' })).toHaveCount(0);
    await page.reload();
    await expect(first.getByRole('heading', { name: 'What meshd is' })).toBeVisible();
    await expect(first.getByRole('heading')).toHaveCount(1);
  });

  test('keeps a dismissed card away, in this browser and in another', async ({ page, project, browser }) => {
    await open(page, project);
    /** A card disappears at once, but the dismissal is stored only when the daemon has responded. */
    const put = (card: string) =>
      Promise.all([
        page.waitForResponse(
          (answer) => answer.url().endsWith('/preferences') && answer.request().method() === 'PATCH',
        ),
        page.getByRole('button', { name: `Dismiss “${card}”` }).click(),
      ]);
    await put('Let a program ask');
    await expect(page.getByRole('heading', { name: 'Let a program ask' })).toHaveCount(0);
    await page.reload();
    await expect(page.getByRole('heading', { name: 'What meshd is' })).toBeVisible();
    await expect(page.getByRole('heading', { name: 'Let a program ask' })).toHaveCount(0);
    await put('Bring your agents');
    await expect(page.getByRole('heading', { name: 'Bring your agents' })).toHaveCount(0);
    await put('What meshd is');
    await expect(page.getByRole('region', { name: 'First steps' })).toHaveCount(0);

    const other = await browser.newContext();
    const elsewhere = await other.newPage();
    await open(elsewhere, project);
    await expect(elsewhere.getByRole('heading', { name: 'Home', level: 1 })).toBeVisible();
    await expect(elsewhere.getByText('Nothing needs you.')).toBeVisible();
    await expect(elsewhere.getByRole('region', { name: 'First steps' })).toHaveCount(0);
    await other.close();
  });
});

test.describe('by keyboard only', () => {
  test('one goes anywhere from the palette', async ({ page, project }) => {
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    await page.route('**/command-palette-*.js', async (route) => {
      await held;
      await route.continue();
    });
    await open(page, project);
    await page.keyboard.press('ControlOrMeta+k');
    // The palette takes over what is typed before it is there. As shortcuts of the page, "gs" would open System.
    await page.keyboard.type('gs');
    await page.keyboard.press('Backspace');
    await page.keyboard.press('Backspace');
    await page.keyboard.type('deploy');
    await page.keyboard.press('Enter');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await expect(palette).toHaveCount(0);
    await expect(page).toHaveURL(/\/app$/);
    release();
    await expect(page).toHaveURL(/\/app\/team\/deployer$/);

    await page.keyboard.press('ControlOrMeta+k');
    const box = palette.getByRole('combobox');
    await expect(box).toHaveValue('');
    await expect(box).toBeFocused();
    await expect(palette.getByRole('option', { name: 'Home' })).toHaveAttribute('aria-selected', 'true');
    await expectAccessible(page);
    await page.keyboard.type('no such thing');
    await expect(palette.getByText('No match for “no such thing”.')).toBeVisible();
    await box.fill('deploy');
    await page.keyboard.press('Enter');
    await expect(palette).toHaveCount(0);
    await expect(page).toHaveURL(/\/app\/team\/deployer$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Deployer' })).toBeVisible();
    await expect(page.locator('main:focus, main :focus')).toHaveCount(1);

    await page.keyboard.press('ControlOrMeta+k');
    await expect(box).toBeFocused();
    await page.keyboard.type('theme dark');
    await page.keyboard.press('Enter');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'dark');

    await page.keyboard.press('ControlOrMeta+k');
    await expect(box).toBeFocused();
    await page.keyboard.press('Escape');
    await expect(palette).toHaveCount(0);
  });

  test('single keys go, filter and walk the rows, and hold still while one types', async ({ page, project }) => {
    await open(page, project);
    await page.keyboard.press('?');
    const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
    await expect(sheet.getByText('Go anywhere')).toBeVisible();
    await expectAccessible(page);
    await page.keyboard.press('Escape');
    await expect(sheet).toHaveCount(0);

    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await expect(page).toHaveURL(/\/app\/team$/);
    await page.keyboard.press('?');
    await expect(sheet).toBeVisible();
    await page.goBack();
    await expect(page).toHaveURL(/\/app$/);
    await expect(sheet).toHaveCount(0);
    await page.keyboard.press('ControlOrMeta+k');
    const palette = page.getByRole('dialog', { name: 'Go to' });
    await expect(palette).toBeVisible();
    await page.goForward();
    await expect(page).toHaveURL(/\/app\/team$/);
    await expect(palette).toHaveCount(0);
    await expect(page.getByRole('heading', { level: 1, name: 'Team' })).toBeVisible();
    const rows = page.getByRole('list', { name: 'Members' }).getByRole('link');
    await expect(rows).toHaveCount(9);
    await page.keyboard.press('/');
    const filter = page.getByRole('searchbox', { name: 'Filter members' });
    await expect(filter).toBeFocused();
    await page.keyboard.type('jg?');
    await expect(filter).toHaveValue('jg?');
    await expect(page.getByText('No member matches the filter. 9 are hidden.')).toBeVisible();
    await filter.fill('developer');
    await expect(page).toHaveURL(/q=developer/);
    await tabTo(page, rows.first());
    await page.keyboard.press('j');
    await expect(rows.nth(1)).toBeFocused();
    await page.keyboard.press('k');
    await expect(rows.nth(0)).toBeFocused();
    const name = await rows.nth(0).innerText();
    await page.keyboard.press('Enter');
    await expect(page.getByRole('heading', { level: 1, name })).toBeVisible();
    await page.goBack();
    await expect(filter).toHaveValue('developer');
  });
});
