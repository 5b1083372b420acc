import { unlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { aTeam, formatEvents } from '../../testing/apps/a-team.js';
import { DEFAULT_ROSTER } from './default-roster.js';
import type { Team } from './team.js';

const ADA = '---\nname: Ada\n---\n\nYou are Ada.\n';
const OUT = '---\nname: Ada\nexposure: external\n---\n\nYou are Ada.\n';
const ONLY = '---\nkind: singleton\n---\n\nYou are one.\n';
const BROKEN = '---\nname: [\n---\n';

/** Notes every call of a hook that runs after a change. */
function noteHooks(team: Team): string[] {
  const calls: string[] = [];
  team.onRemoved(async (id) => void calls.push(`removed ${id}`));
  team.onBecameSingleton(async (id) => void calls.push(`singleton ${id}`));
  team.onExposureChanged(async (id, exposure) => void calls.push(`${exposure} ${id}`));
  team.onChanged(async (id) => void calls.push(`changed ${id}`));
  return calls;
}

describe('a change', () => {
  it.each<[string, string | undefined, string | undefined, string[], string[]]>([
    ['a new member', undefined, ADA, ['team.created'], ['changed']],
    ['a new external one', undefined, OUT, ['team.created', 'team.exposed'], ['external', 'changed']],
    ['a new singleton', undefined, ONLY, ['team.created'], ['singleton', 'changed']],
    ['a new broken one', undefined, BROKEN, ['team.created', 'team.broken'], ['changed']],
    ['another text', ADA, `${ADA}More.\n`, ['team.updated'], ['changed']],
    ['another text of an external one', OUT, `${OUT}More.\n`, ['team.updated'], ['changed']],
    ['another text of a singleton', ONLY, `${ONLY}More.\n`, ['team.updated'], ['changed']],
    ['exposed', ADA, OUT, ['team.updated', 'team.exposed'], ['external', 'changed']],
    ['hidden', OUT, ADA, ['team.updated', 'team.hidden'], ['internal', 'changed']],
    ['made a singleton', ADA, ONLY, ['team.updated'], ['singleton', 'changed']],
    ['broken', OUT, BROKEN, ['team.broken'], ['changed']],
    ['removed', ADA, undefined, ['team.deleted'], ['removed']],
    ['removed while exposed', OUT, undefined, ['team.deleted'], ['removed']],
  ])('on disk runs its hooks and publishes its events, each once: %s', async (_title, before, after, events, hooks) => {
    const { team, path, events: published } = await aTeam({ files: before === undefined ? {} : { ada: before } });
    const calls = noteHooks(team);
    if (after === undefined) unlinkSync(path('ada'));
    else writeFileSync(path('ada'), after);
    await team.list();
    await team.list();
    expect(formatEvents(published)).toEqual(events.map((type) => `${type} ada`));
    expect(calls).toEqual(hooks.map((hook) => `${hook} ada`));
  });

  it('tells why a file is broken', async () => {
    const { team, path, events } = await aTeam({ files: { ada: ADA } });
    writeFileSync(path('ada'), '---\nmodel: "  "\n---\n');
    await team.list();
    expect(events).toMatchObject([
      { type: 'team.broken', id: 'ada', problem: { line: 2, column: 8, reason: '`model` must not be empty.' } },
    ]);
  });

  it('of a member that is held publishes no exposure', async () => {
    const { team, events } = await aTeam({ files: { ada: ADA } });
    team.addFacts({ findHold: ({ id }) => (id === 'ada' ? { by: 'tests', reason: 'They failed.' } : undefined) });
    expect(await team.patch('ada', { exposure: 'external' })).toMatchObject({ exposure_hold: 'tests' });
    await team.create({ id: 'bea', exposure: 'external' });
    expect(formatEvents(events)).toEqual(['team.updated ada', 'team.created bea', 'team.exposed bea']);
  });

  it('whose hook fails is published, and the first failure is the answer to the request for it', async () => {
    const { team, events, warnings } = await aTeam({ files: { ada: ADA } });
    const fail = (words: string) => async () => {
      throw new Error(words);
    };
    team.onChanged(fail('changed'));
    await expect(team.patch('ada', { color: 'red' })).rejects.toThrow('changed');
    team.onBecameSingleton(fail('singleton'));
    await expect(team.create({ id: 'bea', kind: 'singleton' })).rejects.toThrow('singleton');
    team.onExposureChanged(fail('exposure'));
    await expect(team.create({ id: 'cleo', kind: 'singleton', exposure: 'external' })).rejects.toThrow('exposure');
    team.onRemoved(fail('removed'));
    await expect(team.remove('ada')).rejects.toThrow('removed');
    expect(formatEvents(events)).toEqual([
      ...['team.updated ada', 'team.created bea', 'team.created cleo', 'team.exposed cleo'],
      'team.deleted ada',
    ]);
    expect(warnings).toEqual([]);
  });
});

describe('the exposure of a member', () => {
  it('that was held and may begin runs the hooks, and is published when none fails', async () => {
    const { team, events } = await aTeam({ files: { ada: OUT } });
    const calls = noteHooks(team);
    await team.opened('ada');
    expect([calls, formatEvents(events)]).toEqual([['external ada'], ['team.exposed ada']]);
    team.onExposureChanged(async () => {
      throw new Error('no token');
    });
    await expect(team.opened('ada')).rejects.toThrow('no token');
    expect(events).toHaveLength(1);
  });

  it('is asked of the hooks each time that a request wants it, and of an edit of anything else never', async () => {
    const { team } = await aTeam({ files: { ada: OUT, broken: BROKEN } });
    const asked: string[] = [];
    team.onOpening(async ({ id }) => void asked.push(id));
    await team.patch('ada', { color: 'red' });
    await team.patch('ada', { exposure: 'internal' });
    expect(asked).toEqual([]);
    await team.patch('ada', { exposure: 'external' });
    expect(asked).toEqual(['ada', 'ada']);
    await team.patch('ada', { exposure: 'external' });
    expect(asked).toEqual(['ada', 'ada', 'ada']);
    await expect(team.patch('broken', { exposure: 'external' })).rejects.toMatchObject({ code: 'bad_request' });
  });
});

describe('the roster', () => {
  it('is in the order of `pinned_order`, which a broken file has as 50, and then of the ids', async () => {
    const at = (order: number) => `---\npinned_order: ${order}\n---\n`;
    const { team, path } = await aTeam({ files: { last: at(51), first: at(49) } });
    for (const id of ['zoe', 'bea', 'mia', 'ada', 'eve']) {
      writeFileSync(path(id), ADA);
      await team.list();
    }
    writeFileSync(path('dan'), BROKEN);
    const { members } = await team.list();
    const order = ['first', 'ada', 'bea', 'dan', 'eve', 'mia', 'zoe', 'last'];
    expect(members.map(({ id }) => id)).toEqual(order);
    expect(team.members()).toEqual(members);
    expect(team.servingMembers().map(({ id }) => id)).toEqual(order.filter((id) => id !== 'dan'));
    expect(team.count()).toEqual({ members: 8, broken: 1 });
  });

  it('is empty while the project is below its revision', async () => {
    let revision = 29;
    const { team } = await aTeam({ files: { ada: ADA }, ports: { standardVersion: () => revision } });
    expect(team.serving('ada')).toMatchObject({ name: 'Ada' });
    expect(team.serving('nobody')).toBeUndefined();
    revision = 28;
    expect([team.serving('ada'), team.servingMembers(), team.count()]).toEqual([
      ...[undefined, [], { members: 0, broken: 0 }],
    ]);
  });

  it('tells whether it was seeded, and which members are as they were shipped', async () => {
    const { team } = await aTeam({ seeded: true });
    expect(team.isSeeded).toBe(true);
    expect(team.servingMembers().map((member) => team.isShipped(member))).toEqual(Array(9).fill(true));
    const mine = await team.patch('developer', { color: 'red' });
    expect(team.isShipped(mine)).toBe(false);
    const other = await aTeam({ files: { ada: DEFAULT_ROSTER.get('developer') ?? '' } });
    expect(other.team.isSeeded).toBe(false);
    expect(other.team.servingMembers().map((member) => other.team.isShipped(member))).toEqual([false]);
  });

  it('shows what other features know of its members', async () => {
    const { team } = await aTeam({ files: { ada: OUT } });
    expect(await team.get('ada')).not.toHaveProperty('token');
    team.addFacts({ findToken: () => 'mk_12345' });
    expect(await team.get('ada')).toMatchObject({ token: 'mk_12345', token_last4: '2345' });
    expect(team.members()).toMatchObject([{ token_last4: '2345' }]);
  });

  it('offers to restore a removed member only while none has its id', async () => {
    const gone = ['ada', 'bea'].map((id) => ({ id, removed_at: '2026-11-27T10:00:00.000Z' }));
    const removed = { keep: async (id: string) => id, list: async () => gone, read: async () => undefined };
    const { team } = await aTeam({ files: { ada: ADA, deployer: ADA, developer: BROKEN }, ports: { removed } });
    const { removed: offered, restorable } = await team.list();
    expect(offered).toEqual([gone[1]]);
    expect(restorable).toEqual([...DEFAULT_ROSTER.keys()].filter((id) => id !== 'deployer'));
  });
});
