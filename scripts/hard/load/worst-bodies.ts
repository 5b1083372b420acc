import { BODY_VALUES_MAX } from '../../../daemon/contract/limits.js';
import { signTransfer } from '../../../daemon/features/chains/solana-wire.js';
import { walletKey } from '../../../daemon/features/chains/wallet-key.js';
import { SigningKey } from '../../../daemon/lib/crypto/ed25519.js';

/** A body that is expensive to read, of at most `limit` bytes. */
export interface Shape {
  name: string;
  body: (limit: number) => string;
}

/**
 * Returns `begin`, as many of `one(0)`, `one(1)`, ... as fit into `limit` bytes but at most `most`, joined by commas,
 * and `end`.
 */
function fill(limit: number, begin: string, end: string, one: (number: number) => string, most = Infinity): string {
  const parts: string[] = [];
  let length = begin.length + end.length;
  while (parts.length < most) {
    const part = one(parts.length);
    length += Buffer.byteLength(part) + 1;
    if (length > limit) break;
    parts.push(part);
  }
  return begin + parts.join(',') + end;
}

const shape = (name: string, begin: string, end: string, one: (number: number) => string, most?: number): Shape => ({
  name,
  body: (limit) => fill(limit, begin, end, one, most),
});

/** Shapes for any JSON route, whatever body it expects. */
const ANY: readonly Shape[] = [
  shape('as many keys as are taken', '{', '}', (number) => `"k${number}":0`, BODY_VALUES_MAX - 10),
  shape('keys', '{', '}', (number) => `"k${number}":0`),
  shape('objects', '[', ']', () => '{}'),
  shape('a poisoned key at the end', '[', ',{"__proto__":1}]', () => '{"a":0}'),
  shape('escapes', '{"text":"', '"}', () => '\\u0000'),
];

const rpc = (method: string, params: unknown) => JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
const batch = (name: string, one: (number: number) => string): Shape => shape(name, '[', ']', one, 100);
const words = (chars: number, number: number) => `word${number} `.repeat(Math.ceil(chars / 6)).slice(0, chars);

/** Values from which the calls to the local network are made. */
export interface Chain {
  blockhash: string;
  /** Seed of a wallet with lamports. */
  seed: Buffer;
  /** Signatures of transactions that name the wallet. */
  signatures: readonly string[];
}

function chainShapes({ blockhash, seed, signatures }: Chain): readonly Shape[] {
  const from = walletKey(seed);
  const addresses = Array.from({ length: 100 }, () => walletKey(SigningKey.newSeed()).address);
  const address = (number: number) => addresses[number % addresses.length] as string;
  let count = 0;
  const wire = () => {
    count += 1;
    return signTransfer(from, address(count), BigInt(count), `m${count}`, { blockhash, lastValidBlockHeight: 0n }).wire;
  };
  const base64 = { encoding: 'base64' };
  return [
    batch('100 x sendTransaction', () => rpc('sendTransaction', [wire(), base64])),
    batch('100 x simulateTransaction', () => rpc('simulateTransaction', [wire(), base64])),
    batch('100 x requestAirdrop', (number) => rpc('requestAirdrop', [address(number), 1])),
    batch('getMultipleAccounts', () => rpc('getMultipleAccounts', [addresses])),
    batch('100 x getSignaturesForAddress', () => rpc('getSignaturesForAddress', [from.address])),
    batch('getSignatureStatuses', () => rpc('getSignatureStatuses', [Array(256).fill(signatures[0])])),
    batch('100 x getTransaction', (number) => rpc('getTransaction', [signatures[number % signatures.length]])),
    batch('base58 of 4,096 characters', () => rpc('isBlockhashValid', ['z'.repeat(4096)])),
    { name: 'one long base58', body: (limit) => rpc('isBlockhashValid', ['z'.repeat(limit - 100)]) },
  ];
}

const a2aParts = (limit: number) =>
  Array.from({ length: 8 }, (_, number) => ({ kind: 'data', data: { text: words(limit / 10, number) } }));
