import { defineConfig } from '@playwright/test';
import usual from '../playwright.config.js';

/**
 * Journeys that are not part of the check yet: each is written, and none has passed three times in a row. One that has moves a folder up, to the
 * others; what it finds is mended first. `npm run e2e:next -- dialogs`.
 */
export default defineConfig({
  ...usual,
  testDir: '.',
  testIgnore: [],
});
