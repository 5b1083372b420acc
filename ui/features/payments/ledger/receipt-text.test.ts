import { describe, expect, it } from 'vitest';
import { receiptIn } from './receipt-text.js';

describe('pasted receipt', () => {
  it('is found alone and inside the response that contains it', () => {
    expect(receiptIn(' {"v":1} ').receipt).toEqual({ v: 1 });
    expect(receiptIn('{"request_id":"req-1","receipt":{"v":1}}').receipt).toEqual({ v: 1 });
  });

  it('is rejected with an explanation when it is invalid', () => {
    expect(receiptIn('').fault).toMatch(/Paste a receipt/);
    expect(receiptIn('{"v":').fault).toMatch(/not JSON/);
    expect(receiptIn('[1]').fault).toMatch(/one JSON object/);
    expect(receiptIn('null').fault).toMatch(/one JSON object/);
  });
});
