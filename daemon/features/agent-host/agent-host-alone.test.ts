import { describe, expect, it } from 'vitest';
import type { PublicCard } from '../../contract/network/card.js';
import { MeshError } from '../../lib/errors.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { type MemberVersion, readMember } from '../team/member-file.js';
import { AgentHost } from './agent-host.js';
import { DefaultWallet } from './default-wallet.js';

const FREE = '---\ndescription: Knows the lamps.\n---\nx\n';
const PRICED = '---\npricing: { unit: request, amount: 5, currency: lamports }\n---\nx\n';
const WITH_WALLET = PRICED.replace('pricing', 'payment: { modes: [x402], wallet: "1" }\npricing');
const SKILLED = '---\nskills: [{ id: count, description: Counts. }]\n---\nx\n';

const walletOf = ({ payment }: PublicCard) => (payment as { wallet?: string } | undefined)?.wallet;

/** A host of the members of `files`, with a wallet whose opening is counted and may fail. */
function hosting(files: Record<string, string>) {
  const members = new Map(Object.entries(files).map(([id, file]) => [id, readMember(id, file) as MemberVersion]));
  const state = { origin: 'http://a', problem: undefined as string | undefined, tests: {} as object | undefined };
  const opened = { times: 0, fail: undefined as Error | undefined };
  const wallet = new DefaultWallet(async () => {
    opened.times += 1;
    if (opened.fail) throw opened.fail;
    return 'OWN';
  });
  state.tests = undefined;
  const host = new AgentHost({
    exposure: {
      external: (id: string) => members.get(id),
      verify: (id: string, token: string) => token === `of ${id}`,
    },
    asks: { usualLatency: () => undefined },
    origin: () => state.origin,
    resolve: () => ({ client_resolved: 'acp', ...(state.problem === undefined ? {} : { problem: state.problem }) }),
    ...{ networks: ['solana:local'], wallet, findTests: () => state.tests, clock: new FakeClock() },
    ...{ processor: () => undefined, onFailure: () => undefined },
  } as unknown as ConstructorParameters<typeof AgentHost>[0]);
  return { host, members, state, opened, wallet };
}

describe('the agents of exposed members', () => {
  it('are made once, and anew with the file, the address and the tests', () => {
    const { host, members, state } = hosting({ guide: FREE });
    const first = host.agent('guide');
    expect(host.agent('guide')).toBe(first);
    state.origin = 'http://b';
    const moved = host.agent('guide');
    expect([moved === first, moved.card().value.url]).toEqual([false, 'http://b/team/guide']);
    state.tests = { total: 1 };
    expect(host.agent('guide').card().value.tests).toEqual({ total: 1 });
    members.set('guide', readMember('guide', FREE.replace('lamps', 'horns')) as MemberVersion);
    expect(host.publicCard('guide').description).toBe('Knows the horns.');
  });

  it('are none for other members, also after one was hidden', () => {
    const { host, members } = hosting({ guide: FREE });
    const agent = host.agent('guide');
    const member = members.get('guide') as MemberVersion;
    const none = expect.objectContaining({ code: 'not_found', message: 'There is no such agent.' });
    expect(() => host.agent('nobody')).toThrow(none);
    members.delete('guide');
    for (const find of [() => host.agent('guide'), () => host.publicCard('guide')]) expect(find).toThrow(none);
    members.set('guide', member);
    expect(host.agent('guide')).not.toBe(agent);
  });

  it('are opened by the token of their member, run on its client, and ready without a problem', async () => {
    const { host, state } = hosting({ guide: FREE });
    const { spec } = host.agent('guide');
    expect(spec.opener).toMatchObject({
      ...{ name: 'memberToken', description: 'Token of this member, handed out by its operator.' },
    });
    expect([spec.opener?.isRight('of guide'), spec.opener?.isRight('x'), spec.providers()]).toEqual([
      ...[true, false, ['acp']],
    ]);
    expect(await host.agent('guide').health()).toMatchObject({ upstream_ready: true });
    state.problem = 'No key.';
    expect(await host.agent('guide').health()).toMatchObject({ upstream_ready: false });
  });
});

describe('the own wallet of a daemon', () => {
  it('is opened for an agent that is paid into it, once', async () => {
    const { host, opened } = hosting({ guide: PRICED });
    expect(walletOf(host.agent('guide').card().value)).toBeUndefined();
    expect(walletOf((await host.ready('guide')).card().value)).toBe('OWN');
    await host.ready('guide');
    expect(opened.times).toBe(1);
  });

  it.each([
    ['costs nothing', FREE],
    ['has skills without a price', SKILLED],
    ['names a wallet', WITH_WALLET.replace('"1"', `"${'1'.repeat(32)}"`)],
  ])('is not opened for an agent that %s', async (_what, file) => {
    const { host, opened } = hosting({ guide: file });
    await host.ready('guide');
    host.publicCard('guide');
    expect(opened.times).toBe(0);
  });

  it('does not make anew the agents that cost nothing', async () => {
    const { host, wallet } = hosting({ guide: FREE, priced: PRICED, skilled: SKILLED });
    const agents = ['guide', 'priced', 'skilled'].map((id) => host.agent(id));
    await wallet.load();
    expect(['guide', 'priced', 'skilled'].map((id, at) => host.agent(id) === agents[at])).toEqual([true, false, false]);
  });

  it('that cannot be opened is missing in the card, and asked for again', async () => {
    const { host, opened } = hosting({ guide: PRICED });
    opened.fail = new MeshError('store_readonly', 'No.');
    expect(walletOf((await host.ready('guide')).card().value)).toBeUndefined();
    opened.fail = new Error('No.');
    await expect(host.ready('guide')).rejects.toThrow('No.');
    opened.fail = undefined;
    expect(walletOf((await host.ready('guide')).card().value)).toBe('OWN');
    expect(opened.times).toBe(3);
  });

  it('is opened in the background for a card that needs it', async () => {
    const { host, opened, wallet } = hosting({ guide: PRICED });
    expect(walletOf(host.publicCard('guide'))).toBeUndefined();
    await new Promise(setImmediate);
    expect([opened.times, wallet.find()]).toEqual([1, 'OWN']);
    expect(walletOf(host.publicCard('guide'))).toBe('OWN');
  });
});
