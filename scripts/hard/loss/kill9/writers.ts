import type { Dice } from '../../../../daemon/testing/dice.js';
import type { DaemonProcess } from '../../../../daemon/testing/processes/daemon-process.js';
import { type Answer, callHttp } from '../../http-call.js';
import type { Acknowledged, Expectation } from './acknowledged.js';
import { createReport } from './signed-report.js';

/** Returns the authorization header for a bearer token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const getStatus = ({ status }: Answer) => status;

/** Number of writers that run concurrently. */
const WRITERS = 16;

/** State shared by all writers of one daemon. */
export interface World {
  dice: Dice;
  address: string;
  known: Acknowledged;
  /** Error responses to requests that are valid and must succeed. */
  faults: string[];
  /** Returns a name of the given kind that was not used before. */
  name(kind: string): string;
  /** Token of the member that receives the asks. */
  askToken: string;
  /** Members whose writer was interrupted before it removed them. */
  left: string[];
}

/** Returns a world with fresh counters and no daemon address. `moveTo` sets the address. */
export function newWorld(dice: Dice, known: Acknowledged): World {
  let names = 0;
  const name = (kind: string) => {
    names += 1;
    return `${kind}-${names}`;
  };
  return { dice, address: '', known, faults: [], name, askToken: '', left: [] };
}

/** Directs all writers to `daemon` and reads the consultant's token from it. */
export async function moveTo(daemon: DaemonProcess, world: World): Promise<void> {
  world.address = daemon.address;
  world.askToken = await daemon.getToken('consultant');
}

interface Change {
  about: string;
  request: [method: string, path: string, body?: unknown, headers?: Record<string, string>];
  expect: (body: Answer['body']) => Expectation;
  /** Status that only reports a temporary limit. It does not count as a fault. */
  isFull?: number;
}

/**
 * Sends a change. Once it is acknowledged, records what it guarantees in `known`. Returns the response body, or
 * undefined when the request was interrupted or rejected.
 */
async function change(
  { address, known, faults }: World,
  { about, request, expect, isFull }: Change,
): Promise<Answer['body'] | undefined> {
  known.unsure(about);
  const answer = await callHttp(address, ...request);
  if (!answer) return undefined;
  if (answer.status >= 300) {
    if (answer.status !== isFull)
      faults.push(`${request[0]} ${request[1]} was answered ${answer.status} ${JSON.stringify(answer.body)}`);
    return undefined;
  }
  known.add(about, expect(answer.body));
  return answer.body;
}

/** Registers an agent of the unified API, edits it, sometimes files a report about it, and sometimes deregisters it. */
async function registeredAgent(world: World): Promise<void> {
  const id = world.name('v1');
  const path = `/v1/agents/${id}`;
  const told = (description: string) => () => ({ path, look: ({ body }: Answer) => body.description, is: description });
  const made = await change(world, {
    about: id,
    request: ['POST', '/v1/agents/register', { agent_id: id, description: `${id} one` }],
    expect: told(`${id} one`),
  });
  if (!made) return;
  const as = bearer(made.token);
  const body = { description: `${id} two` };
  if (!(await change(world, { about: id, request: ['PATCH', '/v1/agents/me', body, as], expect: told(`${id} two`) })))
    return;
  if (world.dice.random() < 0.5) await signedReport(world, id);
  if (world.dice.random() < 0.3) {
    world.known.unsure(`report ${id}`);
    world.known.unsure(`nonce ${id}`);
    await change(world, {
      about: id,
      request: ['DELETE', '/v1/agents/me', undefined, as],
      expect: () => ({ path, look: getStatus, is: 404 }),
    });
  }
}

/** Files a signed report about an agent. The nonce of its signature must be rejected on a second use. */
async function signedReport(world: World, id: string): Promise<void> {
  const { request, refusedAgain } = createReport(id);
  const filed = await change(world, {
    about: `report ${id}`,
    request,
    expect: () => ({ path: `/v1/reputation/${id}`, look: ({ body: standing }) => standing.reports, is: 1 }),
  });
  if (filed) world.known.add(`nonce ${id}`, refusedAgain);
}

/**
 * Registers an agent of the hub, sends mail, adds a contact, and checks that the token is invalid after deregistration.
 */
