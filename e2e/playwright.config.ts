import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from '@playwright/test';
import { testedLaunch } from './chromium.js';

// Workers have a temporary folder of the run, where each would transform all test files anew: they read what this
// process has transformed, in Playwright's own place.
process.env['PLAYWRIGHT_TRANSFORM_CACHE_DIR'] ??= join(tmpdir(), `playwright-transform-cache-${process.getuid?.()}`);

export default defineConfig({
  testDir: '.',
  projects: [
    { name: 'journeys', testMatch: '**/*.spec.ts', testIgnore: ['looks/**', 'timed/**', 'browsers/**'] },
    // Timing tests run when nothing else does. To run them alone: `npm run e2e -- --project timed --no-deps`.
    { name: 'timed', testMatch: 'timed/*.spec.ts', dependencies: ['journeys'], workers: 1, fullyParallel: false },
  ],
  outputDir: '../test-results',
  globalSetup: fileURLToPath(new URL('../scripts/test-folder.ts', import.meta.url)),
  // One more than the two processors that a test needs at least: a journey waits for its browser and its daemon in
  // turn.
  workers: 3,
  fullyParallel: true,
  retries: 0,
  // Only a test that hangs is ended: a busy machine makes a test slow and not wrong. Required durations are asserted in
  // the test itself.
  timeout: 120_000,
  expect: { timeout: 20_000 },
  reporter: [['list'], ['json', { outputFile: '../test-results/e2e.json' }]],
  use: {
    browserName: 'chromium',
    viewport: { width: 1280, height: 800 },
    actionTimeout: 20_000,
    // Motion is the style sheet's alone and costs a fifth of a run's processor time. Some test files turn it on.
    contextOptions: { reducedMotion: 'reduce' },
    trace: 'off',
    launchOptions: testedLaunch,
  },
});
