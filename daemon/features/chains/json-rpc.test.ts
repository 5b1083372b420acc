import { describe, expect, it } from 'vitest';
import { BATCH_ANSWER_MAX_CHARS } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import { countRounds, keepBusy } from '../../testing/processes/event-loop.js';
import { answerRpc, BATCH_MAX, RPC, RpcError, type RpcMethod } from './json-rpc.js';

const call = (method: string, id?: number) => ({ jsonrpc: '2.0', method, ...(id === undefined ? {} : { id }) });
const never = (error: unknown) => expect.unreachable(String(error));

const throwing = (error: unknown) => () => {
  throw error;
};
const METHODS = new Map<string, RpcMethod>([
  ['echo', (params) => params],
  ['nothing', () => null],
  ['rpc', throwing(new RpcError(RPC.version, 'Not that version'))],
  ['rpc-with-data', throwing(new RpcError(RPC.preflight, 'It would fail', { err: null }))],
  ['bad', throwing(new MeshError('bad_request', 'No such network.'))],
  ['proof', throwing(new MeshError('proof_format', 'No signature.'))],
  ['away', throwing(new MeshError('network_unavailable', 'The library is missing.'))],
  ['broken', async () => throwing(new TypeError('secret detail'))()],
]);

/** The parsed answer to `body`, and the internal errors that were reported. */
async function answered(body: unknown): Promise<{ answer: unknown; failures: unknown[] }> {
  const failures: unknown[] = [];
  const text = await answerRpc(body, METHODS, (error) => failures.push(error));
  return { answer: text === undefined ? undefined : JSON.parse(text), failures };
}

describe('a call', () => {
  it.each([
    ['no parameters', { method: 'echo' }, []],
    ['a list of parameters', { method: 'echo', params: [1, { a: null }] }, [1, { a: null }]],
    ['the result null', { method: 'nothing' }, null],
  ])('is answered with its id and its result: %s', async (_name, given, result) => {
    for (const id of [7, 'seven', null])
      expect(await answered({ jsonrpc: '2.0', id, ...given })).toEqual({
        answer: { jsonrpc: '2.0', id, result },
        failures: [],
      });
    expect(await answered({ jsonrpc: '2.0', ...given })).toEqual({ answer: undefined, failures: [] });
  });

  const form = { code: -32600, message: 'Invalid request: send {jsonrpc: "2.0", id, method, params}.' };
  const list = { code: -32602, message: 'Invalid params: they must be a list.' };
  it.each<[body: unknown, id: unknown, error: object]>([
    [{ jsonrpc: '1.0', id: 7, method: 'echo' }, 7, form],
    [{ id: 7, method: 'echo' }, 7, form],
    [{ jsonrpc: '2.0', id: 'x', method: 7 }, 'x', form],
    [{ jsonrpc: '2.0', method: 7 }, null, form],
    [{ jsonrpc: '2.0', id: null }, null, form],
    [{ jsonrpc: '2.0', id: { a: 1 }, method: 'echo' }, null, form],
    [{ jsonrpc: '2.0', id: true, method: 'echo' }, null, form],
    ['echo', null, form],
    [null, null, form],
    [undefined, null, form],
    [{ jsonrpc: '2.0', id: 7, method: 'echo', params: { a: 1 } }, 7, list],
    [{ jsonrpc: '2.0', id: 7, method: 'echo', params: null }, 7, list],
    [{ jsonrpc: '2.0', id: null, method: 'echo', params: 'x' }, null, list],
    [
      { jsonrpc: '2.0', id: 7, method: 'x'.repeat(65) },
      7,
      { code: -32601, message: `Method not found: ${'x'.repeat(64)}` },
    ],
    [{ jsonrpc: '2.0', id: 7, method: 'rpc' }, 7, { code: -32015, message: 'Not that version' }],
    [
      { jsonrpc: '2.0', id: 7, method: 'rpc-with-data' },
      7,
      { code: -32002, message: 'It would fail', data: { err: null } },
    ],
    [{ jsonrpc: '2.0', id: 7, method: 'bad' }, 7, { code: -32602, message: 'Invalid params: No such network.' }],
    [{ jsonrpc: '2.0', id: 7, method: 'proof' }, 7, { code: -32602, message: 'Invalid params: No signature.' }],
  ])('%j is refused with its id and the reason', async (body, id, error) => {
    expect(await answered(body)).toEqual({ answer: { jsonrpc: '2.0', id, error }, failures: [] });
  });

  it.each([
    ['away', 'The library is missing.', 'network_unavailable'],
    ['broken', 'Internal error', undefined],
  ])('that fails for a reason of the daemon is reported to its log, also as a notification: %s', async (...of) => {
    const [method, message, code] = of;
    const { answer, failures } = await answered({ jsonrpc: '2.0', id: 7, method });
    expect(answer).toEqual({ jsonrpc: '2.0', id: 7, error: { code: -32603, message } });
    expect(failures).toEqual([code === undefined ? new TypeError('secret detail') : expect.objectContaining({ code })]);
    expect(await answered({ jsonrpc: '2.0', method })).toEqual({ answer: undefined, failures });
  });
});

describe('a batch', () => {
  it('has 1 to 100 calls', async () => {
    const calls = (count: number) => Array.from({ length: count }, (_, id) => ({ ...call('nothing', id) }));
    const refusal = {
      jsonrpc: '2.0',
      id: null,
      error: { code: -32600, message: 'Invalid request: a batch has 1 to 100 calls.' },
    };
    for (const count of [0, BATCH_MAX + 1]) expect((await answered(calls(count))).answer).toEqual(refusal);
    for (const count of [1, BATCH_MAX])
      expect((await answered(calls(count))).answer).toEqual(
        calls(count).map(({ id }) => ({ jsonrpc: '2.0', id, result: null })),
      );
  });

  it('without a call that needs a response has none', async () => {
    expect((await answered([call('nothing'), call('echo')])).answer).toBeUndefined();
  });

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

  it('may have responses of exactly the limit before the one that is still run', async () => {
    const frame = JSON.stringify({ jsonrpc: '2.0', id: 1, result: '' }).length;
    const run = async (chars: number) => {
      const methods = new Map<string, RpcMethod>([['long', () => 'x'.repeat(chars - frame)]]);
      const batch = [call('long', 1), call('long', 2), 7, { id: {} }, { id: null }, { id: 'x' }];
      return JSON.parse((await answerRpc(batch, methods, never)) ?? '') as { id: unknown; error?: object }[];
    };
    const notRun = {
      code: -32005,
      message: 'Limit exceeded: the answers before it fill 1048576 characters. Send it again alone.',
    };
    const errors = (answers: { id: unknown; error?: object }[]) => answers.map(({ id, error }) => [id, error]);
    expect(errors(await run(BATCH_ANSWER_MAX_CHARS)).slice(0, 2)).toEqual([
      [1, undefined],
      [2, undefined],
    ]);
    expect(errors(await run(BATCH_ANSWER_MAX_CHARS + 1))).toEqual([
      [1, undefined],
      [2, notRun],
      [null, notRun],
      [null, notRun],
      ['x', notRun],
    ]);
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
