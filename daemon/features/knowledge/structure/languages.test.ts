import { expect, it } from 'vitest';
import { findLanguage, nameLanguages } from './languages.js';

it.each([
  ['ts mts cts', 'ecmascript typescript'],
  ['tsx', 'ecmascript tsx'],
  ['js mjs cjs jsx', 'ecmascript javascript'],
  ['py pyi', 'python python'],
  ['go', 'go go'],
  ['rs', 'rust rust'],
  ['java', 'java java'],
  ['c h cc cpp cxx hh hpp hxx inl', 'cpp cpp'],
  ['cs', 'csharp c-sharp'],
  ['rb rake', 'ruby ruby'],
  ['php', 'php php'],
  ['sh bash', 'bash bash'],
])('reads files that end in %s as %s', (endings, language) => {
  for (const ending of endings.split(' ')) {
    const found = findLanguage(`src/a.${ending}`);
    expect(`${found?.name} ${found?.grammar}`).toBe(language);
  }
});

it.each([
  ['A.TS', 'ecmascript'],
  ['a.test.ts', 'ecmascript'],
  ['Rakefile', 'ruby'],
  ['lib/Gemfile', 'ruby'],
  ['Rakefiles', undefined],
  ['xGemfile', undefined],
  ['.ts', undefined],
  ['a.b/ts', undefined],
  ['src.ts/a', undefined],
  ['a.md', undefined],
  ['a.constructor', undefined],
  ['ts', undefined],
])('takes %s for %s', (path, language) => {
  expect(findLanguage(path)?.name).toBe(language);
});

it('names languages as people do, in their order, without those that it does not know', () => {
  const names = 'bash cpp csharp ecmascript go java php python ruby rust other'.split(' ');
  expect(nameLanguages(names.map((language, files) => ({ language, files })))).toEqual([
    { language: 'Bash', files: 0 },
    { language: 'C and C++', files: 1 },
    { language: 'C#', files: 2 },
    { language: 'TypeScript and JavaScript', files: 3 },
    { language: 'Go', files: 4 },
    { language: 'Java', files: 5 },
    { language: 'PHP', files: 6 },
    { language: 'Python', files: 7 },
    { language: 'Ruby', files: 8 },
    { language: 'Rust', files: 9 },
  ]);
});
