import type { Mutant } from '@stryker-mutator/api/core';

export declare const PART: string;
export declare const SEED: string;
export declare function isDrawn(
  mutant: Pick<Mutant, 'fileName' | 'location' | 'mutatorName' | 'replacement'>,
  part: number,
  seed: string | undefined,
): boolean;
