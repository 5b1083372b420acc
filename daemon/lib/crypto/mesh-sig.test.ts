import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SigningKey } from './ed25519.js';
import { checkMeshSig, parseMeshSig, signMeshSig } from './mesh-sig.js';

const NOW = Date.UTC(2026, 10, 21, 12, 0, 0);
const REQUEST = { method: 'POST', path: '/v1/agents/printer/feedback?x=1', body: '{"dims":{"quality":1}}' };
/** RFC 8032, section 7.1, test 1. */
const key = new SigningKey(Buffer.from('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60', 'hex'));
/** A header of the right form. */
const FORM = `v1 ${'A'.repeat(43)}= 1795262400 abcdefgh_-ABCDEFGH ${'B'.repeat(86)}==`;
const signed = () => signMeshSig(key, REQUEST, NOW);
const refusal = (act: () => unknown): string => {
  try {
    act();
    return 'nothing';
  } catch (error) {
    return (error as { code: string }).code;
  }
};
const check = (said: string, request = REQUEST, nowMs = NOW) =>
  refusal(() => checkMeshSig(parseMeshSig(said), request, nowMs));

/** A key and a header made with node:crypto only, as the contract describes. */
function byHand(request = REQUEST, ts = NOW / 1000, nonce = 'abcdefgh_-ABCDEFGH'): string {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64');
  const digest = createHash('sha256').update(request.body).digest('hex');
  const text = `v1\n${request.method}\n${request.path}\n${digest}\n${ts}\n${nonce}`;
  return `v1 ${raw} ${ts} ${nonce} ${sign(null, Buffer.from(text), privateKey).toString('base64')}`;
}

