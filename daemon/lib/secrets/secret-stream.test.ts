import { describe, expect, it } from 'vitest';
import { Dice } from '../../testing/dice.js';
import { plantedSecrets } from '../../testing/planted-secrets.js';
import { SecretStream } from './secret-stream.js';
import { REDACTED, scrubSecrets } from './secrets.js';

function streamed(pieces: readonly string[]): string {
  const stream = new SecretStream();
  return pieces.map((piece) => stream.push(piece)).join('') + stream.end({ isCut: false });
}

const listPieces = (text: string, size: () => number) => {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    const end = at + size();
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
};

describe('a text in chunks', () => {
  it.each(plantedSecrets(3).map((one) => [one.id, one] as const))(
    'is scrubbed of %s like the whole text, wherever it is split',
    (_, { text, secret }) => {
      const whole = `The file says: ${text}\nand nothing else, as it seems to me now.`;
      const clean = scrubSecrets(whole);
      const dice = new Dice(secret.length);
      for (const size of [() => 1, () => 2, () => 7, () => 1 + dice.below(40), () => whole.length])
        expect(streamed(listPieces(whole, size))).toBe(clean);
      for (let cut = 0; cut < whole.length; cut += 1)
        expect(streamed([whole.slice(0, cut), whole.slice(cut)])).toBe(clean);
    },
  );

  it('is scrubbed like the whole text when it contains many secrets close together', () => {
    const dice = new Dice(9);
    const text = plantedSecrets(5)
      .map((one) => `${one.text}${dice.pick([' ', '\n', ', ', ' — ', '。'])}`)
      .join('');
    const clean = scrubSecrets(text);
    for (let round = 0; round < 40; round += 1)
      expect(streamed(listPieces(text, () => 1 + dice.below(200)))).toBe(clean);
  });

  it('is scrubbed of a private key with line numbers, as agents quote files', () => {
    const key = plantedSecrets(4).find(({ id }) => id === 'meshd/private-key')?.text ?? '';
    const text = `Here:\n${key
      .split('\n')
      .map((line, index) => `    ${index + 1}→${line}`)
      .join('\n')}\nThat is all.`;
    expect(streamed(listPieces(text, () => 3))).toBe(scrubSecrets(text));
    expect(scrubSecrets(text)).toBe(`Here:\n    1→${REDACTED}\nThat is all.`);
  });

  it('is emitted as it arrives: at most a few words are held back', () => {
    const stream = new SecretStream();
    const words = Array.from({ length: 100 }, (_, index) => `word${index} `);
    let given = 0;
    let said = 0;
    for (const word of words) {
      said += word.length;
      given += stream.push(word).length;
      expect(said - given).toBeLessThan(64);
    }
    const other = new SecretStream();
    expect(other.push('灯台は夕暮れに')).toBe('灯台は夕暮れに');
  });
});

describe('a secret that is longer than the buffer', () => {
  const tail = ' and the rest.';
  it.each([
    ['a token', `sk-${'aB3'.repeat(60_000)}`],
    ['a key', `-----BEGIN PRIVATE KEY-----\n${`${'aB3/'.repeat(16)}\n`.repeat(3_000)}-----END PRIVATE KEY-----`],
    ['a key in one line', `-----BEGIN PRIVATE KEY-----${'aB3/'.repeat(50_000)}-----END PRIVATE KEY-----`],
  ])('%s is replaced once', (_, secret) => {
    expect(streamed(listPieces(`Say ${secret}${tail}`, () => 4_001))).toBe(`Say ${REDACTED}${tail}`);
  });

  it('is replaced once when it is a value after identifying words', () => {
    const text = `Say AccountKey=${'aB3'.repeat(60_000)}${tail}`;
    expect(streamed(listPieces(text, () => 4_001))).toBe(`Say AccountKey=${REDACTED}${tail}`);
  });

  it.each([7, 1_000, 4_001])('is replaced once, and so is each one after it, in pieces of %i', (size) => {
    const [long, short] = [`sk-${'aB3'.repeat(60_000)}`, `ghp_${'aB3'.repeat(12)}`];
    const text = `Say ${long} and ${short} or ${short}${tail}`;
    expect(streamed(listPieces(text, () => size))).toBe(`Say ${REDACTED} and ${REDACTED} or ${REDACTED}${tail}`);
  });

  it.each([
    ['a token of three parts', `eyJhbGciOiJIUzI1NiJ9.${'aB3'.repeat(1_000)}.${'aB3'.repeat(20)}`],
    ['a login', `https://${'k33per'.repeat(40)}:${'f0rty-two'.repeat(25)}@host`],
  ])('%s is redacted in a word that is longer than the buffer, wherever its pieces end', (_, secret) => {
    const text = `${'{"a":1},'.repeat(8_150)}{"k":"${secret}"}${tail}`;
    const clean = scrubSecrets(text);
    expect(clean).toContain(REDACTED);
    for (const size of [61, 997]) expect(streamed(listPieces(text, () => size))).toBe(clean);
  });

  it('is redacted at the end of a word that is longer than the buffer', () => {
    const text = `${'{"a":1},'.repeat(20_000)}{"k":"ghp_${'aB3'.repeat(12)}"}${tail}`;
    expect(streamed(listPieces(text, () => 1_000))).toBe(scrubSecrets(text));
    expect(scrubSecrets(text)).toContain(`"k":"${REDACTED}"`);
  });
});

