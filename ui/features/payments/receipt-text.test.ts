import { describe, expect, it } from 'vitest';
import { receiptIn } from './receipt-text.js';

describe('a pasted receipt', () => {
  it('is taken alone, and out of the answer that carries it', () => {
    expect(receiptIn(' {"v":1} ').receipt).toEqual({ v: 1 });
    expect(receiptIn('{"request_id":"req-1","receipt":{"v":1}}').receipt).toEqual({ v: 1 });
  });

  it('is named as what it is when it is none', () => {
    expect(receiptIn('').fault).toMatch(/Paste a receipt/);
    expect(receiptIn('{"v":').fault).toMatch(/not JSON/);
    expect(receiptIn('[1]').fault).toMatch(/one JSON object/);
    expect(receiptIn('null').fault).toMatch(/one JSON object/);
  });
});
