import { describe, expect, it } from 'vitest';
import { CALL_ANSWER_LIMIT } from '../../contract/payments.js';
import type { OutboundRequest } from '../../http/outbound/outbound-exchange.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { checkMeshSig, parseMeshSig } from '../../lib/crypto/mesh-sig.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { type ExchangeAnswer, pause, StoppedError } from './paying-ports.js';
import { createSigner, readCardThrough } from './read-card.js';
import { lamportsHeader, postSkill, signedHeaders } from './skill-request.js';

const URL_OF_SKILL = 'http://painter.example/v1/paint?tier=max';

/** Calls a skill of an agent that answers with what `say` returns or throws. */
function aRequest(say: (clock: FakeClock) => Partial<ExchangeAnswer>) {
  const clock = new FakeClock();
  const sent: OutboundRequest[] = [];
  const exchange = {
    async send(request: OutboundRequest) {
      sent.push(request);
      return { status: 200, json: undefined, header: () => undefined, ...say(clock) };
    },
  };
  const signer = { pubkey: 'key', sign: (...parts: string[]) => parts.join(' | ') };
  const post = (
    more: { input?: unknown; isSigned?: boolean; headers?: Record<string, string> } = {},
    signal = new AbortController().signal,
  ) =>
    postSkill({ clock, exchange, signer } as never, { url: URL_OF_SKILL, input: {}, isSigned: true, ...more }, signal);
  return { sent, post };
}

describe('a call of a skill', () => {
  it('is signed with its path, query and body, and is limited in bytes and time', async () => {
    const { sent, post } = aRequest(() => ({}));
    await post({ input: { prompt: 'a lamp' }, headers: { 'x-api-key': 'key' } });
    const body = '{"prompt":"a lamp"}';
    expect(sent).toEqual([
      {
        ...{ method: 'POST', url: URL_OF_SKILL, body, totalMs: 130_000, maxBytes: CALL_ANSWER_LIMIT },
        headers: { 'mesh-sig': `POST | /v1/paint?tier=max | ${body}`, 'x-api-key': 'key' },
      },
    ]);
  });

  it('is not signed when that could make a debt, and has an empty input without one', async () => {
    const { sent, post } = aRequest(() => ({}));
    await post({ isSigned: false, input: null });
    expect(sent).toMatchObject([{ body: '{}', headers: {} }]);
    expect(sent[0]?.headers).toEqual({});
  });

  it('has the time that it took in whole milliseconds with its answer', async () => {
    const header = (name: string) => `the ${name}`;
    const { post } = aRequest((clock) => {
      clock.advance(41.6);
      return { status: 402, json: { error: 'pay' }, header };
    });
    expect(await post()).toEqual({ status: 402, json: { error: 'pay' }, header, latencyMs: 42 });
  });

  it('that gets no whole answer is unreachable, and says why', async () => {
    const { post } = aRequest(() => {
      throw new Error('connection refused');
    });
    await expect(post()).rejects.toMatchObject({
      ...{ name: 'CallError', code: 'unreachable' },
      message: `The agent at ${URL_OF_SKILL} did not answer: connection refused`,
    });
  });

  it('that is cut off when the daemon stops says nothing of its agent', async () => {
    const stopping = new AbortController();
    const { post } = aRequest(() => {
      stopping.abort();
      throw new Error('aborted');
    });
    await expect(post({}, stopping.signal)).rejects.toThrow(new StoppedError('Stopped.'));
    await expect(post({}, stopping.signal)).rejects.toBeInstanceOf(StoppedError);
  });
});

it('other requests are signed in the same way', () => {
  const signer = { pubkey: 'key', sign: (...parts: string[]) => parts.join(' | ') } as never;
  const url = 'http://painter.example/v1/agents/a%20b?x=1#part';
  expect(signedHeaders({ signer }, 'PUT', url, 'text')).toEqual({ 'mesh-sig': 'PUT | /v1/agents/a%20b?x=1 | text' });
});

it.each<[string | undefined, number | undefined]>([
  ['0', 0],
  ['5000', 5_000],
  ['9007199254740991', Number.MAX_SAFE_INTEGER],
  ['9007199254740992', undefined],
  ['12345678901234567', undefined],
  ['00000000000000005', undefined],
  ['', undefined],
  ['-5', undefined],
  ['5.5', undefined],
  ['5e3', undefined],
  [' 5', undefined],
  ['5 ', undefined],
  ['a5', undefined],
  ['0x10', undefined],
  [undefined, undefined],
])('the header %j is %s lamports', (text, lamports) => {
  const header = (name: string) => (name === 'x-debited-lamports' ? text : '77');
  expect(lamportsHeader({ header }, 'x-debited-lamports')).toBe(lamports);
});

describe('a card', () => {
  it('is what was read at its address', async () => {
    const asked: string[] = [];
    const json = async (url: string) => {
      asked.push(url);
      return { fetched_ms: 1, ok: true, value: { name: 'Painter' } } as const;
    };
    expect(await readCardThrough({ json }, 'http://painter.example/card')).toEqual({ name: 'Painter' });
    expect(asked).toEqual(['http://painter.example/card']);
  });

  it('that cannot be read is missing for the reason that is told', async () => {
    const json = async () => ({ fetched_ms: 1, ok: false, reason: 'too_large', message: 'Too large.' }) as const;
    await expect(readCardThrough({ json }, 'http://painter.example/card')).rejects.toThrow(new Error('Too large.'));
  });
});

it('a signature is one of the identity at the present time, also without a body', () => {
  const clock = new FakeClock();
  const key = new SigningKey(new Uint8Array(32).fill(7));
  const signer = createSigner(key, clock);
  expect(signer.pubkey).toBe(key.pubkey);
  clock.advance(60_000);
  const request = { method: 'POST', path: '/v1/paint?x=1', body: '{}' };
  const signature = parseMeshSig(signer.sign('POST', '/v1/paint?x=1', '{}'));
  expect(signature).toMatchObject({ pubkey: key.pubkey, ts: clock.now() / 1_000 });
  expect(() => checkMeshSig(signature, request, clock.now())).not.toThrow();
  const bare = parseMeshSig(signer.sign('GET', '/v1/balance'));
  expect(() => checkMeshSig(bare, { method: 'GET', path: '/v1/balance', body: '' }, clock.now())).not.toThrow();
});

describe('a pause', () => {
  it('lasts as long as it is asked for', async () => {
    const clock = new FakeClock();
    let isOver = false;
    const over = pause(clock, 100, new AbortController().signal).then(() => {
      isOver = true;
    });
    clock.advance(99);
    await Promise.resolve();
    expect(isOver).toBe(false);
    clock.advance(1);
    await over;
    expect(isOver).toBe(true);
  });

  it('is cut short when the daemon stops', async () => {
    const stopping = new AbortController();
    const clock = new FakeClock();
    const paused = pause(clock, 100, stopping.signal);
    stopping.abort();
    await expect(paused).rejects.toMatchObject({ name: 'StoppedError', message: 'Stopped.' });
    expect(clock.pending).toBe(0);
  });
});
