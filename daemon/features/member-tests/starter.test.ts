import { expect, it } from 'vitest';
import { starterTests } from './starter.js';
import { readTestFile } from './test-file.js';

const questionsOf = (examples?: string[]) =>
  readTestFile(starterTests({ name: 'Ada', ...(examples && { examples }) })).tests.map(({ question }) => question);

it('the first file of tests asks the examples of the member and one question without an answer', () => {
  expect(starterTests({ name: 'The\n  Keeper', examples: ['Where  is\nthe lamp? '] })).toBe(`---
blocks_exposure: false
---

# What The Keeper must answer

Under each question stands a list: \`cites: path:start-end\` (a citation must touch those lines), \`says: words\`, \`never says: words\` (or a
\`/pattern/\`), or \`not found\`. With \`blocks_exposure: true\` the member cannot be opened to other programs before all of it passes.

## Where is the lamp?

- never says: Not found in this project

## On which day of the week was the captain’s parrot born?

- not found
`);
});

it.each<[string, string[] | undefined, string[]]>([
  ['two examples', ['Where?', 'When?'], ['Where?', 'When?']],
  ['one example twice', ['Where  is it?', 'Where is it?'], ['Where is it?']],
  ['an empty example', [' ', 'When?'], ['When?']],
  ['only an empty one', [' '], ['What does this project do?']],
  ['no list of them', undefined, ['What does this project do?']],
])('it can be read, with %s', (_title, examples, questions) => {
  expect(questionsOf(examples)).toEqual([...questions, 'On which day of the week was the captain’s parrot born?']);
});
