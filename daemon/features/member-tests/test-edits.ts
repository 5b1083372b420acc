import { MEMBER_FILE_LIMIT } from '../../contract/limits.js';
import type { MemberTest } from '../../contract/member-tests.js';
import { MeshError } from '../../lib/errors.js';
import { findSecret } from '../../lib/secrets/secrets.js';
import { readTestFile } from './test-file.js';
import type { StoredTests } from './test-files.js';

/** Throws `too_large`, `secret_in_member_file`, and `bad_request` with `problem` for a text that is not valid tests. */
export function requireGoodText(text: string): void {
  if (Buffer.byteLength(text) > MEMBER_FILE_LIMIT)
    throw new MeshError('too_large', 'A file of tests has at most 256 KiB: shorten it.');
  const secret = findSecret(text);
  if (secret) {
    const line = text.slice(0, secret.index).split('\n').length;
    throw new MeshError(
      'secret_in_member_file',
      `Line ${line} holds what looks like a secret (${secret.kind}…). Tests are committed: keep secrets out of them.`,
      { details: { line } },
    );
  }
  const { problem } = readTestFile(text);
  if (problem)
    throw new MeshError('bad_request', `Line ${problem.line}: ${problem.reason}`, {
      details: { path: 'text', problem },
    });
}

/** Throws `file_changed` with the current `revision` unless it equals `revision`. null means that no file exists. */
export function requireRevision(current: StoredTests | undefined, revision: string | null): void {
  const present = current?.revision ?? null;
  if (present === revision) return;
  const said =
    present === null
      ? 'The file of tests is gone: send `revision: null` to write it anew.'
      : revision === null
        ? 'There is a file of tests already: read it, and send its revision with the edit.'
        : 'The file of tests has changed since you read it: read it again and repeat the edit.';
  throw new MeshError('file_changed', said, { details: { revision: present } });
}

/** Returns the tests at the indexes `only`, in file order, or all. Throws `bad_request` for an index without a test. */
export function chosenTests(tests: readonly MemberTest[], only: readonly number[] | undefined): readonly MemberTest[] {
  if (only === undefined) return tests;
  return [...new Set(only)]
    .sort((a, b) => a - b)
    .map((index) => {
      const test = tests[index];
      if (!test) {
        throw new MeshError(
          'bad_request',
          `There is no question ${index}: there are ${tests.length}, counted from 0.`,
          {
            details: { path: 'only' },
          },
        );
      }
      return test;
    });
}

/** Sorts the results by the order of their questions in the file. */
export function inOrder<T extends { question: string }>(tests: readonly MemberTest[], results: readonly T[]): T[] {
  const places = new Map(tests.map(({ question }, index) => [question, index]));
  return results.toSorted((a, b) => (places.get(a.question) ?? 0) - (places.get(b.question) ?? 0));
}
