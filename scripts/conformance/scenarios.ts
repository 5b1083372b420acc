import { isDeepStrictEqual } from 'node:util';

/** One documented behaviour of a protocol. The title is the sentence of its documentation. */
export interface Scenario {
  title: string;
  run: () => Promise<void>;
}

/** A value that differs from what the documentation says. */
class Mismatch extends Error {
  constructor(what: string, expected: unknown, received: unknown) {
    super(`${what}\n      expected: ${shown(expected)}\n      received: ${shown(received)}`);
  }
}

const shown = (value: unknown) => (JSON.stringify(value) ?? String(value)).slice(0, 1_500);

/** Throws unless `received` is deeply equal to `expected`. */
export function same(what: string, received: unknown, expected: unknown): void {
  if (!isDeepStrictEqual(received, expected)) throw new Mismatch(what, expected, received);
}

/** Throws unless `received` is one of `allowed`. */
export function oneOf(what: string, received: unknown, allowed: readonly unknown[]): void {
  if (!allowed.includes(received)) throw new Mismatch(what, allowed, received);
}

/** Throws unless `isTrue`. `received` is shown beside what was expected. */
export function holds(what: string, isTrue: boolean, received: unknown): void {
  if (!isTrue) throw new Mismatch(what, 'that it holds', received);
}

/** Runs the scenarios of one group one after another. Returns the failed ones with what was expected and received. */
export async function runScenarios(group: string, scenarios: readonly Scenario[]): Promise<string[]> {
  const failed: string[] = [];
  for (const { title, run } of scenarios) {
    try {
      await run();
    } catch (error) {
      const said = error instanceof Mismatch ? error.message : error instanceof Error ? error.stack : String(error);
      failed.push(`${group}: ${title}\n    ${said}`);
    }
  }
  console.log(`${group}: ${scenarios.length - failed.length} of ${scenarios.length} scenarios pass.`);
  return failed;
}
