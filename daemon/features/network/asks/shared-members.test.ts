import { expect, it } from 'vitest';
import {
  NETWORK_CARD_TEXT_MAX,
  NETWORK_CARDS_BYTES_MAX,
  NETWORK_CARDS_MAX,
  type NetworkCard,
} from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import { JsonStore } from '../../../storage/files/json-store.js';
import { parseNetworkFile, stringifyNetworkFile } from '../network-settings.js';
import { SharedMembers } from './shared-members.js';

const JOINED = { url: 'nats://127.0.0.1', network: 'docks', name: 'Quay' };
const card = (member: string, description = ''): NetworkCard => ({ member, name: member, description });

/** The members of a daemon: those of `cards` are exposed. */
async function aDaemon({ joined = true, project = 'lamp', cards = ['consultant', 'developer'].map((id) => card(id)) }) {
  const file = { content: joined ? { ...JOINED } : ({} as Record<string, unknown>), writes: 0 };
  const settings = new JsonStore(
    {
      read: async () => file.content,
      write: async (content) => {
        file.content = content;
        file.writes += 1;
      },
    },
    { parse: parseNetworkFile, stringify: stringifyNetworkFile },
  );
  await settings.load();
  const members = new SharedMembers({ settings, project });
  const announced = { times: 0 };
  const reachable = {
    ...members.reachable,
    findCard: (member: string) => cards.find((one) => one.member === member),
    requireShareable: (member: string) => {
      if (member === 'hidden') throw new MeshError('not_exposed', '"hidden" is not exposed.');
    },
  };
  const serve = () =>
    members.setReachable(reachable, () => {
      announced.times += 1;
    });
  return { members, announced, file, serve, settings };
}

it('shares what is named, once, for good, and announces it', async () => {
  const { members, announced, file, serve } = await aDaemon({});
  serve();
  await members.share('developer');
  await members.share('consultant');
  await members.share('developer');
  expect(file.content).toEqual({ ...JOINED, shared: ['developer', 'consultant'] });
  expect(announced.times).toBe(3);
  expect(['developer', 'consultant', 'other'].map((id) => members.isShared(id))).toEqual([true, true, false]);
  expect(members.show()).toEqual({ project: 'lamp', cards: [card('developer'), card('consultant')] });
  await members.unshare('developer');
  expect(file.content).toEqual({ ...JOINED, shared: ['consultant'] });
  expect(announced.times).toBe(4);
  expect(members.show().cards).toEqual([card('consultant')]);
});

it('shares nothing in no network, and nothing that programs may not ask', async () => {
  const lone = await aDaemon({ joined: false });
  lone.serve();
  const none = { code: 'not_found', message: 'This daemon is in no network: join one first (meshd network join).' };
  await expect(lone.members.share('consultant')).rejects.toMatchObject(none);
  await expect(lone.members.unshare('consultant')).rejects.toMatchObject(none);
  const { members, announced, file, serve } = await aDaemon({});
  serve();
  await expect(members.share('hidden')).rejects.toMatchObject({ code: 'not_exposed' });
  expect([file.writes, announced.times, lone.announced.times]).toEqual([0, 0, 0]);
});

it('shares so many members, of which any may be shared again', async () => {
  const { members, serve, settings } = await aDaemon({});
  serve();
  for (let number = 0; number < NETWORK_CARDS_MAX; number += 1) await members.share(`m-${number}`);
  await members.share('m-0');
  await expect(members.share('one-more')).rejects.toMatchObject({
    code: 'limit_reached',
    message: `${NETWORK_CARDS_MAX} members are shared already: stop sharing one first.`,
  });
  expect(settings.data.shared).toHaveLength(NETWORK_CARDS_MAX);
});

it('announces changes of a shared member, and ends sharing one that is hidden', async () => {
  const { members, announced, file, serve } = await aDaemon({});
  serve();
  await members.share('consultant');
  members.refresh('developer');
  expect(announced.times).toBe(1);
  members.refresh('consultant');
  expect(announced.times).toBe(2);
  await members.forget('developer');
  expect([announced.times, file.writes]).toEqual([2, 1]);
  await members.forget('consultant');
  expect([announced.times, members.isShared('consultant')]).toEqual([3, false]);
});

it('forgets a member in no network without a word', async () => {
  const { members, file } = await aDaemon({ joined: false });
  await members.forget('consultant');
  expect(file.writes).toBe(0);
});

it('shows fifty characters of the project’s name, and no member that has no card', async () => {
  const { members, serve } = await aDaemon({ project: '🦊'.repeat(60) });
  serve();
  await members.share('nobody');
  expect(members.show()).toEqual({ project: '🦊'.repeat(50), cards: [] });
});

it('shows as many cards as an announcement takes in bytes, the first ones', async () => {
  const ids = Array.from({ length: NETWORK_CARDS_MAX }, (_, number) => `member-${number + 10}`);
  const cards = ids.map((id) => card(id, 'ü'.repeat(5 * NETWORK_CARD_TEXT_MAX)));
  const { members, serve } = await aDaemon({ cards });
  serve();
  for (const id of ids) await members.share(id);
  const shown = members.show();
  const bytes = Buffer.byteLength(JSON.stringify(shown));
  expect(bytes).toBeLessThanOrEqual(NETWORK_CARDS_BYTES_MAX);
  expect(shown.cards).toEqual(cards.slice(0, shown.cards.length));
  const next = cards[shown.cards.length] as NetworkCard;
  expect(Buffer.byteLength(JSON.stringify({ ...shown, cards: [...shown.cards, next] }))).toBeGreaterThan(
    NETWORK_CARDS_BYTES_MAX,
  );
  // Exactly as many bytes fit.
  const last = shown.cards.at(-1) as NetworkCard;
  last.description += 'x'.repeat(NETWORK_CARDS_BYTES_MAX - bytes);
  expect(members.show().cards).toHaveLength(shown.cards.length);
  last.description += 'x';
  expect(members.show().cards).toHaveLength(shown.cards.length - 1);
});

it('has no member while the daemon starts, and says so to who asks', async () => {
  const { members } = await aDaemon({});
  const { reachable } = members;
  await members.share('consultant');
  members.refresh('consultant');
  expect(members.show()).toEqual({ project: 'lamp', cards: [] });
  await expect(reachable.accept('consultant', { text: 'x' }, { id: 'a', name: 'a' })).rejects.toMatchObject({
    code: 'overloaded',
    message: 'The daemon is starting: ask again in a moment.',
  });
  expect(await reachable.read('consultant', 'req')).toEqual({
    error: { code: 'overloaded', message: 'The daemon is starting.' },
  });
  const news = [];
  for await (const one of reachable.follow('consultant', 'req', new AbortController().signal)) news.push(one);
  await reachable.cancel('consultant', 'req');
  expect(news).toEqual([]);
});
