import type { MemberVersion } from '../team/member-file.js';

const FALLBACK = ['What does this project do?'];

/**
 * Returns a test file to start from: the member's own examples, which must find an answer in the project, and one
 * question without an answer.
 */
export function starterTests({ name, examples = FALLBACK }: Pick<MemberVersion, 'name' | 'examples'>): string {
  const questions = [...new Set(examples.map((example) => example.split(/\s+/u).filter(Boolean).join(' ')))].filter(
    (one) => one !== '',
  );
  return [
    '---',
    'blocks_exposure: false',
    '---',
    '',
    `# What ${name.split(/\s+/u).join(' ')} must answer`,
    '',
    'Under each question stands a list: `cites: path:start-end` (a citation must touch those lines), `says: ' +
      'words`, `never says: words` (or a',
    '`/pattern/`), or `not found`. With `blocks_exposure: true` the member cannot be opened to other programs ' +
      'before all of it passes.',
    '',
    ...(questions.length > 0 ? questions : FALLBACK).flatMap((question) => [
      `## ${question}`,
      '',
      '- never says: Not found in this project',
      '',
    ]),
    '## On which day of the week was the captain’s parrot born?',
    '',
    '- not found',
    '',
  ].join('\n');
}