async function hubAgent(world: World): Promise<void> {
  const id = world.name('mailer');
  const path = `/agents/${id}`;
  const made = await change(world, {
    about: id,
    request: ['POST', '/agents/register', { agent_id: id, capabilities: ['mail'], description: id }],
    expect: () => ({ path, look: ({ body }) => body.description, is: id }),
  });
  if (!made) return;
  const as = bearer(made.token);
  const other = world.name('peer');
  const peer = await change(world, {
    about: other,
    request: ['POST', '/agents/register', { agent_id: other, capabilities: [] }],
    expect: () => ({ path: `/agents/${other}`, look: getStatus, is: 200 }),
  });
  if (!peer) return;
  await change(world, {
    about: `mail ${id}`,
    request: ['POST', '/agents/messages', { to: other, payload: id }, as],
    expect: ({ message_id }) => ({
      path: '/agents/messages?since_id=0',
      headers: bearer(peer.token),
      look: ({ body }) =>
        body.messages?.map((message: { _message_id: string; payload: unknown }) => [
          message._message_id,
          message.payload,
        ]),
      is: [[message_id, id]],
    }),
  });
  await change(world, {
    about: `contact ${id}`,
    request: ['PUT', `/agents/contacts/${other}`, undefined, as],
    expect: () => ({
      path: '/agents/contacts',
      headers: as,
      look: ({ body }) => body.contacts?.map((contact: { agent_id: string }) => contact.agent_id),
      is: [other],
    }),
  });
  if (world.dice.random() < 0.3) {
    for (const about of [`contact ${id}`, `mail ${id}`]) world.known.unsure(about);
    const gone = await change(world, {
      about: id,
      request: ['DELETE', '/agents/me', undefined, as],
      expect: () => ({ path, look: getStatus, is: 404 }),
    });
    if (gone) world.known.add(`token ${id}`, { path: '/agents/contacts', headers: as, look: getStatus, is: 401 });
  }
}

/** Creates a cluster with a board and posts, deletes some of the posts and sometimes the whole cluster. */
async function cluster(world: World): Promise<void> {
  const name = world.name('cluster');
  const made = await change(world, {
    about: name,
    request: ['POST', '/v1/clusters', { name }],
    expect: ({ cluster_id, token }) => ({
      path: `/v1/clusters/${cluster_id}`,
      headers: { 'x-cluster-token': token },
      look: ({ body }) => body.cluster?.name,
      is: name,
    }),
  });
  if (!made) return;
  const path = `/v1/clusters/${made.cluster_id}`;
  const admin = { 'x-cluster-token': made.admin_token };
  const opened = await change(world, {
    about: name,
    request: ['PATCH', path, { boards_enabled: true }, admin],
    expect: () => ({ path, headers: admin, look: ({ body }) => body.cluster?.boards_enabled, is: true }),
  });
  if (!opened) return;
  const board = await change(world, {
    about: `${name} board`,
    request: ['POST', `${path}/boards`, { slug: 'jobs', name, kind: 'generic', about: 'Work.' }, admin],
    expect: () => ({ path: `${path}/boards/jobs`, headers: admin, look: ({ body }) => body.board?.name, is: name }),
  });
  if (!board) return;
  const posts: string[] = [];
  for (let number = 1 + world.dice.below(6); number > 0; number -= 1) {
    const title = `${name} ${number}`;
    const post = await change(world, {
      about: title,
      request: ['POST', `${path}/boards/jobs/posts?agent=ada`, { title, body: 'x', ttl: 'forever' }, admin],
      expect: ({ id }) => ({
        path: `${path}/boards/jobs/posts/${id}`,
        headers: admin,
        look: ({ body }) => body.post?.title,
        is: title,
      }),
    });
    if (!post) return;
    posts.push(title);
    if (world.dice.random() > 0.2) continue;
    const at = `${path}/boards/jobs/posts/${post.id}`;
    const gone = await change(world, {
      about: title,
      request: ['DELETE', `${at}?agent=ada`, undefined, admin],
      expect: () => ({ path: at, headers: admin, look: getStatus, is: 404 }),
    });
    if (!gone) return;
  }
  if (world.dice.random() > 0.15) return;
  for (const about of [`${name} board`, ...posts]) world.known.unsure(about);
  await change(world, {
    about: name,
    request: ['DELETE', path, undefined, admin],
    expect: () => ({ path, headers: admin, look: ({ status }) => status === 401 || status === 404, is: true }),
  });
}

/**
 * Creates, edits and removes a member and rotates its token, or removes a member that a kill left behind. Removal keeps
 * the team small.
 */
async function member(world: World): Promise<void> {
  const left = world.left.pop();
  // The interrupted creation may never have been carried out.
  if (left !== undefined && (await callHttp(world.address, 'GET', `/team/${left}`))?.status === 404) return;
  const id = left ?? world.name('member');
  const isWhole = left === undefined ? await madeMember(world, id) : await removedMember(world, id);
  if (!isWhole) world.left.push(id);
}

