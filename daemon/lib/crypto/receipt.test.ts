import { describe, expect, it } from 'vitest';
import { SigningKey } from './ed25519.js';
import { makeReceipt, verifyReceipt } from './receipt.js';

const facts = {
  request_id: 'req-abcdefghijklmnop',
  member: 'consultant',
  member_sha256: 'a'.repeat(64),
  question: 'Where is the port set?',
  answer: 'In config.ts.',
  citations: [],
  client: 'builtin',
  model: 'builtin',
  created_at: '2026-11-21T12:00:00.000Z',
  finished_at: '2026-11-21T12:00:01.000Z',
};

describe('receipts', () => {
  const receipt = makeReceipt(facts, new SigningKey(SigningKey.newSeed()));

  it('verify without any other data, whatever the order of their keys', () => {
    expect(verifyReceipt(receipt)).toEqual({ valid: true, reasons: [], pubkey: receipt.pubkey });
    expect(verifyReceipt(Object.fromEntries(Object.entries(receipt).reverse())).valid).toBe(true);
  });

  it.each(Object.keys(receipt))('are rejected when %s was changed', (key) => {
    const value = receipt[key as keyof typeof receipt];
    const changed = { ...receipt, [key]: typeof value === 'number' ? value + 1 : `${String(value).slice(0, -2)}AA` };
    expect(verifyReceipt(changed).valid).toBe(false);
  });

  it('are rejected with an additional key, with a missing key, and when they are another value', () => {
    expect(verifyReceipt({ ...receipt, extra: 1 }).valid).toBe(false);
    const { sig: _sig, ...unsigned } = receipt;
    expect(verifyReceipt(unsigned).reasons.join()).toContain('sig');
    for (const other of [null, 'x', [], 3, { v: 1 }]) expect(verifyReceipt(other).valid).toBe(false);
  });

  it('are rejected with at most five reasons, each naming the key, and with the signer when only the signature fails', () => {
    expect(verifyReceipt({ ...receipt, member: 7, model: 8 })).toEqual({
      valid: false,
      reasons: [expect.stringMatching(/^member: /), expect.stringMatching(/^model: /)],
      pubkey: null,
    });
    expect(verifyReceipt('x').reasons).toEqual([expect.stringMatching(/^receipt: /)]);
    expect(
      verifyReceipt({ v: 1, ...Object.fromEntries(Object.keys(facts).map((key) => [key, 7])) }).reasons,
    ).toHaveLength(5);
    expect(verifyReceipt({ ...receipt, client: 'other' })).toEqual({
      valid: false,
      reasons: [expect.stringContaining('changed')],
      pubkey: receipt.pubkey,
    });
  });
});
