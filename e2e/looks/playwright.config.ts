import { defineConfig } from '@playwright/test';
import usual from '../playwright.config.js';

/**
 * Screenshot tests against reviewed pictures: `npm run looks -- --update-snapshots=changed` updates what changed, `npm
 * run looks` compares. They are not part of `npm run check`: the pictures are valid for one release of Chromium only.
 */
export default defineConfig({
  ...usual,
  testDir: '.',
  testIgnore: [],
  // Both daemons have folders of fixed names.
  workers: 1,
  fullyParallel: false,
  // Those of the journeys leave this folder out.
  projects: [{ name: 'looks', testMatch: '*.spec.ts' }],
  snapshotPathTemplate: '{testDir}/pictures/{arg}{ext}',
  // Disabled because it changes the temporary folder, and a page may show the path of the project.
  globalSetup: undefined,
  globalTeardown: './pack.ts',
});
