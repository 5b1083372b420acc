import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { FILE_MAX_BYTES } from '../../../daemon/storage/project-files.js';
import { createName, generateFile, getPath, planFacts, TOO_LARGE, writeRepository } from './generate.js';

const FILES = 4_000;
const FACTS = 60;
const plan = planFacts(FILES, FACTS);
const texts = new Map(
  Array.from({ length: FILES }, (_, file) => {
    const { path, text } = generateFile(file, plan);
    return [path, text] as const;
  }),
);
const listPaths = (part: string) => [...texts].filter(([, text]) => text.includes(part)).map(([path]) => path);

it('makes names that no correction of spelling confuses', () => {
  const names = Array.from({ length: 256 }, (_, number) => createName(number));
  const getParts = (name: string) => name.match(/.{3}/g) ?? [];
  const confused = names.flatMap((one, at) =>
    names.slice(at + 1).filter((other) => {
      const parts = getParts(other);
      return getParts(one).filter((part, index) => part === parts[index]).length > 1;
    }),
  );
  expect(confused).toEqual([]);
});

it('plants each fact in the files that answer it and in no other', () => {
  for (const { kind, paths, word, says } of plan.facts) {
    const named = listPaths(kind === 'value' ? word.toUpperCase() : word);
    if (kind === 'absent') expect(named).toEqual([]);
    else if (kind === 'callers') {
      expect(paths.length).toBe(3);
      expect(listPaths(`through_${word}`).sort()).toEqual([...paths].sort());
      expect(listPaths(`return open_${word}(value)`).sort()).toEqual([...paths].sort());
    } else expect(named).toEqual(paths);
    if (says !== undefined) expect(texts.get(paths[0] ?? '')).toContain(says);
  }
});

it('plants them from the first part to the last, in every language', () => {
  const order = [...Array(FILES).keys()].map(getPath);
  const tenths = plan.facts.flatMap(({ paths }) => paths.map((path) => Math.floor((order.indexOf(path) * 10) / FILES)));
  expect(new Set(tenths).size).toBe(10);
  expect(new Set(plan.facts.map(({ language }) => language))).toEqual(
    new Set(['Markdown', 'TypeScript', 'Python', 'Go', 'Rust', 'C', '']),
  );
});

it('writes the same repository each time, with one commit and files that are too large', () => {
  const roots = [1, 2].map(() => mkdtempSync(join(tmpdir(), 'meshd-generate-')));
  try {
    const written = roots.map((root) => writeRepository(root, 300, 10));
    expect(written[0]).toEqual(written[1]);
    const trees = roots.map((root) =>
      execFileSync('git', ['rev-parse', 'HEAD^{tree}'], { cwd: root, encoding: 'utf8' }),
    );
    expect(trees[0]).toBe(trees[1]);
    const tracked = execFileSync('git', ['ls-files'], { cwd: roots[0], encoding: 'utf8' }).trim().split('\n');
    const large = tracked.filter((path) => statSync(join(roots[0] as string, path)).size > FILE_MAX_BYTES);
    expect(large).toHaveLength(TOO_LARGE);
    expect(tracked).toHaveLength((written[0]?.files ?? 0) + TOO_LARGE);
  } finally {
    for (const root of roots) rmSync(root, { recursive: true, force: true });
  }
});

it('refuses more facts than it has names for', () => {
  expect(() => planFacts(FILES, 300)).toThrow(/names for 256 facts, not 338/);
});
