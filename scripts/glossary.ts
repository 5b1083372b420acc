/**
 * Finds retired terms in user-facing texts and in identifiers, and fails with the replacement. The terms are in
 * `glossary/terms.ts`.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findRetired } from './glossary/scan.js';
import { TERMS } from './glossary/terms.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const FOLDERS = ['daemon/cli', 'daemon/client', 'daemon/contract', 'ui'];

const files = execFileSync('git', ['ls-files', '-z', ...FOLDERS], { cwd: root, encoding: 'utf8' })
  .split('\0')
  .filter((file) => /\.tsx?$/.test(file) && !/\.test\.tsx?$/.test(file));

let hits = 0;
for (const file of files) {
  for (const { line, text, term } of findRetired(file, readFileSync(join(root, file), 'utf8'), TERMS)) {
    hits += 1;
    console.error(`${file}:${line}: write "${term.write}": ${JSON.stringify(text.slice(0, 100))}`);
  }
}
console.log(`${files.length} files, ${TERMS.length} terms, ${hits} to change.`);
process.exitCode = hits > 0 ? 1 : 0;
