import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { TOPICS } from './help-topics.js';

const SOURCES = fileURLToPath(new URL('../..', import.meta.url));
/** Set by the daemon for the programs that it starts, and read back from them. */
const OWN = new Set(['MESHD_RUN']);
/** A property of an environment, and a name that only a variable has. */
const READS = [
  /\b(?:env|environment|variables)\)?(?:\?\.|\.|\?\.\[|\[)'?([A-Z][A-Z0-9_]+)\b/g,
  /'((?:MESHD|XDG|ANTHROPIC|CLAUDE|OPENAI|CODEX|GEMINI|GOOGLE|OPENCODE|OPENROUTER|NODE|SSL)_[A-Z0-9_]+|(?:HTTPS?|ALL|NO)_PROXY)'/g,
];
/** Variables that are set for another program. */
const SET = /\b(?:OPENCODE_(?:PERMISSION|DISABLE_\w+)|DISABLE_AUTOUPDATER|MESHD_TURN_TOKEN)\b/;

function listRead(): string[] {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter(
    (path) => /\.tsx?$/.test(path) && !/\.test\.|^testing\/|^dist\/|help-topics/.test(path),
  );
  const names = files.flatMap((path) => {
    const text = readFileSync(join(SOURCES, path), 'utf8');
    return READS.flatMap((reads) => [...text.matchAll(reads)].map(([, name = '']) => name));
  });
  return [...new Set(names)].filter((name) => !OWN.has(name) && !SET.test(name)).sort();
}

it('help environment names every variable that is read, and no other', () => {
  const { items, after } = TOPICS['environment'] as (typeof TOPICS)[string];
  const named = [...items.map(([term]) => term), after ?? '']
    .join(' ')
    .match(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b|\b(?:VISUAL|EDITOR|TERM|DISPLAY|HOME|PATH)\b/g);
  expect([...new Set(named)].sort()).toEqual(listRead());
});
