import { describe, expect, it } from 'vitest';
import { StreamFold } from './stream-fold.js';

const fold = (...pieces: [seq: number, delta: string, done?: true][]) => {
  const stream = new StreamFold();
  for (const [seq, delta, done = false] of pieces) stream.add({ stream: 's', seq, delta, done });
  return stream;
};

describe('StreamFold', () => {
  it('joins the pieces into one growing text', () => {
    const stream = fold([0, 'Go'], [1, 'od ']);
    expect(stream.text).toBe('Good ');
    expect(stream.isDone).toBe(false);
    stream.add({ stream: 's', seq: 2, delta: 'day', done: true });
    expect(stream.text).toBe('Good day');
    expect(stream.isWhole).toBe(true);
  });

  it('orders the pieces by seq and not by arrival', () => {
    expect(fold([2, 'c', true], [0, 'a'], [1, 'b']).text).toBe('abc');
  });

  it('ignores a repeated piece', () => {
    expect(fold([0, 'a'], [0, 'x'], [1, 'b']).text).toBe('ab');
  });

  it('marks a missing piece and inserts it when it arrives late', () => {
    const stream = fold([0, 'a'], [2, 'c', true]);
    expect(stream.text).toBe('a […] c');
    expect(stream.isWhole).toBe(false);
    stream.add({ stream: 's', seq: 1, delta: 'b', done: false });
    expect(stream.text).toBe('abc');
    expect(stream.isWhole).toBe(true);
  });

  it('accepts a stream from the middle on', () => {
    expect(fold([41, 'late'], [42, 'r', true]).text).toBe('later');
  });

  it('limits the size of a stream', () => {
    const stream = new StreamFold();
    for (let seq = 0; seq < 5_000; seq += 1) stream.add({ stream: 's', seq, delta: 'x'.repeat(100), done: false });
    expect(stream.text.length).toBeLessThan(270_000);
    expect(stream.text.endsWith('[…] ')).toBe(true);
  });

  it('keeps 4,096 pieces and 262,144 characters, and marks where it was cut', () => {
    const many = new StreamFold();
    for (let seq = 0; seq < 4_096; seq += 1) many.add({ stream: 's', seq, delta: 'x', done: false });
    expect(many.text).toBe('x'.repeat(4_096));
    many.add({ stream: 's', seq: 4_096, delta: 'y', done: true });
    expect([many.text, many.isWhole]).toEqual([`${'x'.repeat(4_096)} […] `, true]);
    const long = fold([0, 'x'.repeat(262_144)]);
    expect(long.text).toHaveLength(262_144);
    long.add({ stream: 's', seq: 1, delta: 'y', done: false });
    expect(long.text).toBe(`${'x'.repeat(262_144)} […] `);
  });

  it('is whole once every piece from its first to its last is there', () => {
    expect(fold([41, 'a'], [43, 'c', true]).isWhole).toBe(false);
    expect(fold([41, 'a'], [43, 'c', true], [42, 'b']).isWhole).toBe(true);
  });
});
