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
const ORDINARY = new Set(['rich', 'bat', 'fmt']);

it('names no code base whose questions measure it', () => {
  const names = CODE_BASES.map(({ name }) => name.split('-').at(-1) as string).filter((name) => !ORDINARY.has(name));
  expect(names.length).toBeGreaterThan(10);
  for (const name of names) for (const text of code) expect(tokenize(text)).not.toContain(name);
});

it('contains no part of a question that measures it', () => {
  const known = new Set(
    code.flatMap((text) => {
      const words = tokenize(text);
      return words.map((_, index) => words.slice(index, index + SHARED_WORDS).join(' '));
    }),
  );
  for (const { name } of CODE_BASES) {
    const file = new URL(`./questions/${name}.json`, import.meta.url);
    const { questions } = JSON.parse(readFileSync(file, 'utf8')) as { questions: { text: string }[] };
    expect(questions.length).toBeGreaterThanOrEqual(36);
    for (const { text } of questions) {
      const words = tokenize(text);
      for (let index = 0; index + SHARED_WORDS <= words.length; index += 1)
        expect(known).not.toContain(words.slice(index, index + SHARED_WORDS).join(' '));
    }
  }
});
