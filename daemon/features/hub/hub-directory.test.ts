import { describe, expect, it } from 'vitest';
import { agentKey } from '../../lib/agents/agent-id.js';
import { rolledBackDatabase } from '../../testing/database-of-file.js';
import { embeddedChanges } from '../../testing/embedded-changes.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { HubDirectory } from './hub-directory.js';
import { HubStore } from './hub-store.js';

const MINUTE = 60_000;
const ONLINE_MS = 330_000;
const SELF = 'our-own-daemon-1';

const database = rolledBackDatabase();

/** A directory over an empty store, whose commands are kept and not carried out. */
function aDirectory({ isShared = false } = {}) {
  const clock = new FakeClock();
  const store = new HubStore(database);
  const submitted: unknown[] = [];
  const submit = async <Result>(kind: string, entity: string, body: Record<string, unknown>) => {
    submitted.push([kind, entity, body]);
    return undefined as Result;
  };
  const shared = {
    ...embeddedChanges(database, clock, Buffer.from(SELF, 'base64url').toString('base64')),
    log: { isShared, submit },
  };
  const open = () => new HubDirectory(store, shared, clock);
  const directory = open();
  const heard: string[] = [];
  directory.onPresence((id, isOnline) => void heard.push(`${id} ${isOnline ? 'on' : 'off'}`));
  /** Puts the row of an agent into the store, and returns its registration. */
  const put = (agent_id: string, now?: boolean) => {
    const seq = store.insert({
      ...{ key: agentKey(agent_id), agent_id, rid: `rid of ${agent_id}`, apiKeySha256: Buffer.alloc(32) },
      ...{ description: null, capabilities: [], card: now === undefined ? null : { availability: { now } } },
      ...{ isVerified: false, registeredMs: clock.now() },
    }) as number;
    return { seq, agent_id, rid: `rid of ${agent_id}`, lastSeenMs: clock.now(), isAway: now === false };
  };
  /** Registers an agent with store and directory. */
  const enter = (agent_id: string, now?: boolean) => {
    const registration = put(agent_id, now);
    directory.add(registration);
    return registration;
  };
  const own = (id: string, daemon: string) =>
    database.sql("INSERT INTO network_owners (area, entity, daemon) VALUES ('hub', ?, ?)").run(id, daemon);
  return { clock, store, submitted, open, directory, heard, put, enter, own };
}

describe('A registration', () => {
  it('is found by its id in any case and by its number, and is not found by those of others', () => {
    const { directory, enter } = aDirectory();
    const lamp = enter('Lamp');
    expect([directory.find('lAMP'), directory.get('lamp'), directory.findBySeq(lamp.seq)]).toEqual([lamp, lamp, lamp]);
    expect([directory.find('horn'), directory.findBySeq(lamp.seq + 1)]).toEqual([undefined, undefined]);
    expect([...directory.all()]).toEqual([lamp]);
  });

  it('is not found by its number while only the store has it, nor once a later one has its id', () => {
    const { directory, put } = aDirectory();
    const lamp = put('lamp');
    expect(directory.findBySeq(lamp.seq)).toBeUndefined();
    directory.add({ ...lamp, seq: lamp.seq + 1 });
    expect(directory.findBySeq(lamp.seq)).toBeUndefined();
  });

  it('is asked for by its id: nobody else is there', () => {
    const { directory } = aDirectory();
    expect(() => directory.get('lamp')).toThrow(
      expect.objectContaining({ code: 'not_found', message: 'No agent is registered here under this id.' }),
    );
  });

  it('acts only for the token that was minted for it', () => {
    const { directory, enter } = aDirectory();
    const lamp = enter('lamp');
    expect(directory.of({ agent_id: 'LAMP', rid: lamp.rid })).toBe(lamp);
    const over = expect.objectContaining({
      code: 'unauthorized',
      message: 'This registration is over: register again, or send a token of the one in force.',
    });
    expect(() => directory.of({ agent_id: 'lamp', rid: 'another' })).toThrow(over);
    expect(() => directory.of({ agent_id: 'horn', rid: lamp.rid })).toThrow(over);
  });

  it('is removed with what is noted of it, and a later one of the same id is kept', async () => {
    const { clock, directory, heard, submitted, enter } = aDirectory();
    const lamp = enter('lamp');
    const horn = enter('horn');
    for (const one of [lamp, horn]) directory.touch(one);
    const later = { ...lamp, seq: 9, rid: 'later' };
    directory.add(later);
    directory.remove(lamp);
    directory.remove(horn);
    expect([directory.find('lamp'), directory.find('horn')]).toEqual([later, undefined]);
    directory.start();
    clock.advance(ONLINE_MS);
    expect(heard.filter((one) => one.endsWith('off'))).toEqual(['lamp off']);
    await directory.stop();
    expect(submitted).toEqual([]);
  });
});

