import { describe, expect, it } from 'vitest';
import { paidCallCommands, priceSentence } from './caller-format.js';

const ORIGIN = 'http://127.0.0.1:4747';

describe('caller view', () => {
  it('describes what the 402 requests', () => {
    expect(priceSentence(5_000, '9XmP')).toMatch(
      /^pay 5,000 lamports \(0\.000005 SOL\) to 9XmP with its nonce as memo within 10 minutes/,
    );
    expect(priceSentence(5_000, undefined)).toMatch(/made when it is first needed/);
  });

  it('calls, pays and sends the proof', () => {
    const commands = paidCallCommands(ORIGIN, 'consultant', true);
    expect(commands).toContain(`'${ORIGIN}/team/consultant/v1/ask'`);
    for (const step of ['.chainPayUrl', 'meshd wallet pay', 'X-Payment-Proof: $PROOF', 'X-Payment-Nonce:'])
      expect(commands).toContain(step);
  });

  it('opens a balance when only deposits are accepted', () => {
    const commands = paidCallCommands(ORIGIN, 'consultant', false);
    expect(commands).toContain('/v1/topup');
    expect(commands).toContain('X-Api-Key:');
    expect(commands).not.toContain('X-Payment-Proof');
  });

  it('quotes everything for the shell', () =>
    expect(paidCallCommands(ORIGIN, "x'; rm -rf ~", true)).not.toContain("x'; rm"));
});
