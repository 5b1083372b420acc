import type { DaemonProcess } from '../../../../daemon/testing/processes/daemon-process.js';
import { type Answer, callHttp } from '../../http-call.js';
import { type BoardsCluster, clusterWithBoards } from '../../load/boards.js';
import { many } from '../../many.js';
import type { Acknowledged, Expectation } from './acknowledged.js';
import { createReport } from './signed-report.js';
import { bearer } from './writers.js';

const AT_ONCE = 64;
const BOARDS = 50;
/**
 * Number of agents that send messages to each other. It is large enough for one page of an inbox to hold the messages
 * of each.
 */
const PEERS = 1_000;
const RATED = 100;
/** Kinds of records, each repeated by its relative frequency. */
const KINDS = ['post', 'post', 'post', 'post', 'post', 'mail', 'mail', 'agent', 'agent', 'report'] as const;

interface Filled {
  cluster: BoardsCluster;
  /** Tokens of the agents that send messages to each other. */
  peers: readonly string[];
}

interface NewRecord {
  about: string;
  request: [method: string, path: string, body: unknown, headers?: Readonly<Record<string, string>>];
  /** Returns how to verify the record, given the response body. */
  expect: (body: Answer['body']) => Expectation;
}

const peer = (n: number) => `keeper-${n % PEERS}`;
const rated = (n: number) => `rated-${n % RATED}`;

/** Returns the `n`th record: a post, a message, an agent or a signed report about one. */
function record(n: number, { cluster: { path, admin }, peers }: Filled): NewRecord {
  const name = `lamp-${n}`;
  switch (KINDS[n % KINDS.length]) {
    case 'post': {
      const board = `${path}/boards/b${Math.floor(n / KINDS.length) % BOARDS}/posts`;
      return {
        about: `post ${n}`,
        request: [
          'POST',
          `${board}?agent=ada`,
          { title: name, body: 'It burns since the evening.', ttl: 'forever' },
          admin,
        ],
        expect: ({ id }) => ({
          path: `${board}/${id}`,
          headers: admin,
          look: ({ body }) => body.post?.title,
          is: name,
        }),
      };
    }
    case 'mail':
      return {
        about: `mail ${n}`,
        request: ['POST', '/agents/messages', { to: peer(n + 1), payload: name }, bearer(peers[n % PEERS] as string)],
        expect: () => ({
          path: '/agents/messages?since_id=0&limit=200',
          headers: bearer(peers[(n + 1) % PEERS] as string),
          look: ({ body }) => body.messages?.some((message: { payload: unknown }) => message.payload === name),
          is: true,
        }),
      };
    case 'agent':
      return {
        about: `agent ${n}`,
        request: ['POST', '/v1/agents/register', { agent_id: name, description: name }],
        expect: () => ({ path: `/v1/agents/${name}`, look: ({ body }) => body.description, is: name }),
      };
    default: {
      const { request, refusedAgain } = createReport(rated(n));
      return { about: `report ${n}`, request, expect: () => refusedAgain };
    }
  }
}

/**
 * Writes `count` records through the daemon's API, 64 at a time, and adds each to `known` when it is acknowledged.
 * Throws an Error when one is rejected.
 */
export async function fill(daemon: DaemonProcess, count: number, known: Acknowledged): Promise<void> {
  const slugs = [...Array(BOARDS).keys()].map((n) => `b${n}`);
  const cluster = await clusterWithBoards(daemon, slugs, { name: 'Filled' });
  const peers: string[] = [];
  await many([...Array(PEERS).keys()], AT_ONCE, async (n) => {
    peers[n] = (
      await daemon.call<{ token: string }>('POST', '/agents/register', { agent_id: peer(n), capabilities: [] })
    ).token;
  });
  await many(
    [...Array(RATED).keys()],
    AT_ONCE,
    async (n) => void (await daemon.call('POST', '/v1/agents/register', { agent_id: rated(n) })),
  );
  await many([...Array(count).keys()], AT_ONCE, async (n) => {
    const { about, request, expect } = record(n, { cluster, peers });
    const answer = await callHttp(daemon.address, ...request);
    if (!answer || answer.status >= 300)
      throw new Error(`${about} was answered ${answer?.status} ${JSON.stringify(answer?.body)}`);
    known.add(about, expect(answer.body));
  });
}