describe('The directory', () => {
  it('reads all registrations when it is opened, with when each was last seen and who is away', () => {
    const { clock, store, put, open } = aDirectory();
    const [lamp, horn, bell] = [put('Lamp'), put('horn', false), put('bell', true)];
    store.putSeen(lamp.seq, clock.now() + 5);
    expect([...open().all()]).toEqual([{ ...lamp, lastSeenMs: clock.now() + 5 }, horn, bell]);
  });

  it('reads them anew once they were replaced, and forgets what it had noted of the others', async () => {
    const { directory, heard, submitted, put, enter } = aDirectory();
    const lamp = enter('lamp');
    directory.touch(lamp);
    database.sql('DELETE FROM hub_agents').run();
    const [horn, bell] = [put('horn'), put('bell', false)];
    heard.length = 0;
    directory.reload();
    expect([directory.find('lamp'), ...directory.all()]).toEqual([undefined, horn, bell]);
    expect(heard).toEqual(['horn on']);
    await directory.stop();
    expect(submitted).toEqual([]);
  });
});

describe('Presence', () => {
  it('is told once when an agent comes, is away, is back, falls silent and is seen again', () => {
    const { clock, directory, heard, enter } = aDirectory();
    const lamp = enter('lamp');
    enter('horn', false);
    directory.start();
    const hear = () => heard.splice(0);
    expect(hear()).toEqual(['lamp on']);
    for (const isAway of [true, true, false, false]) directory.setAway(lamp, isAway);
    expect(hear()).toEqual(['lamp off', 'lamp on']);
    clock.advance(ONLINE_MS - 1);
    expect([directory.isOnline(lamp), hear()]).toEqual([true, []]);
    clock.advance(1);
    expect([directory.isOnline(lamp), hear()]).toEqual([false, ['lamp off']]);
    clock.advance(MINUTE);
    for (let time = 0; time < 2; time += 1) directory.touch(lamp);
    expect([directory.isOnline(lamp), hear()]).toEqual([true, ['lamp on']]);
  });

  it('is looked at no more once the directory has stopped', async () => {
    const { clock, directory, heard, enter } = aDirectory();
    enter('lamp');
    directory.start();
    await directory.stop();
    expect(clock.pending).toBe(0);
    clock.advance(2 * ONLINE_MS);
    expect(heard).toEqual(['lamp on']);
  });
});

describe('A sign of life', () => {
  it('is noted, whoever owns the agent, and written when the daemon stops, without a network', async () => {
    const { clock, directory, submitted, enter, own } = aDirectory();
    const [lamp, horn] = [enter('lamp'), enter('horn')];
    own('lamp', 'another-daemon');
    clock.advance(1_000);
    for (const one of [lamp, horn]) directory.touch(one);
    expect([lamp.lastSeenMs, submitted]).toEqual([clock.now(), []]);
    await directory.stop();
    const seen = [lamp, horn].map(({ seq }) => ({ agent: seq, ms: clock.now() }));
    expect(submitted).toEqual([['hub.seen', 'seen', { seen }]]);
  });

  it('of an agent of another daemon stays in memory in a network; that daemon tells of it', async () => {
    const { clock, directory, heard, submitted, enter, own } = aDirectory({ isShared: true });
    const [lamp, horn, bell] = [enter('Lamp'), enter('Horn'), enter('bell')];
    own('lamp', SELF);
    own('horn', 'another-daemon');
    directory.start();
    clock.advance(ONLINE_MS);
    heard.length = 0;
    for (const one of [lamp, horn, bell]) directory.touch(one);
    const ms = clock.now();
    expect([lamp, horn, bell].map(({ lastSeenMs }) => lastSeenMs)).toEqual([ms, ms, ms]);
    expect(heard).toEqual(['Lamp on', 'Horn on', 'bell on']);
    clock.advance(MINUTE);
    await directory.stop();
    const seen = [lamp, bell].map(({ seq }) => ({ agent: seq, ms }));
    expect(submitted).toEqual([['hub.seen', 'seen', { seen }]]);
  });

  it('that another daemon saw counts from when it was said at most, and never takes back a later one', () => {
    const { clock, directory, heard, enter } = aDirectory({ isShared: true });
    const [lamp, horn] = [enter('lamp'), enter('horn')];
    directory.start();
    clock.advance(ONLINE_MS);
    heard.length = 0;
    const now = clock.now();
    const before = horn.lastSeenMs;
    const seen = [
      { agent: 99, ms: now },
      { agent: lamp.seq, ms: now + MINUTE },
      { agent: horn.seq, ms: before - MINUTE },
    ];
    directory.noteSeen(seen, now);
    expect([lamp.lastSeenMs, horn.lastSeenMs, heard]).toEqual([now, before, ['lamp on']]);
    directory.noteSeen([{ agent: horn.seq, ms: now - MINUTE }], now);
    expect([horn.lastSeenMs, heard]).toEqual([now - MINUTE, ['lamp on', 'horn on']]);
  });

  it('that comes back to the daemon that saw it changes nothing without a network', () => {
    const { directory, enter } = aDirectory();
    const lamp = enter('lamp');
    const before = lamp.lastSeenMs;
    directory.noteSeen([{ agent: lamp.seq, ms: before + MINUTE }], before + MINUTE);
    expect(lamp.lastSeenMs).toBe(before);
  });
});
