import { describe, expect, it } from 'vitest';
import { findKeyBlocks } from './private-key-block.js';

const LINE = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC';
const [BEGIN, END] = ['-----BEGIN PRIVATE KEY-----', '-----END PRIVATE KEY-----'];

/** The parts of `text` that are taken for keys. */
const keysIn = (text: string) => findKeyBlocks(text).map(({ start, end }) => text.slice(start, end));

describe('A private key in a text', () => {
  it.each(['', 'RSA ', 'EC ', 'ENCRYPTED ', 'OPENSSH ', 'DSA '])(
    'of the kind "%s" is found from mark to mark',
    (kind) => {
      const key = `-----BEGIN ${kind}PRIVATE KEY-----\n${LINE}\n${LINE}\n-----END ${kind}PRIVATE KEY-----`;
      expect(keysIn(`before ${key} after`)).toEqual([key]);
      expect(keysIn(key.replaceAll('-----', '----'))).toEqual([]);
    },
  );

  it('of PGP is found with its headers and its checksum', () => {
    const [begin, end] = ['-----BEGIN PGP PRIVATE KEY BLOCK-----', '-----END PGP PRIVATE KEY BLOCK-----'];
    const key = `${begin}\nVersion: GnuPG v2\nComment:\n\n${LINE}\n${LINE.slice(0, 9)}\n=a1B2\n${end}`;
    expect(keysIn(`${key}\nafter`)).toEqual([key]);
  });

  it('with the headers of an encrypted one is found', () => {
    const key = `${BEGIN}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,0A1B\n\n${LINE}\n${END}`;
    expect(keysIn(key)).toEqual([key]);
  });

  it.each([
    ['JSON', (line: string) => `${line}\\n`],
    ['JSON of another system', (line: string) => `${line}\\r\\n`],
    ['an indented document', (line: string) => `      ${line}\n`],
    ['a diff', (line: string) => `+${line}\n`],
    ['a quotation', (line: string) => `> ${line}\n`],
    ['a numbered listing', (line: string) => `123456\t${line}\n`],
    ['a listing of search results', (line: string) => `12:${line}\n`],
    ['a concatenated string', (line: string) => `"${line}" +\n`],
    ['a list of strings', (line: string) => `'${line}',\n`],
    ['one line', (line: string) => line],
  ])('is found whole in %s', (_where, quoted) => {
    const text = [BEGIN, LINE, LINE, `${LINE.slice(0, 7)}=`, END].map(quoted).join('');
    const [key = '', ...others] = keysIn(text);
    expect(others).toEqual([]);
    expect([key.startsWith(BEGIN), key.endsWith(END)]).toEqual([true, true]);
  });

  it('is found with each of several others', () => {
    const key = `${BEGIN}\n${LINE}\n${END}`;
    expect(keysIn(`${key}\n\n${key}`)).toEqual([key, key]);
    expect(keysIn(`A PRIVATE KEY is no text to paste. ${key}`)).toEqual([key]);
  });

  it.each([
    ['after a whole line', `${BEGIN}\n${LINE}\n`, `${BEGIN}\n${LINE}`],
    ['within a line of at least 24 characters', `${BEGIN}\n${LINE.slice(0, 24)}`, `${BEGIN}\n${LINE.slice(0, 24)}`],
    ['after the padding of its last line', `${BEGIN}\n${LINE}\nAB==\n\nThen.`, `${BEGIN}\n${LINE}\nAB==`],
    ['before its checksum has ended', `${BEGIN}\n${LINE}\nABC\n=a1`, `${BEGIN}\n${LINE}\nABC`],
    ['after its mark', `Look for ${BEGIN} in it.`, BEGIN],
  ])('that is cut off %s ends there', (_where, text, key) => {
    expect(keysIn(text)).toEqual([key]);
  });

  it.each(['Then', 'certificates', LINE.slice(0, 23)])(
    'that is cut off does not take the word %j that follows',
    (word) => {
      expect(keysIn(`${BEGIN}\n${LINE}\n\n${word} and more.`)).toEqual([`${BEGIN}\n${LINE}`]);
    },
  );

  it('is found when the dashes after either mark are cut off', () => {
    const key = `${BEGIN.slice(0, -5)}\n${LINE}\n${END.slice(0, -5)}`;
    expect(keysIn(`${key}\nafter`)).toEqual([key]);
  });
});
