import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { type JWTHeaderParameters, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { TOKEN_SECONDS } from '../../contract/network/agents.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { AgentTokens } from './agent-token.js';

const KEY = randomBytes(32);
const clock = new FakeClock();
const NOW = Math.floor(clock.now() / 1000);
const HEADER = { alg: 'HS256', typ: 'hub+jwt' };
const CLAIMS = {
  iss: 'meshd',
  aud: 'hub',
  sub: 'lamp-agent',
  jti: 'j-1',
  rid: 'r-1',
  iat: NOW,
  exp: NOW + TOKEN_SECONDS,
};

const encode = (part: unknown) => Buffer.from(JSON.stringify(part)).toString('base64url');

/** A token with these parts and a valid signature over them. */
function forged(header: object, claims: object, key: Uint8Array | string = KEY, hash = 'sha256'): string {
  const signed = `${encode(header)}.${encode(claims)}`;
  return `${signed}.${createHmac(hash, key).update(signed).digest('base64url')}`;
}

const without = (...keys: string[]) =>
  Object.fromEntries(Object.entries(CLAIMS).filter(([key]) => !keys.includes(key)));
const publicKey = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .publicKey.export({ type: 'spki', format: 'pem' })
  .toString();
const genuine = forged(HEADER, CLAIMS);
const [head, body, signature = ''] = genuine.split('.');

/** The same 32-byte signature spelled with another last character. */
const respelt = `${head}.${body}.${signature.slice(0, -1)}${String.fromCharCode(signature.charCodeAt(signature.length - 1) + 1)}`;

describe('an agent token', () => {
  it('is read back with its agent, its registration and its expiry after 24 hours', async () => {
    const tokens = new AgentTokens('hub', KEY, clock);
    const { token, expires_at } = tokens.mint('lamp-agent', 'r-1');
    expect(expires_at).toBe(NOW + 24 * 60 * 60);
    expect(await tokens.read(token)).toMatchObject({ agent_id: 'lamp-agent', rid: 'r-1', exp: expires_at });
  });

  it('is accepted by another daemon that has the same key', async () => {
    const { token } = new AgentTokens('hub', KEY, clock).mint('lamp-agent', 'r-1');
    const claims = await new AgentTokens('hub', KEY, clock).read(token);
    expect(claims).toMatchObject({ agent_id: 'lamp-agent', rid: 'r-1' });
    expect(claims.jti).not.toBe('');
  });

  it('accepts a JWT made by a common library', async () => {
    const made = await new SignJWT({ rid: 'r-1' })
      .setProtectedHeader(HEADER as JWTHeaderParameters)
      .setIssuer('meshd')
      .setAudience('hub')
      .setSubject('lamp-agent')
      .setJti('j-1')
      .setIssuedAt(NOW)
      .setExpirationTime(NOW + TOKEN_SECONDS)
      .sign(KEY);
    expect(await new AgentTokens('hub', KEY, clock).read(made)).toEqual({
      agent_id: 'lamp-agent',
      rid: 'r-1',
      jti: 'j-1',
      exp: CLAIMS.exp,
    });
  });

  it('names the surface that it is for in its header', () => {
    const headerOf = (surface: 'hub' | 'v1') => {
      const [part = ''] = new AgentTokens(surface, KEY, clock).mint('lamp-agent', 'r-1').token.split('.');
      return JSON.parse(Buffer.from(part, 'base64url').toString()) as unknown;
    };
    expect(headerOf('hub')).toEqual({ alg: 'HS256', typ: 'hub+jwt' });
    expect(headerOf('v1')).toEqual({ alg: 'HS256', typ: 'mesh-api+jwt' });
  });

  it('is not verified again once it is known', async () => {
    const tokens = new AgentTokens('hub', KEY, clock);
    const { token } = tokens.mint('lamp-agent', 'r-1');
    const known = tokens.known(token);
    expect(known).toBeDefined();
    expect(await tokens.read(token)).toBe(known);
  });

  it('has at most 4,096 characters', async () => {
    const withPad = (length: number) => forged({ ...HEADER, kid: 'k' }, { ...CLAIMS, pad: 'x'.repeat(length) });
    const length = Array.from({ length: 3_000 }, (_, pad) => pad).find((pad) => withPad(pad).length >= 4_096) ?? 0;
    expect(withPad(length)).toHaveLength(4_096);
    const tokens = new AgentTokens('hub', KEY, clock);
    expect(await tokens.read(withPad(length))).toMatchObject({ agent_id: 'lamp-agent' });
    await expect(tokens.read(withPad(length + 1))).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('that is rejected is told what to send', async () => {
    await expect(new AgentTokens('hub', KEY, clock).read('')).rejects.toThrow(
      'Send "Authorization: Bearer <token>" with a token of this surface that is not over.',
    );
  });

  it('has a unique token id', () => {
    const tokens = new AgentTokens('hub', KEY, clock);
    expect(tokens.mint('a-1', 'r').token).not.toBe(tokens.mint('a-1', 'r').token);
  });

  it.each<[string, string]>([
    ['alg none', `${encode({ alg: 'none', typ: 'hub+jwt' })}.${encode(CLAIMS)}.`],
    ['alg none with the signature left', `${encode({ alg: 'none', typ: 'hub+jwt' })}.${body}.${signature}`],
    ['HS512', forged({ ...HEADER, alg: 'HS512' }, CLAIMS, KEY, 'sha512')],
    ['HS512 said, HS256 signed', forged({ ...HEADER, alg: 'HS512' }, CLAIMS)],
    ['RS256 said, signed with HMAC under a public key', forged({ ...HEADER, alg: 'RS256' }, CLAIMS, publicKey)],
    [
      'a key named in the header',
      forged({ ...HEADER, jwk: { kty: 'oct', k: 'AAAA' } }, CLAIMS, Buffer.from('AAAA', 'base64url')),
    ],
    ['a critical header', forged({ ...HEADER, crit: ['b64'], b64: false }, CLAIMS)],
    ['another key', forged(HEADER, CLAIMS, randomBytes(32))],
    ['no typ', forged({ alg: 'HS256' }, CLAIMS)],
    ['a wrong typ', forged({ ...HEADER, typ: 'JWT' }, CLAIMS)],
    ['the typ of the unified API', forged({ ...HEADER, typ: 'mesh-api+jwt' }, CLAIMS)],
    ['a wrong aud', forged(HEADER, { ...CLAIMS, aud: 'v1' })],
    ['no aud', forged(HEADER, without('aud'))],
    ['a wrong iss', forged(HEADER, { ...CLAIMS, iss: 'someone' })],
    ['no iss', forged(HEADER, without('iss'))],
    ['no exp', forged(HEADER, without('exp'))],
    ['no jti', forged(HEADER, without('jti'))],
    ['no sub', forged(HEADER, without('sub'))],
    ['no rid', forged(HEADER, without('rid'))],
    ['no iat', forged(HEADER, without('iat'))],
    ['a sub that is no text', forged(HEADER, { ...CLAIMS, sub: 7 })],
    ['a jti that is no text', forged(HEADER, { ...CLAIMS, jti: 7 })],
    ['a rid that is no text', forged(HEADER, { ...CLAIMS, rid: 7 })],
    ['exp past', forged(HEADER, { ...CLAIMS, iat: NOW - 100, exp: NOW - 1 })],
    ['exp now', forged(HEADER, { ...CLAIMS, iat: NOW - 100, exp: NOW })],
    ['iat in the future', forged(HEADER, { ...CLAIMS, iat: NOW + 60, exp: NOW + 120 })],
    ['a life of more than 24 hours', forged(HEADER, { ...CLAIMS, exp: NOW + TOKEN_SECONDS + 1 })],
    ['an age of more than 24 hours', forged(HEADER, { ...CLAIMS, iat: NOW - TOKEN_SECONDS - 60, exp: NOW + 60 })],
    ['exp as text', forged(HEADER, { ...CLAIMS, exp: String(CLAIMS.exp) })],
    ['garbage', 'garbage'],
    ['garbage in three parts', 'a.b.c'],
    ['empty', ''],
    ['a trailing letter', `${genuine}A`],
    ['a trailing =', `${genuine}=`],
    ['a trailing blank', `${genuine} `],
    ['a trailing line break', `${genuine}\n`],
    ['a fourth part', `${genuine}.${signature}`],
    ['the signature spelt otherwise', respelt],
    ['no signature', `${head}.${body}.`],
    ['20 KB', forged(HEADER, { ...CLAIMS, pad: 'x'.repeat(20_000) })],
  ])('is rejected when forged: %s', async (_name, token) => {
    const tokens = new AgentTokens('hub', KEY, clock);
    await expect(tokens.read(genuine)).resolves.toMatchObject({ agent_id: 'lamp-agent' });
    await expect(tokens.read(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('of one surface is rejected by the other, even with the same key', async () => {
    const hub = new AgentTokens('hub', KEY, clock);
    const v1 = new AgentTokens('v1', KEY, clock);
    await expect(v1.read(hub.mint('lamp-agent', 'r').token)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(hub.read(v1.mint('lamp-agent', 'r').token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('expires after 24 hours, for the daemon that minted it and for one that reads it for the first time', async () => {
    const moving = new FakeClock();
    const tokens = new AgentTokens('hub', KEY, moving);
    const { token } = tokens.mint('lamp-agent', 'r');
    moving.advance(TOKEN_SECONDS * 1000 - 1000);
    await expect(tokens.read(token)).resolves.toBeDefined();
    await expect(new AgentTokens('hub', KEY, moving).read(token)).resolves.toBeDefined();
    moving.advance(1000);
    await expect(tokens.read(token)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(tokens.read(token)).rejects.toMatchObject({ code: 'unauthorized' });
    await expect(new AgentTokens('hub', KEY, moving).read(token)).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('is evicted from the cache once it has expired and another is minted', () => {
    const later = new FakeClock();
    const tokens = new AgentTokens('hub', KEY, later);
    const { token } = tokens.mint('lamp-agent', 'r-1');
    later.advance((TOKEN_SECONDS - 1) * 1_000);
    tokens.mint('lamp-agent', 'r-1');
    expect(tokens.known(token)).toBeDefined();
    later.advance(1_000);
    tokens.mint('lamp-agent', 'r-1');
    expect(tokens.known(token)).toBeUndefined();
  });

  it('is evicted, the oldest first, beyond 20,000 that are cached, and is accepted all the same', async () => {
    const tokens = new AgentTokens('hub', KEY, clock);
    const [first, second] = [tokens.mint('lamp-agent', 'r-1').token, tokens.mint('lamp-agent', 'r-2').token];
    for (let number = 2; number < 20_000; number += 1) tokens.mint('lamp-agent', 'r');
    expect(tokens.known(first)).toBeDefined();
    tokens.mint('lamp-agent', 'r');
    expect([tokens.known(first), tokens.known(second)?.rid]).toEqual([undefined, 'r-2']);
    expect(await tokens.read(first)).toMatchObject({ rid: 'r-1' });
    expect(tokens.known(first)).toMatchObject({ rid: 'r-1' });
  });

  it('is rejected with any one character changed', async () => {
    const { token } = new AgentTokens('hub', KEY, clock).mint('lamp-agent', 'r');
    const alphabet = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.'];
    const reader = new AgentTokens('hub', KEY, clock);
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...alphabet), async (at, letter) => {
        fc.pre(token[at] !== letter);
        await expect(reader.read(token.slice(0, at) + letter + token.slice(at + 1))).rejects.toMatchObject({
          code: 'unauthorized',
        });
      }),
      { seed: 20261121, numRuns: 200 },
    );
  });
});
