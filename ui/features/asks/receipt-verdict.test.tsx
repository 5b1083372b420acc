import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, it } from 'vitest';
import type { ReceiptVerdicts } from './asks-mutations.js';
import { ReceiptVerdictNotice } from './receipt-verdict.js';

const DAEMON = { valid: true, reasons: [], pubkey: 'k', known: true };
/** The rendered text without markup. */
const shown = (verdicts: ReceiptVerdicts) =>
  renderToStaticMarkup(<ReceiptVerdictNotice verdicts={verdicts} />)
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();

describe('the verdict on a receipt', () => {
  it('shows the result of the daemon and that of this browser', () => {
    const words = shown({ daemon: DAEMON, browser: { valid: true, reasons: [] } });
    expect(words).toMatch(/^Valid\. .*Signature verified in this browser\.$/);
  });

  it('shows the reasons of this browser although the receipt is valid for the daemon', () => {
    const reasons = ['The answer is not the one that was signed.', 'The field model differs.'];
    expect(shown({ daemon: DAEMON, browser: { valid: false, reasons } })).toMatch(
      /Valid\..*Not verified in this browser: The answer is not the one that was signed\. The field model differs\.$/,
    );
  });

  it('reports that this browser could not verify the receipt', () => {
    expect(shown({ daemon: { ...DAEMON, known: false }, browser: undefined })).toMatch(
      /The key is not this daemon’s\. Signature not verified in this browser/,
    );
  });
});
