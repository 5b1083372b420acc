import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { CODE_BASES } from './code-bases.js';

const KNOWLEDGE = fileURLToPath(new URL('../../../daemon/features/knowledge', import.meta.url));
/** Words in a row that two texts share only when one was written with the other at hand. */
const SHARED_WORDS = 6;

/** Yields every source file of the search but its tests. */
function* sources(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* sources(path);
    else if (/\.ts$/.test(entry.name) && !/\.test\.ts$/.test(entry.name)) yield path;
  }
}

const code = [...sources(KNOWLEDGE)].map((path) => readFileSync(path, 'utf8').toLowerCase());
const tokenize = (text: string) => text.toLowerCase().match(/[a-z0-9]+/g) ?? [];

/** Names that are also English words or formats. */
const ORDINARY = new Set(['rich', 'bat', 'fmt', 'express', 'find']);

const read = (file: string) => JSON.parse(readFileSync(new URL(file, import.meta.url), 'utf8')) as unknown;
const newcomers = (read('./newcomers/code-bases.json') as { name: string }[]).map(({ name }) => name);
const getName = (name: string) =>
  name
    .replace(/-build$/, '')
    .split('-')
    .at(-1) as string;
const readQuestions = (file: string) => (read(file) as { questions: { text: string }[] }).questions;

it('names no code base whose questions measure it', () => {
  const all = [...CODE_BASES.map(({ name }) => name), ...newcomers];
  const names = all.map(getName).filter((name) => !ORDINARY.has(name));
  expect(names.length).toBeGreaterThan(20);
  for (const name of names) for (const text of code) expect(tokenize(text)).not.toContain(name);
});

it('contains no part of a question that measures it', () => {
  const known = new Set(
    code.flatMap((text) => {
      const words = tokenize(text);
      return words.map((_, index) => words.slice(index, index + SHARED_WORDS).join(' '));
    }),
  );
  const shared: string[] = [];
  const sets = [
    ...CODE_BASES.map(({ name }) => ({ questions: readQuestions(`./questions/${name}.json`), least: 36 })),
    ...newcomers.map((name) => ({ questions: readQuestions(`./newcomers/${name}.json`), least: 8 })),
  ];
  for (const { questions, least } of sets) {
    expect(questions.length).toBeGreaterThanOrEqual(least);
    for (const { text } of questions) {
      const words = tokenize(text);
      for (let index = 0; index + SHARED_WORDS <= words.length; index += 1)
        if (known.has(words.slice(index, index + SHARED_WORDS).join(' ')))
          shared.push(words.slice(index, index + SHARED_WORDS).join(' '));
    }
  }
  expect(shared).toEqual([]);
});
