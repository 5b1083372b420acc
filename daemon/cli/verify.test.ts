import { describe, expect, it } from 'vitest';
import { SigningKey } from '../lib/ed25519.js';
import { makeReceipt } from '../lib/receipt.js';
import { readGiven, verifyGiven } from './verify.js';

const citations = [
  { path: 'a.ts', start_line: 1, end_line: 2, commit: null, sha256: 'x', quote: 'a\nb', status: 'checked' as const },
];
const key = new SigningKey(SigningKey.newSeed());
const receipt = makeReceipt(
  {
    request_id: 'req-0123456789abcdef',
    member: 'consultant',
    member_sha256: '0'.repeat(64),
    question: 'Why?',
    answer: 'Because.',
    citations,
    client: 'builtin',
    model: 'none',
    created_at: '2026-11-21T12:00:00.000Z',
    finished_at: '2026-11-21T12:00:01.000Z',
  },
  key,
);

describe('a receipt', () => {
  it('holds alone and inside its record', async () => {
    const record = { receipt, text: 'Why?', result_text: 'Because.', citations };
    expect(await verifyGiven(readGiven(JSON.stringify(receipt)))).toEqual({
      valid: true,
      reasons: [],
      pubkey: key.pubkey,
    });
    expect(await verifyGiven(readGiven(JSON.stringify(record)))).toEqual({
      valid: true,
      reasons: [],
      pubkey: key.pubkey,
    });
  });

  it('does not hold once it was changed', async () => {
    expect(await verifyGiven({ receipt: { ...receipt, model: 'better' } })).toMatchObject({ valid: false });
  });

  it.each([
    [{ text: 'Why not?' }, 'The question is not the one that was signed.'],
    [{ result_text: 'Because!' }, 'The answer is not the one that was signed.'],
    [{ citations: [] }, 'The list of citations is not the one that was signed.'],
  ])('does not hold for other texts: %j', async (record, reason) => {
    expect(await verifyGiven({ receipt, record })).toMatchObject({ valid: false, reasons: [reason] });
  });

  it('is told from what is none', async () => {
    expect(() => readGiven('receipt')).toThrow('not JSON');
    expect(await verifyGiven({ receipt: { v: 1 } })).toMatchObject({ valid: false, pubkey: null });
  });
});
