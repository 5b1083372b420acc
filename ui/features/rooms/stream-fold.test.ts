import { describe, expect, it } from 'vitest';
import { StreamFold } from './stream-fold.js';

const fold = (...pieces: [seq: number, delta: string, done?: true][]) => {
  const stream = new StreamFold();
  for (const [seq, delta, done = false] of pieces) stream.add({ stream: 's', seq, delta, done });
  return stream;
};

describe('the pieces of a stream', () => {
  it('collapse into one text that grows', () => {
    const stream = fold([0, 'Go'], [1, 'od ']);
    expect(stream.text).toBe('Good ');
    expect(stream.isDone).toBe(false);
    stream.add({ stream: 's', seq: 2, delta: 'day', done: true });
    expect(stream.text).toBe('Good day');
    expect(stream.isWhole).toBe(true);
  });

  it('are put in the order of their seq, not of their coming', () => {
    expect(fold([2, 'c', true], [0, 'a'], [1, 'b']).text).toBe('abc');
  });

  it('count once when they come twice', () => {
    expect(fold([0, 'a'], [0, 'x'], [1, 'b']).text).toBe('ab');
  });

  it('say where one is missing, and take it when it comes late', () => {
    const stream = fold([0, 'a'], [2, 'c', true]);
    expect(stream.text).toBe('a […] c');
    expect(stream.isWhole).toBe(false);
    stream.add({ stream: 's', seq: 1, delta: 'b', done: false });
    expect(stream.text).toBe('abc');
    expect(stream.isWhole).toBe(true);
  });

  it('may be heard from the middle on', () => {
    expect(fold([41, 'late'], [42, 'r', true]).text).toBe('later');
  });

  it('end where they would grow without end', () => {
    const stream = new StreamFold();
    for (let seq = 0; seq < 5_000; seq += 1) stream.add({ stream: 's', seq, delta: 'x'.repeat(100), done: false });
    expect(stream.text.length).toBeLessThan(270_000);
    expect(stream.text.endsWith('[…] ')).toBe(true);
  });
});