const message = (limit: number) => ({ messageId: `m-${Math.random()}`, role: 'user', parts: a2aParts(limit) });
const a2a: readonly Shape[] = [
  { name: '0.3 message', body: (limit) => rpc('message/send', { message: message(limit) }) },
  {
    name: '1.0 message',
    body: (limit) =>
      rpc('SendMessage', {
        message: { ...message(limit), role: 'ROLE_USER', parts: a2aParts(limit).map(({ data }) => ({ data })) },
      }),
  },
  {
    name: 'a message of many values',
    body: (limit) => {
      const data = fill(limit - 300, '{"list":[', ']}', (number) => `{"k${number}":0}`, 4_900);
      return `{"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m-${Math.random()}","role":"ROLE_USER","parts":[{"data":${data}}]}}}`;
    },
  },
  shape('batch', '[', ']', () => rpc('tasks/get', { id: 'x' })),
];
const mcp: readonly Shape[] = [
  shape('batch of tools/list', '[', ']', () => rpc('tools/list', {})),
  {
    name: 'many arguments',
    body: (limit) =>
      `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"ask","arguments":${fill(limit - 100, '{"list":[', ']}', (number) => `{"k${number}":0}`, 4_900)}}}`,
  },
  {
    name: 'arguments',
    body: (limit) =>
      rpc('tools/call', { name: 'ask', arguments: { text: 'x', more: fill(limit - 200, '', '', () => 'y') } }),
  },
];
const ask = (limit: number) =>
  JSON.stringify({
    text: words(Math.min(16_384, limit / 4), 1),
    context_docs: Array.from({ length: 8 }, (_, number) => ({
      filename: `${number}.md`,
      content: words(Math.min(65_536, (limit - 20_000) / 9), number),
    })),
  });
const card = {
  description: words(1_000, 1),
  tags: Array.from({ length: 32 }, (_, number) => words(64, number)),
  accepts: Array.from({ length: 32 }, () => 'a/'.padEnd(127, 'b')),
  produces: Array.from({ length: 32 }, () => 'a/'.padEnd(127, 'b')),
  category: 'a.'.repeat(49),
};
const capabilities = Array.from({ length: 64 }, (_, number) => words(64, number).trim());
const whole = (name: string, value: unknown): Shape => ({ name, body: () => JSON.stringify(value) });
const props = { lang: 'en', where: { lat: 53.5, lon: 10, label: 'Hamburg' } };

/**
 * Returns the shapes for a route: `general` of the shapes for any route, from index `first` on, and those valid enough
 * to be processed further by this route.
 */
export function listShapes(route: string, chain: Chain, first: number, general: number): readonly Shape[] {
  const own: Readonly<Record<string, readonly Shape[]>> = {
    'POST /chain': chainShapes(chain),
    'POST /receipts/verify': [
      shape('40,000 keys', '{"receipt":{', '}}', (number) => `"k${number}":0`),
      shape('citations', '{"receipt":[', ']}', () => '{}'),
    ],
    'POST /team/:id/a2a': a2a,
    'POST /team/:id': a2a,
    'POST /mcp': mcp,
    'POST /team/:id/mcp': mcp,
    'POST /team/:id/ask': [{ name: 'a question with eight documents', body: ask }],
    'POST /team/:id/v1/:skill': [{ name: 'a question with eight documents', body: ask }],
    'POST /team/:id/tasks/send': [{ name: 'a question with eight documents', body: ask }],
    'POST /agents/messages': [
      shape('payload', '{"to":"keeper","payload":[', ']}', () => '{"a":[]}', 3_300),
      shape('a payload too large', '{"to":"keeper","payload":[', ']}', () => '{"a":[]}'),
    ],
    'PATCH /agents/me': [whole('a full card', { capabilities, agent_card: card })],
    'PATCH /v1/agents/me': [whole('a full card', { capabilities, agent_card: card })],
    'POST /v1/agents/me/heartbeat': [whole('a full card', { agent_card: card })],
    'POST /v1/search': [
      whole('a thousand characters', {
        query: Array.from({ length: 250 }, (_, number) => `q${number}`)
          .join(' ')
          .slice(0, 1_000),
        filters: { tags: Array.from({ length: 32 }, (_, number) => `t${number}`), protocols: Array(16).fill('http') },
        explain: true,
      }),
    ],
    'POST /v1/clusters/:id/boards/:bid/posts': [
      whole('a long post', { title: 't'.repeat(200), body: `#tag ${words(65_000, 1)}`, props }),
    ],
    'POST /v1/agents/:agent_id/feedback': [
      shape('a long receipt', '{"success":true,"receipt":{', '}}', (number) => `"k${number}":0`),
      whole('a report', { success: true, latency_ms: 5, quality: 5 }),
    ],
  };
  const any = Array.from({ length: Math.min(general, ANY.length) }, (_, at) => ANY[(first + at) % ANY.length] as Shape);
  return [...any, ...(own[route] ?? [])];
}
