import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedBy, SigningKey } from '../lib/crypto/ed25519.js';
import { createEd25519Key, verifyEd25519 } from './ed25519.js';

const toBase64 = (hex: string) => Buffer.from(hex, 'hex').toString('base64');
/** RFC 8032, section 7.1, tests whose message is UTF-8: seed, public key, message, signature. */
const VECTORS = [
  [
    '9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60',
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  [
    '4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb',
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    'r',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
] as const;

/** The verdicts on a signature of the daemon (node:crypto) and of the client library (tweetnacl). */
const both = (pubkey: string, text: string, sig: string) => [
  isSignedBy(pubkey, text, sig),
  verifyEd25519(pubkey, text, sig),
];

/** Returns `sig` with the order of the group added to its S: an equivalent S that is not canonical. */
function withOtherS(sig: string): string {
  const bytes = Buffer.from(sig, 'base64');
  const order = 2n ** 252n + 27742317777372353535851937790883648493n;
  const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
  Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32);
  return bytes.toString('base64');
}

describe('Ed25519 of tweetnacl and of node:crypto', () => {
  it.each(VECTORS)('agrees on the test vector of RFC 8032 with the seed %s', (seed, pubkey, text, sig) => {
    for (const key of [new SigningKey(Buffer.from(seed, 'hex')), createEd25519Key(Buffer.from(seed, 'hex'))]) {
      expect(key.pubkey).toBe(toBase64(pubkey));
      expect(key.sign(text)).toBe(toBase64(sig));
    }
    expect(both(toBase64(pubkey), text, toBase64(sig))).toEqual([true, true]);
    expect(both(toBase64(pubkey), text, withOtherS(toBase64(sig)))).toEqual([false, false]);
  });

  it('makes the same signatures, and rejects another text and a flipped bit', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 32, maxLength: 32 }),
        fc.string({ unit: 'binary' }),
        fc.integer({ min: 0, max: 511 }),
        (seed, text, bit) => {
          const [theirs, ours] = [new SigningKey(seed), createEd25519Key(seed)];
          const sig = theirs.sign(text);
          expect([ours.pubkey, ours.sign(text)]).toEqual([theirs.pubkey, sig]);
          expect(both(ours.pubkey, text, sig)).toEqual([true, true]);
          expect(both(ours.pubkey, `${text}.`, sig)).toEqual([false, false]);
          const flipped = Buffer.from(sig, 'base64');
          flipped[bit >> 3] = (flipped[bit >> 3] as number) ^ (1 << (bit & 7));
          expect(both(ours.pubkey, text, flipped.toString('base64'))).toEqual([false, false]);
        },
      ),
      { numRuns: 20 },
    );
  });

  it.each([
    '0100000000000000000000000000000000000000000000000000000000000000',
    'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
    '0000000000000000000000000000000000000000000000000000000000000000',
    'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a',
    '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85',
    'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f',
  ])('rejects a key of small order or a non-canonical key: %s', (hex) => {
    const zeroSig = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(32)]).toString('base64');
    expect(both(toBase64(hex), 'anything', zeroSig)).toEqual([false, false]);
  });

  it.each([
    '',
    'not base64!',
    '='.repeat(44),
    'A'.repeat(43),
    `${'A'.repeat(43)}= `,
    `\n${'A'.repeat(43)}=`,
    `${'A'.repeat(42)}B=`,
  ])('rejects a key spelled %j', (pubkey) => {
    expect(both(pubkey, '', toBase64(VECTORS[0][3]))).toEqual([false, false]);
  });

  it('throws for a seed of another length', () => {
    expect(() => createEd25519Key(new Uint8Array(31))).toThrow('seed');
  });
});
