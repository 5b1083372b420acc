import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/**
 * Coverage floors in percent, slightly below the measured values, for folders whose own tests cover them without a
 * daemon.
 */
const FLOORS = {
  'daemon/client/**': { statements: 88, branches: 75, functions: 91, lines: 92 },
  'daemon/lib/**': { statements: 93, branches: 88, functions: 91, lines: 94 },
};

const { include: _, ...test } = base.test ?? {};

export default mergeConfig(
  { ...base, test },
  defineConfig({
    test: {
      include: Object.keys(FLOORS).map((folder) => `${folder}/*.test.ts`),
      coverage: {
        provider: 'v8',
        include: Object.keys(FLOORS).map((folder) => `${folder}/*.ts`),
        exclude: ['**/*.test.ts', '**/*.d.ts'],
        reporter: ['text-summary', 'json-summary', 'html'],
        reportsDirectory: 'coverage',
        thresholds: FLOORS,
      },
    },
  }),
);
