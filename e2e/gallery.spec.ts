import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Page } from '@playwright/test';
import { build, type PreviewServer, preview } from 'vite';
import { expect, expectAccessible, test } from './fixtures.js';
import { tooSmall } from './readable.js';

const configFile = fileURLToPath(new URL('../ui/gallery/vite.config.ts', import.meta.url));
const DASHBOARD = join(process.env['MESHD_E2E_DIST'] ?? fileURLToPath(new URL('../dist', import.meta.url)), 'ui');

test.describe.configure({ mode: 'serial' });

let outDir: string;
let server: PreviewServer;

test.beforeAll(async () => {
  outDir = mkdtempSync(join(tmpdir(), 'meshd-e2e-gallery-'));
  await build({ configFile, logLevel: 'warn', build: { outDir } });
  server = await preview({ configFile, logLevel: 'warn', build: { outDir }, preview: { port: 0, host: '127.0.0.1' } });
});

test.afterAll(async () => {
  await server.close();
  rmSync(outDir, { recursive: true, force: true });
});

const openGallery = async (page: Page) => {
  await page.goto(server.resolvedUrls?.local[0] ?? '');
  await expect(page.getByRole('heading', { level: 1, name: 'Gallery' })).toBeVisible();
};

test('every element of the dashboard holds to the rules in every state and both themes', async ({ page }) => {
  await openGallery(page);
  await expectAccessible(page);
});

test('what opens above the page does so too', async ({ page }) => {
  await openGallery(page);
  const opened = [
    ...['Open a narrow one', 'Open a wide one'].map((name) => ['Dialog', name] as const),
    ...['Delete', 'Delete, refused'].map((name) => ['Typed deletion', name] as const),
  ];
  for (const [title, name] of opened) {
    const story = page.getByRole('article').filter({
      has: page.getByRole('heading', { level: 2, name: title, exact: true }),
    });
    await story.getByRole('button', { name, exact: true }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await expectAccessible(page, { within: 'dialog' });
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toHaveCount(0);
  }
  for (const name of ['Say a sentence', 'Say what failed', 'Say what can be undone'])
    await page.getByRole('button', { name }).click();
  await page.getByRole('button', { name: 'Undo', exact: true }).hover();
  await expectAccessible(page, { within: '[role=status]' });
});

test('compact rows keep their controls large enough to hit', async ({ page }) => {
  await openGallery(page);
  await page.getByRole('combobox', { name: 'Density' }).selectOption('compact');
  await expect(page.locator('html')).toHaveAttribute('data-density', 'compact');
  expect(await tooSmall(page)).toEqual([]);
});

test('nothing of the gallery is shipped', () => {
  const gallery = readdirSync(join(outDir, 'assets')).filter((file) => file.endsWith('.js'));
  // The flag story's ids begin so. Chunks may be called `membership-…`.
  const marker = /[`'"]ship-/;
  expect(gallery.some((file) => marker.test(readFileSync(join(outDir, 'assets', file), 'utf8')))).toBe(true);
  const shipped = readdirSync(DASHBOARD, { recursive: true, encoding: 'utf8' }).filter((file) =>
    /\.(js|css|html)$/.test(file),
  );
  expect(shipped.length).toBeGreaterThan(10);
  expect(
    shipped.filter((file) => /gallery/i.test(file) || marker.test(readFileSync(join(DASHBOARD, file), 'utf8'))),
  ).toEqual([]);
});
