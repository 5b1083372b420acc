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

  it.each<[string, string]>([
    ['a Persian name', 'علی\u200cرضا'],
    ['a Persian word with a vowel', 'کتاب\u064e\u200cها'],
    ['a Sinhala name', 'ශ්\u200dරී'],
    ['a Malayalam name', 'നന്\u200dമ'],
    ['a Bengali name', 'র\u200d্যাচেল'],
    ['a family', '👨\u200d👩\u200d👧 of ben'],
    ['a flag', '🏴\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}\u{e007f}'],
  ])('accepts the joiners of %s', (_what, text) => {
    expect(checkedHandle(text)).toBe(text);
  });

  it('is kept in NFC', () => {
    expect([checkedHandle('Jose\u0301'), isHandle('Jose\u0301')]).toEqual(['José', false]);
    expect(checkedHandle('e\u0301'.repeat(64))).toBe('é'.repeat(64));
  });

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
    ['a joiner in a Latin word', 'a\u200db'],
    ['a joiner in a Greek word', 'α\u200cβ'],
    ['a joiner in a Cyrillic word', 'а\u200dб'],
    ['a joiner between Arabic letters that are apart', 'دار\u200cا'],
    ['a joiner at the end', 'علی\u200c'],
    ['a joiner at the beginning', '\u200dශ'],
    ['two joiners', 'ශ්\u200d\u200dරී'],
    ['a joiner between Indic letters without a virama', 'ക\u200dമ'],
    ['a joiner between an Indic and a Latin letter', 'ശ്\u200da'],
    ['a joiner between emoji that are none together', '😀\u200d😀'],
    ['tags without a flag', 'a\u{e0067}\u{e007f}'],
  ])('rejects %s', (_what, text) => {
    expect(isHandle(text)).toBe(false);
    expect(() => checkedHandle(text)).toThrow(
      expect.objectContaining({
        code: 'bad_request',
        message: expect.stringMatching(
          /^"agent" must be .* 1 to 64 .* control, bidirectional or invisible .* the ends\.$/,
        ),
        details: { path: 'agent' },
      }),
    );
  });
});
