import { expect, it } from 'vitest';
import { openSqlite } from '../../storage/database/sqlite.js';
import { stem } from './stem.js';

const WORDS = `
caresses ponies ties caress cats feed agreed plastered bled motoring sing conflated troubled sized hopping tanned falling hissing fizzed failing
filing happy sky relational conditional rational valenci digitizer conformabli radicalli differentli vileli analogousli vietnamization predication
operator feudalism decisiveness hopefulness callousness formaliti sensitiviti sensibiliti triplicate formative formalize electriciti electrical
hopeful goodness revival allowance inference airliner gyroscopic adjustable defensible irritant replacement adjustment dependent adoption
homologou communism activate angulariti homologous effective bowdlerize probate rate cease controll roll configuration configured settings
handlers parsing parsed databases queries timeouts generically organization server logging logger sha256 v8 yyy buy eye
`
  .trim()
  .split(/\s+/);

it('stems every word as the full-text index does', () => {
  const database = openSqlite(':memory:');
  database.exec(
    "CREATE VIRTUAL TABLE t USING fts5(w, tokenize = 'porter unicode61'); CREATE VIRTUAL TABLE v USING " +
      "fts5vocab(t, 'instance')",
  );
  const add = database.prepare('INSERT INTO t (rowid, w) VALUES (?, ?)');
  WORDS.forEach((word, index) => {
    add.run(index + 1, word);
  });
  const rows = database.prepare('SELECT doc, term FROM v ORDER BY doc').all() as { doc: number; term: string }[];
  database.close();
  expect(Object.fromEntries(WORDS.map((word) => [word, stem(word)]))).toEqual(
    Object.fromEntries(rows.map((row) => [WORDS[row.doc - 1], row.term])),
  );
});
