import { defineConfig } from '@playwright/test';
import usual from '../playwright.config.js';

/**
 * Every page as it looks. Not part of the check until its pictures have been looked at one by one: `npm run looks -- --update-snapshots=all` draws
 * them, `npm run looks` compares.
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
