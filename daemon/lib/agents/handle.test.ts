import { describe, expect, it } from 'vitest';
import { checkedHandle, isHandle } from './handle.js';

describe('the handle of a member', () => {
  it.each(['a', '!', 'doc writer', 'a'.repeat(64), 'Grüße', '日本 語', 'é'.repeat(64), '😀'.repeat(64)])(
    'accepts %j',
    (text) => {
      expect(isHandle(text)).toBe(true);
      expect(checkedHandle(text)).toBe(text);
    },
  );

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['a number', 7],
    ['a list', ['a']],
    ['an empty text', ''],
    ['a blank', ' '],
    ['a blank before it', ' a'],
    ['a blank after it', 'a '],
    ['a wide blank after it', 'é\u3000'],
    ['65 letters', 'a'.repeat(65)],
    ['65 letters outside ASCII', 'é'.repeat(65)],
    ['65 characters of two units', '😀'.repeat(65)],
    ['1,000 letters', 'a'.repeat(1_000)],
    ['a line break', 'a\nb'],
    ['a control character', 'a\u0000'],
    ['DEL', 'a\u007fb'],
    ['a bidirectional mark', 'a\u202eb'],
    ['a character without a width', 'a\u200bb'],
    ['a private character', 'a\ue000'],
    ['half a character', 'a\ud800'],
    ['a line separator', 'a\u2028b'],
    ['a paragraph separator', 'a\u2029b'],
    ['a letter that is not composed', 'e\u0301'],
  ])('rejects %s', (_what, text) => {
    expect(isHandle(text)).toBe(false);
    expect(() => checkedHandle(text)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: expect.stringMatching(/^"agent" must be .* 1 to 64 .*NFC.* control or bidirectional .* the ends\.$/),
        details: { path: 'agent' },
      }),
    );
  });
});
