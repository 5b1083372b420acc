import { describe, expect, it } from 'vitest';
import { BATCH_ANSWER_MAX_CHARS } from '../../contract/limits.js';
import { countRounds, keepBusy } from '../../testing/processes/event-loop.js';
import { answerRpc, RPC, type RpcMethod } from './json-rpc.js';

const call = (method: string, id?: number) => ({ jsonrpc: '2.0', method, ...(id === undefined ? {} : { id }) });
const never = (error: unknown) => expect.unreachable(String(error));

describe('a batch', () => {
  it('blocks the event loop for a few milliseconds at a time', async () => {
    const methods = new Map<string, RpcMethod>([['work', () => keepBusy(4)]]);
    const loop = countRounds();
    await answerRpc(
      Array.from({ length: 20 }, (_, id) => call('work', id)),
      methods,
      never,
    );
    loop.stop();
    expect(loop.rounds).toBeGreaterThanOrEqual(9);
  });

  it('runs no further call once its responses exceed the limit, and returns an error for each', async () => {
    let calls = 0;
    const long = () => {
      calls += 1;
      return 'x'.repeat(BATCH_ANSWER_MAX_CHARS / 2);
    };
    const batch = [call('long', 1), call('long', 2), call('long', 3), call('long'), call('long', 5)];
    const answers = JSON.parse((await answerRpc(batch, new Map([['long', long]]), never)) ?? '') as {
      id: number;
      error?: { code: number };
    }[];
    expect(answers.map(({ id, error }) => [id, error?.code])).toEqual([
      [1, undefined],
      [2, undefined],
      [3, RPC.limitExceeded],
      [5, RPC.limitExceeded],
    ]);
    expect(calls).toBe(2);
  });

  it('stops when its caller has disconnected', async () => {
    const gone = new AbortController();
    let calls = 0;
    const leave = () => {
      calls += 1;
      if (calls === 3) gone.abort();
    };
    const batch = Array.from({ length: 10 }, (_, id) => call('leave', id));
    expect(await answerRpc(batch, new Map([['leave', leave]]), never, gone.signal)).toBeUndefined();
    expect(calls).toBe(3);
  });
});
