import { isAscii } from 'node:buffer';
import { createHash } from 'node:crypto';
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import Module, { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

const DIGEST_BYTES = 32;
const WRAPPER = '(function (exports, require, module, __filename, __dirname) {';

/** What the last process kept for exactly this source; undefined when there is none. */
function keptCode(cache: string, digest: Buffer): Buffer | undefined {
  try {
    const kept = readFileSync(cache);
    return kept.subarray(0, DIGEST_BYTES).equals(digest) ? kept.subarray(DIGEST_BYTES) : undefined;
  } catch {
    return undefined;
  }
}

/** Puts `code` in the place of the cache at once: other processes may be reading it or writing theirs. */
function keep(cache: string, code: Buffer): void {
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

/**
 * Runs the CommonJS program at `file` with the code that V8 compiled for an earlier process, kept beside it in `<file>.cache`; about a third
 * of the daemon's start is otherwise compiling. Without a cache, or when V8 refuses it (another version of Node.js, other flags, another
 * processor), the program is compiled as usual and this process writes the cache when it exits, with all that it had to compile by then. A
 * folder that cannot be written means a slower start and nothing else.
 *
 * The cache is code: it lies beside the program, where nobody may write who may not replace the program itself, and never in a project.
 * V8 compares no more than the length of the source, so the cache begins with the source's SHA-256.
 */
export function runWithCodeCache(file: string): void {
  const cache = `${file}.cache`;
  const source = readFileSync(file);
  const digest = createHash('sha256').update(source).digest();
  const cachedData = keptCode(cache, digest);
  // What the build writes is plain ASCII: V8 keeps it in half the space, and it need not be decoded.
  const text = source.toString(isAscii(source) ? 'latin1' : 'utf8');
  const script = new Script(`${WRAPPER}${text}\n})`, {
    filename: file,
    // Positions in stack traces are those in the file, as its source map has them.
    columnOffset: -WRAPPER.length,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  if (!cachedData || script.cachedDataRejected) {
    // A process that was refused its start has compiled too little to be worth keeping.
    process.once('exit', (exit) => exit === 0 && keep(cache, Buffer.concat([digest, script.createCachedData()])));
  }
  const require = createRequire(file);
  const module = new Module(file);
  // Parts that are loaded later ask for the program that they belong to: it must be this one, not another run of it.
  require.cache[require.resolve(file)] = module;
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  module.loaded = true;
}
