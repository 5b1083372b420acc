import { createHash } from 'node:crypto';
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

const KEYS = [
  ...Object.keys(facts).filter((key) => !['question', 'answer', 'citations'].includes(key)),
  ...['v', 'question_sha256', 'answer_sha256', 'citations_sha256', 'pubkey', 'sig'],
];

describe('receipts', () => {
  const key = new SigningKey(SigningKey.newSeed());
  const make = () => makeReceipt(facts, key);

  it('verify without any other data, whatever the order of their keys', () => {
    const receipt = make();
    expect(verifyReceipt(receipt)).toEqual({ valid: true, reasons: [], pubkey: receipt.pubkey });
    expect(verifyReceipt(Object.fromEntries(Object.entries(receipt).reverse())).valid).toBe(true);
  });

  it('have the digests of the texts, and no other key', () => {
    expect(Object.keys(make()).sort()).toEqual([...KEYS].sort());
    expect(make()).toMatchObject({
      v: 1,
      member: 'consultant',
      question_sha256: createHash('sha256').update(facts.question).digest('hex'),
      answer_sha256: createHash('sha256').update(facts.answer).digest('hex'),
      citations_sha256: createHash('sha256').update('[]').digest('hex'),
      pubkey: key.pubkey,
    });
  });

  it.each(KEYS)('are rejected when %s was changed', (changedKey) => {
    const receipt = make();
    const value = receipt[changedKey as keyof typeof receipt];
    const changed = {
      ...receipt,
      [changedKey]: typeof value === 'number' ? value + 1 : `${String(value).slice(0, -2)}AA`,
    };
    expect(verifyReceipt(changed).valid).toBe(false);
  });

  it('are rejected with an additional key, with a missing key, and when they are another value', () => {
    const receipt = make();
    expect(verifyReceipt({ ...receipt, extra: 1 }).valid).toBe(false);
    const { sig: _sig, ...unsigned } = receipt;
    expect(verifyReceipt(unsigned).reasons.join()).toContain('sig');
    for (const other of [null, 'x', [], 3, { v: 1 }]) expect(verifyReceipt(other).valid).toBe(false);
  });

  it('are rejected with at most five reasons, each naming the key, and with the signer when only the signature fails', () => {
    const receipt = make();
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
