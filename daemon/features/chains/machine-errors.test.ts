import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect, it } from 'vitest';
import { transactionError } from './machine-errors.js';

const shown = (text: string) => ({ toString: () => text });
const inInstruction = (index: number, error: string) =>
  shown(`TransactionErrorInstructionError { index: ${index}, error: ${error} }`);

/** The errors without a field by number, as the machine's library declares them. */
const DECLARED = [
  ...(/enum TransactionErrorFieldless \{([^}]*)\}/
    .exec(readFileSync(createRequire(import.meta.url).resolve('litesvm/dist/internal.d.ts'), 'utf8'))?.[1]
    ?.matchAll(/(\w+) = (\d+)/g) ?? []),
].map(([, name, number]) => [Number(number), name] as const);

it('knows as many errors as the machine declares', () => {
  expect(DECLARED).toHaveLength(35);
  expect(transactionError(DECLARED.length)).toBe('SanitizeFailure');
});

it.each(DECLARED)('error %i of the machine is %s', (number, name) => {
  expect(transactionError(number)).toBe(name);
});

it.each([
  ['a program’s own error', inInstruction(12, 'InstructionErrorCustom { code: 10 }'), [12, { Custom: 10 }]],
  ['a named error', inInstruction(0, 'InsufficientFunds'), [0, 'InsufficientFunds']],
  ['a named error with a field', inInstruction(3, 'BorshIoError { message: "x" }'), [3, 'BorshIoError']],
  ['an error that only contains one with a code', inInstruction(0, 'An InstructionErrorCustom { code: 1 }'), [0, 'An']],
  [
    'an error that goes on after its code',
    inInstruction(0, 'InstructionErrorCustom { code: 1 } x'),
    [0, 'InstructionErrorCustom'],
  ],
  ['an error without a name', inInstruction(1, '(Custom)'), [1, 'GenericError']],
])('%s in an instruction is told with the position of the instruction', (_name, given, error) => {
  expect(transactionError(given)).toEqual({ InstructionError: error });
});

it.each([
  ['TransactionErrorDuplicateInstruction { index: 1 }', 'DuplicateInstruction'],
  ['TransactionErrorInstructionError { index: x, error: y }', 'InstructionError'],
  ['TransactionErrorInstructionError { index: 1, error: y } more', 'InstructionError'],
  ['a TransactionErrorInstructionError { index: 1, error: y }', 'SanitizeFailure'],
  ['a TransactionErrorDuplicateInstruction', 'SanitizeFailure'],
  ['', 'SanitizeFailure'],
])('the error %j has one name', (text, name) => {
  expect(transactionError(shown(text))).toBe(name);
});