describe('the end of a truncated text', () => {
  const cut = (text: string, isCut = true) => {
    const stream = new SecretStream();
    return stream.push(text) + stream.end({ isCut });
  };

  it.each([
    ...['ghp_a', 'npm_abcdefgh', 'AKIAABC', 'hvs.abc', 'xoxb-1', 'eyJhbGciOiJI', 'SG.abcdef', 'A3T', 'ASIA'],
    ...['gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'glpat-', 'glc_a', 'glsa_', 'gsk_', 'hf_abc', 'hvb.', 'hvr.'],
    ...['lin_api_', 'ntn_1', 'ops_ey', 'ck_', 'ak_', 'tk_a', 'mk_', 'tt_', 'sk_live_', 'rk_test_', 'sk-ant-', 'shpat_'],
    ...['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_', 'dapi12', 'dckr_pat_', 'figd_', 'xapp-1', 'AIzaSy', 'hf_a+b/c=d.e-f'],
  ])('is redacted when it is the start of a token: %s', (begun) => {
    expect(cut(`The token is ${begun}`)).toBe(`The token is ${REDACTED}`);
    expect(cut(`${'x'.repeat(400)}/${begun}`)).toBe(`${'x'.repeat(400)}/${REDACTED}`);
    expect(cut(`The token is ${begun}`, false)).toBe(`The token is ${begun}`);
  });

  it.each(['It was lit at du', 'the desk-', 'from the Asahi_', 'a ghp_a, and', 'sk', 'a flask_a'])(
    'is left when it is not: %j',
    (text) => {
      expect(cut(text)).toBe(text);
    },
  );

  it('is redacted when a whole secret ends there', () => {
    expect(cut(`The key is mk_${'a1'.repeat(20)}`, false)).toBe(`The key is ${REDACTED}`);
  });
});

describe('words that may begin a secret', () => {
  const shown = (text: string) => new SecretStream().push(text);

  it.each([
    ['Bearer', 'Send it as Bearer '],
    ['a key', 'It has a secret key '],
    ['a secret', 'The SECRET is '],
    ['a private key', 'It begins with -----BEGIN RSA PRIVATE '],
  ])('are held back until it is known: %s', (_, text) => {
    expect(shown(text)).not.toContain(text.trim().split(' ').at(-1));
  });

  it('are at most six, and others are shown at once up to the last one', () => {
    expect(shown('one two three four five six seven bearer nine ten')).toBe('one two three four ');
    expect(shown('one two three four five six seven eight nine ten')).toBe(
      'one two three four five six seven eight nine ',
    );
    expect(shown('bearer two three four five six seven eight ')).toBe('bearer two three four five six seven eight ');
  });

  it('are shown once at the end', () => {
    const stream = new SecretStream();
    expect(stream.push('Send it as Bearer ') + stream.end({ isCut: false })).toBe('Send it as Bearer ');
    expect(stream.push('') + stream.end({ isCut: false })).toBe('');
  });
});

it('takes time linear in the text, whatever its chunks', () => {
  const startedMs = performance.now();
  streamed(listPieces('a'.repeat(300_000), () => 3));
  streamed(listPieces('word '.repeat(60_000), () => 5));
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
