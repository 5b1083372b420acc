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

  it('is redacted at the end of a word that is longer than the buffer', () => {
    const text = `${'{"a":1},'.repeat(20_000)}{"k":"ghp_${'aB3'.repeat(12)}"}${tail}`;
    expect(streamed(listPieces(text, () => 1_000))).toBe(scrubSecrets(text));
    expect(scrubSecrets(text)).toContain(`"k":"${REDACTED}"`);
  });
});

it('redacts the start of a token at the end of a truncated text', () => {
  for (const begun of ['ghp_a', 'npm_abcdefgh', 'AKIAABC', 'hvs.abc', 'xoxb-1', 'eyJhbGciOiJI', 'SG.abcdef']) {
    const stream = new SecretStream();
    const given = stream.push(`The token is ${begun}`);
    expect(given + stream.end({ isCut: true })).toBe(`The token is ${REDACTED}`);
  }
  const stream = new SecretStream();
  expect(stream.push('It was lit at du') + stream.end({ isCut: true })).toBe('It was lit at du');
});

it('takes time linear in the text, whatever its chunks', () => {
  const startedMs = performance.now();
  streamed(listPieces('a'.repeat(300_000), () => 3));
  streamed(listPieces('word '.repeat(60_000), () => 5));
  expect(performance.now() - startedMs).toBeLessThan(5_000);
});
