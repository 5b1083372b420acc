import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { AnyReply } from '../route-types.js';
import { createDisconnectSignal } from './disconnect-signal.js';

/** A response whose connection the test closes, and the signal that tells whether it was complete by then. */
function watched() {
  const raw = Object.assign(new EventEmitter(), { writableEnded: false });
  return { raw, signal: createDisconnectSignal({ raw } as unknown as AnyReply) };
}

it('fires when the caller disconnects before its response is complete', () => {
  const { raw, signal } = watched();
  expect(signal.aborted).toBe(false);
  raw.emit('close');
  expect(signal.aborted).toBe(true);
});

it('never fires for a response that is complete', () => {
  const { raw, signal } = watched();
  raw.writableEnded = true;
  raw.emit('close');
  expect(signal.aborted).toBe(false);
});
