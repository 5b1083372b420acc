import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isSignedBy, SigningKey } from './ed25519.js';

/** RFC 8032, section 7.1, test 1: the empty message. */
const RFC_SEED = Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex');
const RFC_PUBKEY = Buffer.from('d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a', 'hex').toString(
  'base64',
);
const RFC_SIG = Buffer.from(
  'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  'hex',
).toString('base64');

describe('Ed25519', () => {
  it('signs and verifies the test vector of RFC 8032', () => {
    const key = new SigningKey(RFC_SEED);
    expect(key.pubkey).toBe(RFC_PUBKEY);
    expect(key.sign('')).toBe(RFC_SIG);
    expect(isSignedBy(RFC_PUBKEY, '', RFC_SIG)).toBe(true);
  });

  it('rejects any other text, key or signature', () => {
    const key = new SigningKey(SigningKey.newSeed());
    fc.assert(
      fc.property(
        fc.string(),
        fc.string(),
        fc.integer({ min: 0, max: 63 }),
        fc.integer({ min: 0, max: 7 }),
        (text, other, byte, bit) => {
          const sig = key.sign(text);
          expect(isSignedBy(key.pubkey, text, sig)).toBe(true);
          if (other !== text) expect(isSignedBy(key.pubkey, other, sig)).toBe(false);
          const flipped = Buffer.from(sig, 'base64');
          flipped[byte] = (flipped[byte] as number) ^ (1 << bit);
          expect(isSignedBy(key.pubkey, text, flipped.toString('base64'))).toBe(false);
        },
      ),
      { numRuns: 50 },
    );
  });

  it.each([
    ['order 1', '0100000000000000000000000000000000000000000000000000000000000000'],
    ['order 2', 'ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
    ['order 4', '0000000000000000000000000000000000000000000000000000000000000000'],
    ['order 8', 'c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a'],
    ['order 8, other sign', '26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc85'],
    ['non-canonical y', 'eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f'],
  ])('rejects a key of small order or a non-canonical key: %s', (_name, hex) => {
    const zeroSig = Buffer.concat([Buffer.from(hex, 'hex'), Buffer.alloc(32)]).toString('base64');
    expect(isSignedBy(Buffer.from(hex, 'hex').toString('base64'), 'anything', zeroSig)).toBe(false);
  });

  it('rejects a signature with a non-canonical S', () => {
    const sig = Buffer.from(RFC_SIG, 'base64');
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(sig.subarray(32)).reverse().toString('hex')}`) + order;
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse().copy(sig, 32);
    expect(isSignedBy(RFC_PUBKEY, '', sig.toString('base64'))).toBe(false);
  });

  it.each(['', 'not base64!', RFC_PUBKEY.slice(0, -1), `${RFC_PUBKEY}=`, `${RFC_PUBKEY} `])(
    'rejects a key spelled %j',
    (pubkey) => {
      expect(isSignedBy(pubkey, '', RFC_SIG)).toBe(false);
    },
  );
});
