/** The result of the last measurement of a folder. */
export interface MutantScore {
  folder: string;
  /** The folders whose tests were run. */
  tests: string[];
  /** Percentage of the mutants that a test found: `killed` and `timed_out` of all. */
  score: number;
  killed: number;
  timed_out: number;
  survived: number;
  /** Survivors in code that no test of the measurement runs. */
  uncovered: number;
  /** The day of the measurement. */
  date: string;
  /** Digest of the sources that were measured. */
  digest: string;
}

export declare function goalOf(folder: string): number;
export declare function listSources(root: string, folder: string): string[];
export declare function digestOf(root: string, folder: string): string | undefined;
export declare function readScores(root: string): MutantScore[];
export declare function keepScore(root: string, score: MutantScore): void;
export declare function listNotes(root: string): string[];
