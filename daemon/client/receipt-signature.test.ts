import { describe, expect, it } from 'vitest';
import type { Citation } from '../contract/asks.js';
import { SigningKey } from '../lib/crypto/ed25519.js';
import { makeReceipt, verifyReceipt } from '../lib/crypto/receipt.js';
import { RECEIPT_FACTS } from '../testing/receipt-facts.js';
import { verifyReceiptSignature } from './receipt-signature.js';

const citations = [
  { path: 'a.ts', start_line: 1, end_line: 2, commit: null, sha256: 'x', quote: 'é\nb', status: 'checked' as const },
];
const receipt = makeReceipt(
  { ...RECEIPT_FACTS, question: 'Wieso leuchtet es — 灯?', citations },
  new SigningKey(SigningKey.newSeed()),
);
const record = { text: 'Wieso leuchtet es — 灯?', result_text: 'Because.', citations, member: 'consultant' };

describe('a receipt that is verified without the daemon', () => {
  it('is valid alone and with the record that it covers', async () => {
    expect(await verifyReceiptSignature(receipt)).toEqual({ valid: true, reasons: [] });
    expect(await verifyReceiptSignature(receipt, record)).toEqual({ valid: true, reasons: [] });
  });

  it('differs from a record with an empty text or another client', async () => {
    const check = async (more: object) => (await verifyReceiptSignature(receipt, { ...record, ...more })).reasons;
    const beside = (field: string) => `The field ${field} beside the receipt is not the one that was signed.`;
    expect(await check({ text: '' })).toEqual(['The question is not the one that was signed.']);
    expect(await check({ result_text: null })).toEqual(['The answer is not the one that was signed.']);
    for (const field of ['request_id', 'member', 'client', 'model', 'created_at', 'finished_at'])
      expect(await check({ [field]: 'another' })).toEqual([beside(field)]);
  });

  it('is valid with citations that are shown as they are now, as long as nothing else is put beside it', async () => {
    const [cited] = citations;
    const given = { start_line: 1, end_line: 2, commit: null, status: 'checked' as const };
    const now = { ...cited, start_line: 4, end_line: 5, status: 'moved' as const, given } as Citation;
    const check = async (shown: object) =>
      (await verifyReceiptSignature(receipt, { ...record, citations: [shown as Citation] })).valid;
    expect(await check(now)).toBe(true);
    expect(await check({ ...now, status: 'changed' })).toBe(true);
    for (const forged of [
      { ...now, quote: 'c' },
      { ...now, path: 'b.ts' },
      { ...now, given: { ...given, start_line: 2 } },
      { ...now, quote: 'c', given: { ...given, quote: 'é\nb' } },
      { ...now, given: { ...given, note: 'unsigned' } },
      { ...now, note: 'unsigned' },
      { ...now, given: null },
    ])
      expect(await check(forged), JSON.stringify(forged)).toBe(false);
    for (const citations of [null, 'x', [null], [[]], [{ given: 1 }]] as unknown as Citation[][])
      expect((await verifyReceiptSignature(receipt, { ...record, citations })).valid).toBe(false);
  });

  it('is invalid with another record, and reports each difference', async () => {
    const other = { ...record, result_text: 'Because!', model: 'another' };
    expect(await verifyReceiptSignature(receipt, other)).toEqual({
      valid: false,
      reasons: [
        'The answer is not the one that was signed.',
        'The field model beside the receipt is not the one that was signed.',
      ],
    });
  });

  it.each([
    receipt,
    Object.fromEntries(Object.entries(receipt).reverse()),
    ...Object.entries(receipt).map(([key, value]) => ({
      ...receipt,
      [key]: typeof value === 'number' ? value + 1 : `${String(value).slice(0, -2)}AA`,
    })),
    ...Object.keys(receipt).map((key) => Object.fromEntries(Object.entries(receipt).filter(([name]) => name !== key))),
    { ...receipt, extra: 1 },
    { ...receipt, price: { lamports: 1 } },
    { ...receipt, price: 1 },
    { ...receipt, member: 7 },
    null,
    'x',
    [],
    3,
    { v: 1 },
  ])('is valid exactly when it is valid for the daemon: case %#', async (value) => {
    expect((await verifyReceiptSignature(value)).valid).toBe(verifyReceipt(value).valid);
  });
});
