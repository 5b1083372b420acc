import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasGap, type LiveTurn, takeCall, takeDelta, takeSnapshot } from './live-turn.js';

const pieces = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => `${from + at} `).join('');
const delta = (index: number, turn = 't1') => ({ turn, index, text: `${index} ` });
const snapshot = (next_index: number, turn = 't1') => ({ turn, text: pieces(0, next_index), next_index, calls: [] });
const call = (id: string, state: 'running' | 'done' = 'running') => ({ id, name: 'read', target: 'a.ts', state });

function heard(...indexes: number[]): LiveTurn | undefined {
  return indexes.reduce<LiveTurn | undefined>((live, index) => takeDelta(live, delta(index)), undefined);
}

describe('live turn', () => {
  it('appends pieces in order', () => {
    expect(heard(0, 1, 2)).toMatchObject({ text: '0 1 2 ', nextIndex: 3 });
  });

  it('ignores pieces that it already has', () => {
    expect(heard(0, 1, 0, 1)).toMatchObject({ text: '0 1 ', nextIndex: 2 });
  });

  it('appends nothing after a gap and reports the gap', () => {
    const live = heard(0, 2, 3);
    expect(live?.text).toBe('0 ');
    expect(hasGap(live)).toBe(true);
  });

  it('closes a gap with the missing piece', () => {
    const live = heard(0, 2, 3, 1);
    expect(live).toMatchObject({ text: '0 1 2 3 ', nextIndex: 4 });
    expect(hasGap(live)).toBe(false);
  });

  it('closes a gap with a snapshot and appends the pieces received since', () => {
    const live = takeSnapshot(heard(0, 5, 6), snapshot(6));
    expect(live).toMatchObject({ text: pieces(0, 7), nextIndex: 7, ahead: [] });
  });

  it('ignores a snapshot that is older than the received pieces', () => {
    const live = heard(0, 1, 2);
    expect(takeSnapshot(live, snapshot(1))).toBe(live);
  });

  it('starts over with another turn', () => {
    expect(takeDelta(heard(0, 1), delta(0, 't2'))).toMatchObject({ turn: 't2', text: '0 ' });
    expect(takeSnapshot(heard(0, 1), snapshot(1, 't2'))).toMatchObject({ turn: 't2', text: '0 ' });
  });

  it('replaces a tool call that changed and keeps its position', () => {
    const live = takeCall(takeCall(takeCall(undefined, 't1', call('a')), 't1', call('b')), 't1', call('a', 'done'));
    expect(live.calls.map(({ id, state }) => [id, state])).toEqual([
      ['a', 'done'],
      ['b', 'running'],
    ]);
  });

  it('keeps a tool call that ended while the snapshot was being read', () => {
    const live = takeCall(undefined, 't1', call('a', 'done'));
    expect(takeSnapshot(live, { ...snapshot(0), calls: [call('a')] }).calls[0]?.state).toBe('done');
  });

  it('converges to the daemon’s text after loss, repetition and reordering once a snapshot was read', () => {
    const anyOrder = fc.array(fc.nat({ max: 19 }), { maxLength: 60 });
    fc.assert(
      fc.property(anyOrder, fc.nat({ max: 20 }), (indexes, at) => {
        const live = takeSnapshot(heard(...indexes), snapshot(at));
        expect(live.text).toBe(pieces(0, live.nextIndex));
        const rest = Array.from({ length: 20 }, (_, index) => index);
        const whole = rest.reduce<LiveTurn>((known, index) => takeDelta(known, delta(index)), live);
        expect(whole.text).toBe(pieces(0, 20));
      }),
    );
  });
});
