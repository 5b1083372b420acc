import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const TITLES = [
  'An ask accepted and ended',
  'A frame of the Wall',
  'Deregistration of an agent',
  'A page of the dashboard',
  'A command of the CLI',
];
/** Maximum number of hops from a route to its store. */
const HOPS_MAX = 3;

interface Step {
  path: string;
  name: string;
}

interface Walk {
  title: string;
  /** The start of the walk: its own heading, with the method and path of a route if it has one. */
  from: string;
  hops: number;
  steps: Step[];
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

function parseWalks(text: string): Walk[] {
  const section = /^## Walks\n(.*?)^## /ms.exec(text)?.[1] ?? '';
  const walks: Walk[] = [];
  let title = '';
  for (const line of section.split('\n')) {
    const heading = /^### (.+)$/.exec(line)?.[1];
    const head = /^(.+), (\d+) hops:$/.exec(line);
    const step = /^\d+\. `([^`]+)` `([^`]+)`$/.exec(line);
    if (heading) title = heading;
    else if (head) walks.push({ title, from: head[1] as string, hops: Number(head[2]), steps: [] });
    else if (step) walks.at(-1)?.steps.push({ path: step[1] as string, name: step[2] as string });
    else expect(line, 'a line of the section that is not understood').not.toMatch(/^\d+\.|hops?:/);
  }
  return walks;
}

/** Returns the project files that a file imports, as paths without extension. */
function listImports(path: string): string[] {
  const found = read(path).matchAll(/(?:\bfrom|\bimport\() ?'(\.[^']+)'/g);
  return [...found].map(([, name]) => join(dirname(path), name as string).replace(/\.js$/, ''));
}

/** Returns a file without its comments and imports. */
const getCode = (path: string) =>
  read(path)
    .replace(/\/\*.*?\*\/|^\s*\/\/.*?$/gms, '')
    .replace(/^import .*?;$/gms, '');

const isDeclared = (text: string, name: string) =>
  new RegExp(`^(?:export )?(?:async )?(?:function |const )${name}\\b`, 'm').test(text) ||
  new RegExp(`^  (?:private )?(?:async )?${name}(?:<[^>]*>)?\\(`, 'm').test(text);

const walks = parseWalks(read('daemon/ARCHITECTURE.md'));
const legs = walks.map((walk) => [`${walk.title}: ${walk.from}`, walk] as const);

it('there are five walks', () => {
  expect([...new Set(walks.map(({ title }) => title))]).toEqual(TITLES);
});

it.each(legs)('%s', (_name, { from, hops, steps }) => {
  expect(steps.length - 1).toBe(hops);
  expect(hops).toBeLessThanOrEqual(HOPS_MAX);
  for (const [index, { path, name }] of steps.entries()) {
    expect(isDeclared(read(path), name), `${path} declares ${name}`).toBe(true);
    const before = steps[index - 1];
    if (!before) continue;
    expect(listImports(before.path), `${before.path} imports ${path}`).toContain(path.replace(/\.tsx?$/, ''));
    expect(getCode(before.path), `${before.path} calls ${name}`).toMatch(new RegExp(`\\b${name}\\b`));
  }
  const route = /`(GET|POST|DELETE) (\/[^`]*)`/.exec(from);
  if (!route) return;
  const [, method = '', url = ''] = route;
  const asDeclared = new RegExp(`app\\.${method.toLowerCase()}(?:<.*?>)?\\(\\s*'${url}'`, 's');
  expect(read(steps[0]?.path ?? ''), `${url} is a route of the first file`).toMatch(asDeclared);
});
