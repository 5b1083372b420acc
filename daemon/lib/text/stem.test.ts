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

/** Stems of each measure and each kind of ending, alone and with every suffix of the algorithm. */
const ROOTS = [
  '',
  'a',
  'b',
  'ca',
  'tr',
  'cat',
  'oper',
  'sky',
  'tabl',
  'creat',
  'siz',
  'fall',
  'hopp',
  'fil',
  'box',
  'y',
];
ROOTS.push('ow', 'toy', 'adopt', 'pass', 'connect', 'hiss', 'fizz', 'roll', 'depend', 'relat', 'abyss', 'eye', 'sayt');
const SUFFIXES = `
- s es ies sses ss ed eed ing y ly e ee le ational tional enci anci izer logi bli alli entli eli ousli ization ation
ator alism iveness fulness ousness aliti iviti biliti icate ative alize iciti ical ful ness al ance ence er ic able
ible ant ement ment ent ion sion tion ou ism ate iti ous ive ize ll izational ativeness icalness
`
  .trim()
  .split(/\s+/);
const BUILT = ROOTS.flatMap((root) => SUFFIXES.map((suffix) => (suffix === '-' ? root : root + suffix)));
const LIMITS = [
  'by',
  'is',
  'its',
  '1s',
  '12s',
  '404s',
  '3files',
  'файлs',
  '日本語s',
  `${'日'.repeat(20)}sing`,
  `${'日'.repeat(21)}sing`,
  `${'a'.repeat(60)}sing`,
  `${'a'.repeat(61)}sing`,
];

it('stems every word as the full-text index does', () => {
  const words = [...new Set([...WORDS, ...BUILT, ...LIMITS])].filter((word) => word !== '');
  const database = openSqlite(':memory:');
  database.exec(
    "CREATE VIRTUAL TABLE t USING fts5(w, tokenize = 'porter unicode61'); CREATE VIRTUAL TABLE v USING " +
      "fts5vocab(t, 'instance')",
  );
  const add = database.prepare('INSERT INTO t (rowid, w) VALUES (?, ?)');
  words.forEach((word, index) => {
    add.run(index + 1, word);
  });
  const rows = database.prepare('SELECT doc, term FROM v ORDER BY doc').all() as { doc: number; term: string }[];
  database.close();
  expect(Object.fromEntries(words.map((word) => [word, stem(word)]))).toEqual(
    Object.fromEntries(rows.map((row) => [words[row.doc - 1], row.term])),
  );
});
