import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { ContentBlock } from '@agentclientprotocol/sdk';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { readPrompt } from './acp-prompt.js';

const MAX_CHARS = 65_536;
const MAX_FILES = 16;
const question: ContentBlock = { type: 'text', text: 'Compare ' };

/** Reads a prompt with links to `paths` of a project with `files`. */
function linked(files: Record<string, string>, paths: readonly string[]) {
  const root = temporaryFolder(files);
  const notes: string[] = [];
  const links = paths.map(
    (path): ContentBlock => ({ type: 'resource_link', name: path, uri: pathToFileURL(join(root, path)).href }),
  );
  const message = readPrompt([question, ...links], { root, note: (line) => void notes.push(line) });
  return { text: message.text, docs: (message.context_docs ?? []).map(({ filename }) => filename), notes, root };
}

describe('a linked file of the project', () => {
  it.each([
    ['notes.txt', 'The lamp is blue.'],
    ['src/.gitignore', 'dist'],
    ['.mesh/team/consultant.md', '---\n---\n'],
    ['longest.txt', 'x'.repeat(MAX_CHARS)],
    [`${'d'.repeat(150)}/${'f'.repeat(150)}.txt`, 'Its path is longer than a name.'],
  ])('is attached once, however often it is linked: %s', (path, content) => {
    const { text, docs, notes } = linked({ [path]: content }, [path, path]);
    expect(text).toBe(`Compare @${path}@${path}`);
    expect(docs).toEqual([path.slice(-255)]);
    expect(notes).toEqual([]);
  });

  it.each([
    ['.env', 'KEY=1', 'its name is that of a secret'],
    ['.mesh/state/daemon.json', '{}', 'its name is that of a secret'],
    ['.mesh/credentials/clusters.json', '{}', 'its name is that of a secret'],
    ['.mesh/foreign-state/mesh.db', 'x', 'its name is that of a secret'],
    ['.git/config', '[core]', 'its name is that of a secret'],
    ['lamp.png', 'a\0b', 'it is not a text'],
    ['long.txt', 'x'.repeat(MAX_CHARS + 1), 'it is too long'],
    ['longer.txt', 'x'.repeat(4 * MAX_CHARS + 1), 'it is too long'],
  ])('is only named: %s', (path, content, why) => {
    const { text, docs, notes, root } = linked({ [path]: content }, [path]);
    expect(text).toBe(`Compare @${join(root, path)}`);
    expect(docs).toEqual([]);
    expect(notes).toEqual([`${join(root, path)} is named and not attached: ${why}.`]);
  });

  it('is one of at most 16', () => {
    const files = Object.fromEntries(Array.from({ length: MAX_FILES + 1 }, (_, at) => [`${at}.txt`, `file ${at}`]));
    const paths = Object.keys(files);
    expect(linked(files, paths.slice(0, MAX_FILES)).docs).toEqual(paths.slice(0, MAX_FILES));
    expect(() => linked(files, paths)).toThrow(
      expect.objectContaining({ code: -32_602, message: expect.stringContaining('more than 16 files') }),
    );
  });
});
