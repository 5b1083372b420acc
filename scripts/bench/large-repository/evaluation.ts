import type { AskRecord } from '../../../daemon/contract/asks.js';
import type { Fact } from './generate.js';

/** The parts of an answer by which it is judged. */
export type Judged = Pick<AskRecord, 'confidence' | 'result_text' | 'citations'>;

const PLACES = 3;

/** Returns what is wrong with the answer to `fact`, or undefined when it is right. */
export function findFault(fact: Fact, { confidence, result_text, citations = [] }: Judged): string | undefined {
  if (fact.kind === 'absent')
    return confidence === 'none' ? undefined : `${confidence}: cites ${citations[0]?.path ?? 'nothing'}`;
  if (confidence === 'none') return 'none: it is there';
  const paths = citations.map(({ path }) => path);
  if (fact.kind === 'callers') {
    const [wanted, found] = [new Set(fact.paths), new Set(paths)];
    const missing = [...wanted].filter((path) => !found.has(path)).length;
    const wrong = [...found].filter((path) => !wanted.has(path)).length;
    return missing + wrong === 0 ? undefined : `${missing} of ${wanted.size} are missing, ${wrong} are wrong`;
  }
  const isStructure = fact.kind === 'definition' || fact.kind === 'value';
  const near = paths.slice(0, isStructure ? 1 : PLACES);
  if (!near.some((path) => fact.paths.includes(path))) return `cites ${near.join(', ') || 'nothing'}`;
  if (fact.says !== undefined && !(result_text ?? '').includes(fact.says)) return `does not say ${fact.says}`;
  return undefined;
}

/** What an answer rests on: two answers of the same tree are equal in it. */
export const toPlaces = ({ confidence, citations = [] }: Judged): string =>
  [confidence, ...citations.map(({ path, start_line, end_line }) => `${path}:${start_line}-${end_line}`)].join(' ');

/** One question, asked once. */
export interface Asked {
  fact: Fact;
  fault: string | undefined;
  places: string;
  ms: number;
}

/** Returns the shares that are reported: of what is there, and of what is not. */
export function countRight(asked: readonly Asked[]): Record<'planted' | 'absent', { right: number; all: number }> {
  const count = (isAbsent: boolean) => {
    const own = asked.filter(({ fact }) => (fact.kind === 'absent') === isAbsent);
    return { right: own.filter(({ fault }) => fault === undefined).length, all: own.length };
  };
  return { planted: count(false), absent: count(true) };
}
