import { defineConfig } from '@playwright/test';
import usual from '../playwright.config.js';
import { BROWSERS, findProgram, launchOf } from './browsers.js';

/**
 * Every page and the main flows in each browser that `npm run browsers` unpacked. A flow is a journey with the tag
 * `@flow`. Not part of `npm run check`, because it downloads browsers.
 */
export default defineConfig({
  ...usual,
  testDir: '..',
  outputDir: '../../test-results/browsers',
  // It would change the temporary folder, in which the browsers are.
  globalSetup: undefined,
  workers: 2,
  projects: BROWSERS.filter((browser) => findProgram(browser)).map((browser) => ({
    name: browser.name,
    testMatch: '**/*.spec.ts',
    testIgnore: ['looks/**', 'timed/**'],
    grep: /@flow|@page/,
    use: { browserName: browser.kind, launchOptions: launchOf(browser) },
  })),
  reporter: [['list'], ['json', { outputFile: '../../test-results/browsers.json' }]],
});
