import { expect, it, onTestFinished } from 'vitest';
import { openSqlite } from './sqlite.js';
import { Statements } from './statements.js';

it('prepares each text once', () => {
  const sqlite = openSqlite(':memory:');
  onTestFinished(() => void sqlite.close());
  const statements = new Statements(sqlite);
  const one = statements.of('SELECT 1');
  expect([one.pluck().get(), statements.of('SELECT 2').pluck().get()]).toEqual([1, 2]);
  expect([statements.of('SELECT 1') === one, statements.of('SELECT 2') === one]).toEqual([true, false]);
});
