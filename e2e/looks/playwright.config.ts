import { defineConfig } from '@playwright/test';
import usual from '../playwright.config.js';

/**
 * Every page as it looks, against the pictures that somebody has looked at one by one: `npm run looks -- --update-snapshots=changed` draws anew what has
 * changed, `npm run looks` compares. Not part of the check: the pictures hold for one release of Chromium only.
 */
export default defineConfig({
  ...usual,
  testDir: '.',
  testIgnore: [],
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // A page may say where the project lies.
  globalSetup: undefined,
  globalTeardown: './pack.ts',
});
