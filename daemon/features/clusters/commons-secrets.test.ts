import { expect, it } from 'vitest';
import { commonsSecrets } from './commons-secrets.js';

const TOKENS = { token: `ck_${'a'.repeat(43)}`, admin_token: `ak_${'b'.repeat(43)}` };
const FRESH = { token: expect.stringMatching(/^ck_[\w-]{43}$/), admin_token: expect.stringMatching(/^ak_[\w-]{43}$/) };

function fileWith(content: Record<string, unknown> | null) {
  const kept = { content, writes: 0 };
  const file = {
    read: async () => kept.content,
    write: async (data: unknown) => {
      kept.content = data as Record<string, unknown>;
      kept.writes += 1;
    },
  };
  return { file, kept };
}

it('returns the tokens of the file, and writes nothing', async () => {
  const { file, kept } = fileWith(TOKENS);
  expect(await commonsSecrets(file, async () => true)).toEqual(TOKENS);
  expect(kept.writes).toBe(0);
});

it('returns tokens of forty characters, the shortest that can be any', async () => {
  const short = { token: TOKENS.token.slice(0, 40), admin_token: TOKENS.admin_token.slice(0, 40) };
  expect(await commonsSecrets(fileWith(short).file, async () => true)).toEqual(short);
});

it.each([
  ['no file', null],
  ['no token', { admin_token: TOKENS.admin_token }],
  ['no admin token', { token: TOKENS.token }],
  ['a token that is no text', { ...TOKENS, token: 7 }],
  ['the tokens exchanged', { token: TOKENS.admin_token, admin_token: TOKENS.token }],
  ['a token that was cut', { ...TOKENS, admin_token: TOKENS.admin_token.slice(0, 39) }],
])('makes new tokens and keeps them when there is %s', async (_what, content) => {
  const { file, kept } = fileWith(content);
  const made = await commonsSecrets(file, async () => true);
  expect(made).toEqual(FRESH);
  expect(kept).toEqual({ content: made, writes: 1 });
});

it('makes none while no new secret may be written', async () => {
  const { file, kept } = fileWith(null);
  expect(await commonsSecrets(file, async () => false)).toBeUndefined();
  expect(kept).toEqual({ content: null, writes: 0 });
});
