import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';

const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url));
const codeCache = fileURLToPath(new URL('./code-cache.ts', import.meta.url));

/** Creates a folder with `source` as its program, and a script that runs it with the code cache. */
function aProgram(source: string): { folder: string; program: string; cache: string } {
  const folder = temporaryFolder({
    'program.cjs': source,
    'start.mts': `import { runWithCodeCache } from ${JSON.stringify(codeCache)};\nrunWithCodeCache(process.argv[2]);\n`,
  });
  const program = join(folder, 'program.cjs');
  return { folder, program, cache: `${program}.cache` };
}

const run = ({ folder, program }: { folder: string; program: string }) =>
  execFileSync(process.execPath, [tsx, join(folder, 'start.mts'), program], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });

describe('runWithCodeCache', () => {
  it('behaves the same without a cache, with one, and with one that V8 rejects', () => {
    const given = aProgram(
      `const path = require('node:path'); console.log(path.basename(__filename), typeof exports, 6 * 7);`,
    );
    expect(run(given)).toBe('program.cjs object 42\n');
    const kept = readFileSync(given.cache);
    expect(run(given)).toBe('program.cjs object 42\n');
    expect(readFileSync(given.cache)).toEqual(kept);

    const broken = Buffer.concat([kept.subarray(0, 32), Buffer.from('not code of this V8')]);
    writeFileSync(given.cache, broken);
    expect(run(given)).toBe('program.cjs object 42\n');
    expect(readFileSync(given.cache)).not.toEqual(broken);
  });

  it('runs the program once, even when a module loaded later requires it', () => {
    const given = aProgram(`console.log('run'); exports.word = 'shared'; setImmediate(() => require('./part.cjs'));`);
    writeFileSync(join(given.folder, 'part.cjs'), `console.log('part of', require('./program.cjs').word);`);
    expect(run(given)).toBe('run\npart of shared\n');
    expect(run(given)).toBe('run\npart of shared\n');
  });

  it('compiles again when the source changed, also when its length did not', () => {
    const given = aProgram(`console.log('one');`);
    expect(run(given)).toBe('one\n');
    writeFileSync(given.program, `console.log('two');`);
    expect(run(given)).toBe('two\n');
  });

  it('writes no cache for a process that failed', () => {
    const given = aProgram('process.exitCode = 0; process.on("exit", () => {}); process.exit(1);');
    expect(() => run(given)).toThrow();
    expect(existsSync(given.cache)).toBe(false);
  });

  it('runs a program in a folder that is not writable', () => {
    const given = aProgram(`console.log('still here');`);
    writeFileSync(`${given.cache}`, '');
    chmodSync(given.cache, 0o444);
    chmodSync(given.folder, 0o555);
    expect(run(given)).toBe('still here\n');
    chmodSync(given.folder, 0o755);
  });
});