describe('Mesh-Sig', () => {
  it('signs v1, method, path with query, SHA-256 of the body, ts and nonce, joined by newlines, with Ed25519', () => {
    expect(check(byHand())).toBe('nothing');
    expect(check(byHand({ method: 'GET', path: '/', body: '' }), { method: 'GET', path: '/', body: '' })).toBe(
      'nothing',
    );
    expect(check(signed())).toBe('nothing');
  });

  it('has a key, a time in seconds, a nonce and a signature', () => {
    expect(parseMeshSig(FORM)).toEqual({
      pubkey: `${'A'.repeat(43)}=`,
      ts: 1_795_262_400,
      nonce: 'abcdefgh_-ABCDEFGH',
      sig: `${'B'.repeat(86)}==`,
    });
    expect(parseMeshSig(signed())).toMatchObject({ pubkey: key.pubkey, ts: NOW / 1000 });
    expect(parseMeshSig(signMeshSig(key, REQUEST, NOW + 999)).ts).toBe(NOW / 1000);
  });

  it('signs every request with a new nonce', () => {
    expect(parseMeshSig(signMeshSig(key, REQUEST, NOW)).nonce).not.toBe(parseMeshSig(signed()).nonce);
  });

  it.each([
    ['another method', { ...REQUEST, method: 'PUT' }],
    ['another path', { ...REQUEST, path: '/v1/agents/plotter/feedback?x=1' }],
    ['another query', { ...REQUEST, path: '/v1/agents/printer/feedback?x=2' }],
    ['no query', { ...REQUEST, path: '/v1/agents/printer/feedback' }],
    ['another body', { ...REQUEST, body: '{"dims":{"quality":0}}' }],
    ['the same JSON spelled otherwise', { ...REQUEST, body: '{"dims": {"quality":1}}' }],
    ['no body', { ...REQUEST, body: '' }],
  ])('rejects %s', (_name, request) => {
    expect(check(signed(), request)).toBe('bad_signature');
  });

  it.each([
    [-121_000, 'bad_signature'],
    [-120_000, 'nothing'],
    [120_000, 'nothing'],
    [120_001, 'bad_signature'],
    [301_000, 'bad_signature'],
    [-301_000, 'bad_signature'],
  ])('with a clock that is off by %i ms results in: %s', (ms, said) => {
    expect(check(signed(), REQUEST, NOW + ms)).toBe(said);
  });

  it('is rejected with another time, nonce or key than it was signed with', () => {
    const { pubkey, ts, nonce, sig } = parseMeshSig(signed());
    const other = new SigningKey(SigningKey.newSeed()).pubkey;
    expect(check(`v1 ${pubkey} ${ts + 1} ${nonce} ${sig}`)).toBe('bad_signature');
    expect(check(`v1 ${pubkey} ${ts} ${nonce}x ${sig}`)).toBe('bad_signature');
    expect(check(`v1 ${other} ${ts} ${nonce} ${sig}`)).toBe('bad_signature');
    expect(check(`v1 ${pubkey} 0${ts} ${nonce} ${sig}`)).toBe('nothing');
  });

  it('that is rejected names its form, its time or what is to be signed', () => {
    const { pubkey, ts, nonce, sig } = parseMeshSig(signed());
    expect(() => parseMeshSig('v1')).toThrow(/v1 <pubkey> <ts> <nonce> <sig>.*16 to 64/);
    const signature = { pubkey, ts, nonce, sig };
    expect(() => checkMeshSig(signature, REQUEST, NOW + 121_000)).toThrow(/120 s.*when it is sent/);
    expect(() => checkMeshSig(signature, { ...REQUEST, body: '' }, NOW)).toThrow(/SHA-256 of the body.*newlines/);
  });

  it('is rejected with a key of small order and with a non-canonical S', () => {
    const { pubkey, ts, nonce, sig } = parseMeshSig(signed());
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
    const anything = Buffer.concat([identity, Buffer.alloc(32)]).toString('base64');
    expect(check(`v1 ${identity.toString('base64')} ${ts} ${nonce} ${anything}`)).toBe('bad_signature');
    const bytes = Buffer.from(sig, 'base64');
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const s = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString('hex')}`) + order;
    Buffer.from(s.toString(16).padStart(64, '0'), 'hex').reverse().copy(bytes, 32);
    expect(check(`v1 ${pubkey} ${ts} ${nonce} ${bytes.toString('base64')}`)).toBe('bad_signature');
  });

  it.each([
    '',
    'v1',
    FORM.replace('v1 ', 'v2 '),
    FORM.replace('v1 ', ''),
    FORM.replace(' ', '  '),
    `${FORM} `,
    ` ${FORM}`,
    `${FORM}\n`,
    `${FORM}, ${FORM}`,
    FORM.replace(/[A-Za-z0-9+/]{86}==$/, (sig) => sig.slice(0, -2)),
    FORM.replace(/[A-Za-z0-9+/]{86}==$/, (sig) => Buffer.from(sig, 'base64').toString('hex')),
    FORM.replace(/[A-Za-z0-9+/]{86}==$/, (sig) => Buffer.from(sig, 'base64').toString('base64url')),
    FORM.replace(/ (\d+) /, ' -1 '),
    FORM.replace(/ (\d+) /, ' 1e9 '),
    FORM.replace(/ (\d+) /, ' NaN '),
    FORM.replace(/ (\d+) \S+ /, ' $1 tooshort '),
    FORM.replace(/ (\d+) \S+ /, ` $1 ${'n'.repeat(65)} `),
    FORM.replace(/ (\d+) \S+ /, ' $1 sixteen.letters! '),
  ])('fails to parse %j', (said) => {
    expect(refusal(() => parseMeshSig(said))).toBe('bad_signature');
  });

  it('is rejected with non-canonical base64, whose last digit has unused bits set', () => {
    const { pubkey, ts, nonce, sig } = parseMeshSig(signed());
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
    const next = (digit: string) => digits[digits.indexOf(digit) ^ 1] as string;
    expect(check(`v1 ${pubkey.slice(0, 42)}${next(pubkey[42] as string)}= ${ts} ${nonce} ${sig}`)).toBe(
      'bad_signature',
    );
    expect(check(`v1 ${pubkey} ${ts} ${nonce} ${sig.slice(0, 85)}${next(sig[85] as string)}==`)).toBe('bad_signature');
  });

  it('is valid for the request it was made for, and an arbitrary header throws bad_signature only', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), fc.string(), (path, body, noise) => {
        const request = { method: 'POST', path: `/${path}`, body };
        expect(check(signMeshSig(key, request, NOW), request)).toBe('nothing');
        expect(check(noise)).toBe('bad_signature');
      }),
      { numRuns: 30 },
    );
  });
});
