import { describe, expect, it } from 'vitest';
import { AnswerText } from './agent-program-answer.js';

const MIB = 1024 * 1024;

describe('the text of an answer', () => {
  it.each([
    ['a', '\n\nb'],
    ['a\n', '\nb'],
    ['a\n\n', 'b'],
    ['a\n\n\n', 'b'],
    ['\n', '\nb'],
    ['a\nb', '\n\nb'],
  ])('after %j goes on in a new block with what is missing of a blank line', (before, piece) => {
    const answer = new AnswerText();
    expect(answer.add(before)).toBe(before);
    answer.startBlock();
    expect(answer.add('b')).toBe(piece);
  });

  it('counts line ends over several pieces', () => {
    const answer = new AnswerText();
    for (const piece of ['a', '\n', '\n']) answer.add(piece);
    answer.startBlock();
    expect(answer.add('b')).toBe('b');
    answer.startBlock();
    expect(answer.add('c')).toBe('\n\nc');
  });

  it('does not begin with a break', () => {
    const answer = new AnswerText();
    answer.startBlock();
    expect(answer.add('a')).toBe('a');
  });

  it('keeps the break for the first piece that has text, and only for that one', () => {
    const answer = new AnswerText();
    answer.add('a');
    answer.startBlock();
    expect([answer.add(''), answer.add('b'), answer.add('c')]).toEqual(['', '\n\nb', 'c']);
  });

  it('is empty until a piece has text', () => {
    const answer = new AnswerText();
    answer.add('');
    expect(answer.isEmpty).toBe(true);
    answer.add('a');
    expect(answer.isEmpty).toBe(false);
  });

  it('may have 1 MiB and not a character more', () => {
    const answer = new AnswerText();
    answer.add('x'.repeat(MIB - 1));
    expect(answer.add('y')).toBe('y');
    expect(() => answer.add('z')).toThrow('The answer is longer than 1 MiB (output_limit), so it was stopped.');
  });

  it('counts the breaks between its blocks', () => {
    const answer = new AnswerText();
    answer.add('x'.repeat(MIB - 3));
    answer.startBlock();
    expect(answer.add('y')).toBe('\n\ny');
    expect(() => answer.add('z')).toThrow('output_limit');
  });
});
