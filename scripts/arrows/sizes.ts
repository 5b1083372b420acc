/**
 * `npm run sizes` fails when a function, a folder, a file of the composition or README is larger than a reader can take
 * in at once. Generated and test code does not count.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findLargeFolders, findLongFunctions } from './large.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Lines of a function, its signature included. */
const FUNCTION_MAX = 60;
/** Source files of a folder, without those of its folders. */
const FOLDER_MAX = 25;
/** Lines of a file of `daemon/app`. */
const COMPOSITION_MAX = 150;
const README_MAX_BYTES = 14 * 1024;

const sources = execFileSync('git', ['ls-files', '-z', 'daemon', 'ui', 'scripts', 'e2e'], {
  cwd: root,
  encoding: 'utf8',
})
  .split('\0')
  .filter((file) => /\.(?:tsx?|mjs)$/.test(file) && !/\.(?:d|test|spec)\.tsx?$/.test(file));

const large = findLargeFolders(sources, FOLDER_MAX).map(
  ({ folder, count }) => `${folder}: ${count} source files, at most ${FOLDER_MAX}: group them by noun`,
);
for (const file of sources) {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.split('\n').length - 1;
  if (file.startsWith('daemon/app/') && lines > COMPOSITION_MAX)
    large.push(`${file}: ${lines} lines, at most ${COMPOSITION_MAX}`);
  for (const { name, line, length } of findLongFunctions(file, text, FUNCTION_MAX))
    large.push(`${file}:${line}: ${name} has ${length} lines, at most ${FUNCTION_MAX}`);
}
const readmeBytes = readFileSync(join(root, 'README.md')).length;
if (readmeBytes > README_MAX_BYTES) large.push(`README.md: ${readmeBytes} bytes, at most ${README_MAX_BYTES}`);

for (const one of large) console.error(one);
console.log(`${sources.length} files, ${large.length} too large.`);
process.exitCode = large.length > 0 ? 1 : 0;
