import { relative } from 'node:path';
import type { Stryker } from '@stryker-mutator/core';
import type { MutantScore } from './kept-scores.mjs';

export type MutantResult = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

export type MutantCounts = Pick<MutantScore, 'killed' | 'timed_out' | 'survived' | 'uncovered'>;

const REPLACEMENT_MAX_CHARS = 80;

/** Counts what became of the mutants. Those that could not run, or that a comment excludes, count nowhere. */
export function getScore(
  results: readonly Pick<MutantResult, 'status'>[],
): Pick<MutantScore, 'score' | 'killed' | 'timed_out' | 'survived' | 'uncovered'> {
  const count = (wanted: MutantResult['status']) => results.filter(({ status }) => status === wanted).length;
  const [killed, timed_out, survived, uncovered] = [
    count('Killed'),
    count('Timeout'),
    count('Survived'),
    count('NoCoverage'),
  ];
  return { score: shareOf({ killed, timed_out, survived, uncovered }).score, killed, timed_out, survived, uncovered };
}

/** Returns how many mutants were found, of how many, and the percentage, rounded down. */
export function shareOf({ killed, timed_out, survived, uncovered }: MutantCounts): {
  found: number;
  all: number;
  score: number;
} {
  const found = killed + timed_out;
  const all = found + survived + uncovered;
  return { found, all, score: all === 0 ? 100 : Math.floor((1000 * found) / all) / 10 };
}

/** Formats a survivor: its place, the kind of change, and what stood there instead. */
export function toLine({ fileName, location, mutatorName, replacement, status }: MutantResult, root: string): string {
  const { line, column } = location.start;
  const text = (replacement ?? '').replace(/\s+/g, ' ');
  const shown = text.length > REPLACEMENT_MAX_CHARS ? `${text.slice(0, REPLACEMENT_MAX_CHARS)}…` : text;
  const where = `${relative(root, fileName)}:${line}:${column}`;
  return `${where} ${mutatorName}${status === 'NoCoverage' ? ' (no test)' : ''}: ${shown}`;
}

const Z_95 = 1.96;

/** Returns the bounds, in percent, of the share that a draw of `all` with `found` stands for (Wilson, 95 %). */
export function getInterval(found: number, all: number): [low: number, high: number] {
  if (all === 0) return [0, 100];
  const share = found / all;
  const middle = share + Z_95 ** 2 / (2 * all);
  const spread = Z_95 * Math.sqrt((share * (1 - share)) / all + Z_95 ** 2 / (4 * all ** 2));
  const toPercent = (value: number) => Math.round(Math.max(0, 1000 * value) / (1 + Z_95 ** 2 / all)) / 10;
  return [toPercent(middle - spread), toPercent(middle + spread)];
}
