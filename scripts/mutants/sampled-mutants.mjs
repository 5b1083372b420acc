import { createHash } from 'node:crypto';
import { relative } from 'node:path';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';

/** The environment variables with the part of the mutants to take, from 0 to 1, and the seed of the draw. */
export const PART = 'MUTANTS_PART';
export const SEED = 'MUTANTS_SEED';

/** Tells whether a mutant is drawn: by what it is, so that a draw is the same on each machine. */
export function isDrawn({ fileName, location, mutatorName, replacement }, part, seed) {
  const { start, end } = location;
  const text = [fileName, start.line, start.column, end.line, end.column, mutatorName, replacement, seed].join('\0');
  return createHash('sha256').update(text).digest().readUInt32BE() < part * 2 ** 32;
}

/** Stryker's way to leave out a mutant before its tests run: a checker says that it cannot be compiled. */
class SampleChecker {
  async init() {}

  async check(mutants) {
    const part = Number(process.env[PART]);
    const check = (mutant) =>
      isDrawn({ ...mutant, fileName: relative(process.cwd(), mutant.fileName) }, part, process.env[SEED])
        ? { status: 'passed' }
        : { status: 'compileError', reason: 'not drawn' };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, check(mutant)]));
  }

  async group(mutants) {
    return [mutants.map(({ id }) => id)];
  }
}

export const strykerPlugins = [declareFactoryPlugin(PluginKind.Checker, 'sample', () => new SampleChecker())];
