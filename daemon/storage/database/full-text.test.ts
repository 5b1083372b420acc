import { expect, it } from 'vitest';
import { toMatchQuery } from './full-text.js';
import { openSqlite } from './sqlite.js';

it.each([
  ['harbour', '"harbour"*'],
  ['  two  words ', '"two" "words"*'],
  ['a-b "or" c*', '"a" "b" "or" "c"*'],
  ['Über_2', '"Über_2"*'],
  ['', '""'],
  ['?! …', '""'],
])('turns %j into the query %s', (words, query) => {
  expect(toMatchQuery(words)).toBe(query);
});

it('finds every word, the last one by its beginning, and nothing without a word', () => {
  const database = openSqlite(':memory:');
  database.exec("CREATE VIRTUAL TABLE t USING fts5 (text); INSERT INTO t VALUES ('near the harbour'), ('near')");
  const count = (words: string) =>
    database.prepare('SELECT count(*) FROM t WHERE t MATCH ?').pluck().get(toMatchQuery(words));
  expect(['near harb', 'harb near', 'near', 'nea near', '-'].map(count)).toEqual([1, 0, 2, 0, 0]);
  database.close();
});
