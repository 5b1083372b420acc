import { execFileSync } from 'node:child_process';
import { createHash, randomUUID } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../testing/temporary-folder.js';
import { runWithCodeCache } from './code-cache.js';

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

  it('keeps the source in memory once, and its compiled code not at all', () => {
    const megabytes = 40;
    const told = 'console.log(process.memoryUsage.rss())';
    const small = aProgram(told);
    const large = aProgram(`/*${' '.repeat(megabytes * 2 ** 20)}*/ ${told}`);
    for (const given of [small, large]) run(given);
    expect(Number(run(large)) - Number(run(small))).toBeLessThan(1.5 * megabytes * 2 ** 20);
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

describe('a program with a code cache', () => {
  type Told = { told?: unknown };

  /** Runs the program in this process. Returns what it told, and what is to be done when the process exits. */
  function start(file: string) {
    const before = process.listeners('exit');
    onTestFinished(() => {
      delete (globalThis as Told).told;
    });
    runWithCodeCache(file);
    const added = process.listeners('exit').filter((listener) => !before.includes(listener));
    for (const listener of added) process.off('exit', listener);
    const exit = (code: number) => {
      for (const listener of added) listener.call(process, code);
    };
    return { told: (globalThis as Told).told, isNew: added.length > 0, exit };
  }
  const write = (source: string) => {
    const file = join(temporaryFolder({ 'program.cjs': source }), 'program.cjs');
    return { file, cache: `${file}.cache` };
  };

  it('has the variables of a module, and is loaded when it has run', () => {
    const { file } = write(
      'globalThis.told = [__filename, __dirname, exports === module.exports, module.loaded, module.id];' +
        'globalThis.told.push(require("node:path").basename(__filename), () => module.loaded);',
    );
    const told = start(file).told as unknown[];
    expect(told.slice(0, 6)).toEqual([file, join(file, '..'), true, false, file, 'program.cjs']);
    expect((told[6] as () => boolean)()).toBe(true);
  });

  it('may end in a comment, hold other letters, and tells the places of its faults', () => {
    const { file } = write('globalThis.told = ["ü", new Error("x").stack]; // end');
    const [text, stack] = start(file).told as [string, string];
    expect([text, stack.includes(`${file}:1:25`)]).toEqual(['ü', true]);
  });

  it('is cached with the digest of its source when the process ends well, readable by all', () => {
    const source = 'globalThis.told = 1;';
    const { file, cache } = write(source);
    const { exit, isNew } = start(file);
    exit(1);
    expect([isNew, existsSync(cache)]).toEqual([true, false]);
    exit(0);
    expect(readFileSync(cache).subarray(0, 32)).toEqual(createHash('sha256').update(source).digest());
    expect([statSync(cache).mode & 0o777, readdirSync(join(file, '..')).sort()]).toEqual([
      0o644,
      ['program.cjs', 'program.cjs.cache'],
    ]);
    expect(start(file)).toMatchObject({ told: 1, isNew: false });
  });

  it('is cached anew when its source has changed, or when the cache is of no use', () => {
    const { file, cache } = write('globalThis.told = 1;');
    start(file).exit(0);
    writeFileSync(file, 'globalThis.told = 2;');
    const second = start(file);
    expect(second).toMatchObject({ told: 2, isNew: true });
    second.exit(0);
    // A source that this process has compiled before would not need the cache.
    const source = `globalThis.told = '${randomUUID()}';`;
    writeFileSync(file, source);
    writeFileSync(cache, Buffer.concat([createHash('sha256').update(source).digest(), Buffer.from('no code')]));
    const third = start(file);
    expect(third.isNew).toBe(true);
    third.exit(0);
    expect(start(file)).toMatchObject({ told: third.told, isNew: false });
  });

  it('runs on when the cache cannot be written, and leaves no part of it', () => {
    const { file, cache } = write('globalThis.told = 1;');
    writeFileSync(`${cache}.${process.pid}.tmp`, 'of another thread');
    start(file).exit(0);
    expect(readdirSync(join(file, '..'))).toEqual(['program.cjs']);
  });

  it('is the one that its parts require', () => {
    const { file } = write('exports.word = "shared"; globalThis.told = () => require("./part.cjs");');
    writeFileSync(join(file, '../part.cjs'), 'module.exports = require("./program.cjs").word;');
    expect((start(file).told as () => string)()).toBe('shared');
  });

  it('tells in its own words that a part of it is gone, and finds one that is there again', () => {
    const { file } = write(
      'exports.explainMissingPart = (cause) => new RangeError("replaced", { cause });' +
        'globalThis.told = (id) => require(id);',
    );
    const load = start(file).told as (id: string) => unknown;
    expect(() => load('./chunks/part.cjs')).toThrow(
      expect.objectContaining({ message: 'replaced', cause: expect.objectContaining({ code: 'MODULE_NOT_FOUND' }) }),
    );
    expect(() => load('./other/part.cjs')).toThrow('Cannot find module');
    mkdirSync(join(file, '../chunks'));
    writeFileSync(join(file, '../chunks/bad.cjs'), 'throw new Error("its own");');
    writeFileSync(join(file, '../chunks/part.cjs'), 'module.exports = "here";');
    expect(() => load('./chunks/bad.cjs')).toThrow('its own');
    expect(load('./chunks/part.cjs')).toBe('here');
  });

  it('is run with the digest of its source once it is loaded', () => {
    const source = 'exports.run = (...given) => { globalThis.told = [...given, module.loaded]; };';
    const { file } = write(source);
    expect(start(file).told).toEqual([createHash('sha256').update(source).digest('hex'), true]);
  });

  it('may have no words for a part that is gone', () => {
    const { file } = write('globalThis.told = () => require("./chunks/part.cjs");');
    expect(start(file).told as () => unknown).toThrow('Cannot find module');
  });
});
