import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { chmodSync, closeSync, fstatSync, openSync, readSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';
import { systemCode } from '../lib/errors.js';

const DIGEST_BYTES = 32;
const WRAPPER = ['(function (exports, require, module, __filename, __dirname) {', '\n})'] as const;
const PARTS = './chunks/';

/** Returns the text of `file` between two others, in ASCII, in memory that `release` can give back. */
function readBetween(file: string, before = '', after = ''): Buffer {
  const opened = openSync(file, 'r');
  try {
    const size = before.length + fstatSync(opened).size + after.length;
    const bytes = Buffer.from(new ArrayBuffer(size, { maxByteLength: size }));
    bytes.write(before, 'latin1');
    bytes.write(after, size - after.length, 'latin1');
    const end = size - after.length;
    for (let at = before.length, read = 1; at < end && read > 0; at += read)
      read = readSync(opened, bytes, at, end - at, null);
    return bytes;
  } finally {
    closeSync(opened);
  }
}

/** Gives the memory of `bytes` back to the system at once. A daemon at rest collects no garbage for hours. */
const release = (bytes: Buffer | undefined): void => (bytes?.buffer as ArrayBuffer | undefined)?.resize(0);

/** Returns the code that an earlier process cached for exactly this source, or undefined. */
function readCachedCode(cache: string, digest: Buffer): Buffer | undefined {
  try {
    const kept = readBetween(cache);
    return kept.subarray(0, DIGEST_BYTES).equals(digest) ? kept.subarray(DIGEST_BYTES) : undefined;
  } catch {
    return undefined;
  }
}

/** Replaces the cache atomically, because other processes may read it or write their own. */
function writeCachedCode(cache: string, code: Buffer): void {
  const temporary = `${cache}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, code, { flag: 'wx' });
    chmodSync(temporary, 0o644);
    renameSync(temporary, cache);
  } catch {
    // Installed by another user, or the disk is full: the next start compiles again.
    rmSync(temporary, { force: true });
  }
}

/** What a program may export for `runWithCodeCache`. */
interface Program {
  /** Returns the error to throw in place of `cause`, with which a part of the program was not found. */
  explainMissingPart?(cause: unknown): Error;
  /** Called once the program is loaded, with the SHA-256 of its source in hex. */
  run?(sha256: string): void;
}

/** Returns `require` with the program's own error for parts of it that are gone, as after another one was installed. */
function explainingRequire(require: NodeJS.Require, module: { exports: Program }): NodeJS.Require {
  const load = (id: string) => {
    try {
      return require(id);
    } catch (error) {
      if (!id.startsWith(PARTS) || systemCode(error) !== 'MODULE_NOT_FOUND') throw error;
      throw module.exports.explainMissingPart?.(error) ?? error;
    }
  };
  return Object.assign(load, require);
}

/**
 * Runs the CommonJS program at `file` with the code that V8 compiled for an earlier process, cached beside it in
 * `<file>.cache`. Without the cache, compiling takes about a third of the daemon's start. When there is no cache,
 * or V8 rejects it (another version of Node.js, other flags, another processor), the program is compiled as usual,
 * and this process writes the cache when it exits, with everything compiled by then. A folder that is not writable
 * only makes the start slower.
 *
 * Where a part below `./chunks/` is not found, the program's `require` throws what its export `explainMissingPart`
 * returns. Its export `run` is called with the SHA-256 once it is loaded.
 *
 * The cache is code. It is stored beside the program, where only users who could replace the program itself can write,
 * and never in a project. V8 compares only the length of the source, so the cache begins with the source's SHA-256.
 */
export function runWithCodeCache(file: string): void {
  const cache = `${file}.cache`;
  const [before, after] = WRAPPER;
  const source = readBetween(file, before, after);
  const digest = createHash('sha256').update(source.subarray(before.length, -after.length)).digest();
  const cachedData = readCachedCode(cache, digest);
  // The build output is plain ASCII: V8 stores a Latin-1 string in half the space, and it needs no decoding.
  const script = new Script(source.toString(isAscii(source) ? 'latin1' : 'utf8'), {
    filename: file,
    // Keeps positions in stack traces equal to those in the file, as its source map expects.
    columnOffset: -before.length,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  release(source);
  release(cachedData);
  if (!cachedData || script.cachedDataRejected) {
    // A process that failed to start has compiled too little to be worth caching.
    process.once(
      'exit',
      (exit) => exit === 0 && writeCachedCode(cache, Buffer.concat([digest, script.createCachedData()])),
    );
  }
  const require = createRequire(file);
  const module: Module & { exports: Program } = new Module(file);
  // Modules that are loaded later require the program they belong to. They must get this instance, not a second one.
  require.cache[require.resolve(file)] = module;
  script.runInThisContext()(module.exports, explainingRequire(require, module), module, file, dirname(file));
  module.loaded = true;
  module.exports.run?.(digest.toString('hex'));
}
