import { relative } from 'node:path';

/** Returns the unit tests of vitest's report: name and duration. */
function unitTests(report, root) {
  return (report?.testResults ?? []).flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, duration }) => ({
      name: `${relative(root, name)}: ${fullName}`,
      ms: duration ?? 0,
    })),
  );
}

/** Returns the end-to-end tests of Playwright's report. */
function browserTests(report) {
  const inSuite = ({ suites = [], specs = [] }) => [
    ...suites.flatMap(inSuite),
    ...specs.map(({ file, title, tests }) => ({
      name: `e2e/${file}: ${title}`,
      ms: Math.max(0, ...tests.flatMap(({ results }) => results.map(({ duration }) => duration))),
    })),
  ];
  return inSuite(report ?? {});
}

/** Returns the `count` slowest tests of both reports, slowest first: a line each, with the seconds. */
export function listSlowest(unit, browser, root, count = 20) {
  return [...unitTests(unit, root), ...browserTests(browser)]
    .sort((a, b) => b.ms - a.ms)
    .slice(0, count)
    .map(({ name, ms }) => `${(ms / 1000).toFixed(1).padStart(7)} s  ${name}`);
}
