import { describe, expect, it } from 'vitest';
import { createSourceNamer } from './source-stack.js';

const FOLDER = '/opt/mesh d/dist/';
// Generated columns 0 and 10 of the first line map to line 3, column 2, and line 4, column 0 of the source.
const MAP = { version: 3, sources: ['../../daemon/cli/asks/ask.ts'], names: [], mappings: 'AAEE,UACF' };
const files: Record<string, string> = { [`${FOLDER}chunks/ask-x.js.map`]: JSON.stringify(MAP) };
const nameSources = createSourceNamer(FOLDER, (path) => {
  const text = files[path];
  if (text === undefined) throw new Error('ENOENT');
  return text;
});

describe('source names in a stack trace', () => {
  it.each([
    [
      'a path',
      `Error: no\n    at ask (${FOLDER}chunks/ask-x.js:1:1)`,
      'Error: no\n    at ask (daemon/cli/asks/ask.ts:3:3)',
    ],
    ['an address', '    at file:///opt/mesh%20d/dist/chunks/ask-x.js:1:15', '    at daemon/cli/asks/ask.ts:4:1'],
    [
      'a line of the log',
      `{"stack":"Error\\n    at ${FOLDER}chunks/ask-x.js:1:11"}`,
      '{"stack":"Error\\n    at daemon/cli/asks/ask.ts:4:1"}',
    ],
  ])('replaces %s', (_name, text, named) => {
    expect(nameSources(text)).toBe(named);
  });

  it.each([
    ['a file without a map', `    at ${FOLDER}schemas/a.cjs:1:1`],
    ['a file of another folder', '    at /opt/other/chunks/ask-x.js:1:1'],
    ['a folder alone', `It is in ${FOLDER}.`],
    ['no stack at all', 'Nothing here.'],
  ])('leaves %s unchanged', (_name, text) => {
    expect(nameSources(text)).toBe(text);
  });
});