/** Returns whether every step was acknowledged. */
async function madeMember(world: World, id: string): Promise<boolean> {
  const path = `/team/${id}`;
  const told = (description: string) => () => ({ path, look: ({ body }: Answer) => body.description, is: description });
  const made = await change(world, {
    about: id,
    request: ['POST', '/team', { id, name: id, description: 'one', exposure: 'external', body: 'You answer.' }],
    expect: told('one'),
  });
  if (!made) return false;
  if (!(await change(world, { about: id, request: ['PATCH', path, { description: 'two' }], expect: told('two') })))
    return false;
  const rotated = await change(world, {
    about: `token ${id}`,
    request: ['POST', `${path}/token/rotate`],
    expect: ({ token }) => ({ path, look: ({ body }) => body.token, is: token }),
  });
  if (!rotated) return false;
  if (made.token !== undefined) {
    const ask = { method: 'POST', path: `${path}/ask`, headers: bearer(made.token), body: { text: 'Old?' } };
    world.known.add(`old token ${id}`, { ...ask, look: getStatus, is: 401 });
  }
  return world.dice.random() < 0.05 || removedMember(world, id);
}

/** Returns whether the removal was acknowledged. */
async function removedMember(world: World, id: string): Promise<boolean> {
  const path = `/team/${id}`;
  for (const about of [`token ${id}`, `old token ${id}`]) world.known.unsure(about);
  const gone = await change(world, {
    about: id,
    request: ['DELETE', path],
    expect: () => ({ path, look: getStatus, is: 404 }),
  });
  return gone !== undefined;
}

/** Asks a member as an external program. Records the result once a poll has returned it. */
async function ask(world: World): Promise<void> {
  const text = `What is ${world.name('question')}?`;
  const as = bearer(world.askToken);
  const accepted = await change(world, {
    about: text,
    request: ['POST', '/team/consultant/ask', { text }, as],
    expect: ({ request_id }) => ({ path: `/requests/${request_id}`, look: ({ body }) => body.text, is: text }),
    // Writers that do not wait for the result can leave six other asks in progress.
    isFull: 429,
  });
  if (!accepted || world.dice.random() < 0.5) return;
  const polled = await callHttp(world.address, 'GET', `/team/requests/${accepted.request_id}?wait=2`, undefined, as);
  if (polled?.body.status !== 'done') return;
  const of = ({ body }: Answer) => [body.status, body.result_text, body.receipt];
  world.known.add(`result of ${text}`, {
    path: `/team/requests/${accepted.request_id}`,
    headers: as,
    look: of,
    is: of(polled),
  });
}

/** Creates a conversation and posts messages. All messages must be kept in order. */
async function conversation(world: World): Promise<void> {
  const title = world.name('talk');
  const made = await change(world, {
    about: title,
    request: ['POST', '/conversations', { member: 'developer', client: 'builtin', title }],
    expect: ({ conv }) => ({ path: `/conversations/${conv}`, look: ({ body }) => body.title, is: title }),
  });
  if (!made) return;
  const summary: string[] = [];
  for (let number = 1 + world.dice.below(4); number > 0; number -= 1) {
    const text = `${title} ${number}`;
    const is = [...summary, text];
    const posted = await change(world, {
      about: `${title} messages`,
      request: ['POST', `/conversations/${made.conv}/messages`, { text }],
      expect: () => ({
        path: `/conversations/${made.conv}/messages?limit=200`,
        look: ({ body }) =>
          body.messages?.map((message: { text: string }) => message.text).filter((one: string) => is.includes(one)),
        is,
      }),
    });
    if (!posted) return;
    summary.push(text);
  }
}

/** Changes a preference and a roadmap task. Only one writer does so, hence the expected value is unambiguous. */
async function settings(world: World): Promise<void> {
  const theme = world.dice.pick(['light', 'dark', 'system']);
  await change(world, {
    about: 'preferences',
    request: ['PATCH', '/preferences', { theme }],
    expect: () => ({ path: '/preferences', look: ({ body }) => body.theme, is: theme }),
  });
  const text = world.name('task');
  await change(world, {
    about: 'roadmap',
    request: ['PATCH', '/roadmap/lamp', { text }],
    expect: () => ({
      path: '/roadmap',
      look: ({ body }) => body.tasks?.find(({ id }: { id: string }) => id === 'lamp')?.text,
      is: text,
    }),
  });
}

/** Kinds of work, each repeated by its relative frequency. */
const KINDS = [
  ...Array<typeof cluster>(5).fill(cluster),
  ...Array<typeof cluster>(4).fill(registeredAgent),
  ...Array<typeof cluster>(4).fill(hubAgent),
  conversation,
  ask,
  member,
];

/** Performs one piece of work after another until `isOver` returns true. The first writer also changes the settings. */
async function write(world: World, number: number, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    if (number === 0 && world.dice.random() < 0.3) await settings(world);
    else await world.dice.pick(KINDS)(world);
  }
}

/** Runs sixteen writers until `isOver` returns true. Resolves when each has finished its current piece of work. */
export async function writeUntil(world: World, isOver: () => boolean): Promise<void> {
  await Promise.all(Array.from({ length: WRITERS }, (_, number) => write(world, number, isOver)));
}
