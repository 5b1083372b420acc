import { expect, it } from 'vitest';
import type { Conversation, Turn } from '../../contract/conversations.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { EXIT } from '../exit-codes.js';
import { sendOnce, type Talk } from './talk-once.js';

/** A turn that ends with `outcome` after Ctrl-C was pressed, with a daemon that only notes what it is sent. */
async function interrupted(outcome: Turn['outcome']) {
  const { terminal, text } = recordedTerminal();
  const sent: string[] = [];
  const listeners = process.listeners('SIGINT').length;
  const client = {
    get: async () => ({ running: 't1' }),
    send: async (method: string, path: string) => {
      sent.push(`${method} ${path}`);
      return { turn: 't1' };
    },
  };
  const live = {
    close: () => undefined,
    async *moments() {
      process.listeners('SIGINT').at(-1)?.('SIGINT');
      yield { kind: 'ended', turn: 't1', record: { turn: 't1', outcome, reason: null }, answer: undefined };
    },
  };
  const conversation = { conv: 'c1', member: 'ada' } as Conversation;
  const talk = { terminal, client, live, conversation } as unknown as Talk;
  await sendOnce(talk, 'Look.', { waitSeconds: undefined, canAsk: false });
  expect(process.listeners('SIGINT')).toHaveLength(listeners);
  return { exit: terminal.exit, sent, err: text.err };
}

it('ends as interrupted when Ctrl-C stopped the turn, and as the turn when that was answered all the same', async () => {
  const stopped = await interrupted('cancelled');
  expect(stopped).toMatchObject({ exit: EXIT.interrupted, err: expect.stringContaining('Ctrl-C again detaches') });
  expect(stopped.sent).toEqual(['POST /conversations/c1/messages', 'POST /conversations/c1/cancel']);
  expect((await interrupted('answered')).exit).toBe(EXIT.ok);
});
