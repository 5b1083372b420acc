import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';

const checkers = new Map<TSchema, { Check(value: unknown): boolean }>();

/** Whether the value has the form of the schema. Compiles each schema once. */
export function hasForm(schema: TSchema, value: unknown): boolean {
  let checker = checkers.get(schema);
  if (!checker) {
    checker = Compile(schema);
    checkers.set(schema, checker);
  }
  return checker.Check(value);
}
