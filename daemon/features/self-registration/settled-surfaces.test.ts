import { describe, expect, it } from 'vitest';
import type { Surface } from '../../contract/network/agents.js';
import { MeshError } from '../../lib/errors.js';
import type { SecretFile } from '../../storage/files/secret-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { RegistrationCard } from './registration-card.js';
import { RegistrationKeys } from './registration-keys.js';
import { type Mark, RegistrationMarks } from './registration-marks.js';
import { SELF_HEARTBEAT_MS, SelfRegistration } from './self-registration.js';
import type { Registration, SurfacePort } from './surface-ports.js';

type Step = 'register' | 'open' | 'push' | 'deregister';

const ID = 'lamps-consultant';
const refused = (code: 'unauthorized' | 'not_found' | 'no_space') => new MeshError(code, `It says ${code}.`);
const flush = () => new Promise(setImmediate);

/** A surface in memory that keeps what it is asked for, and fails at a step while `fails` has an error for it. */
class MemorySurface implements SurfacePort {
  readonly standing = new Map<string, Registration & { api_key: string; card?: RegistrationCard }>();
  readonly steps: string[] = [];
  readonly fails = new Map<Step, Error>();
  isOnline = true;

  constructor(
    readonly surface: Surface,
    private readonly clock: FakeClock,
  ) {}

  async register(agent_id: string, card: RegistrationCard) {
    this.begin('register', agent_id);
    if (this.standing.has(agent_id)) throw new MeshError('agent_id_claimed', `"${agent_id}" is registered already.`);
    const registration = { agent_id, rid: `rid ${this.steps.length} of ${agent_id}` };
    const api_key = `key of ${agent_id}`;
    this.standing.set(agent_id, { ...registration, api_key, card });
    return { api_key, registration };
  }

  async open(agent_id: string, api_key: string) {
    this.begin('open', agent_id);
    const found = this.standing.get(agent_id);
    if (found?.api_key !== api_key) throw refused('unauthorized');
    return { agent_id, rid: found.rid };
  }

  async push({ agent_id }: Registration, card: RegistrationCard) {
    this.begin('push', agent_id);
    Object.assign(this.standing.get(agent_id) ?? {}, { card });
  }

  async deregister({ agent_id }: Registration) {
    this.begin('deregister', agent_id);
    this.standing.delete(agent_id);
  }

  isStanding({ agent_id, rid }: Registration) {
    return this.standing.get(agent_id)?.rid === rid;
  }

  findState(agent_id: string) {
    if (!this.standing.has(agent_id)) return undefined;
    return { isOnline: this.isOnline, lastSeen: this.clock.now() / 1000 };
  }

  /** Somebody else's registration, or one of an earlier run. */
  put(agent_id: string): Mark {
    const registration = { agent_id, rid: `earlier rid of ${agent_id}` };
    this.standing.set(agent_id, { ...registration, api_key: `key of ${agent_id}` });
    return { surface: this.surface, ...registration };
  }

  private begin(step: Step, agent_id: string): void {
    this.steps.push(`${step} ${agent_id}`);
    const failure = this.fails.get(step);
    if (failure) throw failure;
  }
}

/** The self-registration of the member `consultant` of the project `lamps`, with its files in memory. */
function aHouse({ saved = {}, marked = [] }: { saved?: Record<string, unknown>; marked?: Mark[] } = {}) {
  const clock = new FakeClock();
  const [hub, v1] = [new MemorySurface('hub', clock), new MemorySurface('v1', clock)];
  const warnings: string[] = [];
  const state = {
    members: [{ id: 'consultant', agent_type: 'docs' }],
    description: 'Knows.',
    mayWrite: true,
    failure: undefined as Error | undefined,
    damage: undefined as Error | undefined,
    damagedMarks: undefined as Error | undefined,
    saved,
  };
  const file = {
    path: '/state/keys.json',
    read: async () => {
      if (state.damage) throw state.damage;
      return state.saved;
    },
    write: async (value: Record<string, unknown>) => {
      if (state.failure) throw state.failure;
      state.saved = structuredClone(value);
    },
  };
  const keys = new RegistrationKeys(file as unknown as SecretFile, async () => state.mayWrite);
  const marks = new RegistrationMarks({
    read: async () => {
      if (state.damagedMarks) throw state.damagedMarks;
      return { registrations: marked };
    },
    write: async () => undefined,
  });
  const registration = new SelfRegistration({
    exposure: { externalMembers: () => state.members as never },
    host: {
      publicCard: (id: string) =>
        ({
          url: `http://here/${id}`,
          description: state.description,
          skills: [],
          availability: { now: true },
        }) as never,
    },
    ...{ surfaces: { hub, v1 }, keys, marks, clock, project: 'lamps', warn: (message) => void warnings.push(message) },
  });
  const show = (member = 'consultant') =>
    registration.list().registrations.find((one) => one.member === member)?.surfaces;
  /** The steps on both surfaces since the last call. */
  const listSteps = () => [hub.steps.splice(0), v1.steps.splice(0)];
  return { clock, hub, v1, warnings, state, keys, marks, registration, show, listSteps };
}

const NONE = {
  ...{ agent_id: null, registered: false, online: false, last_heartbeat: null, token_age_seconds: null },
  problem: null,
};
const both = <Value>(value: Value) => [value, value];

describe('An exposed member', () => {
  it('is registered on both surfaces at the start, with a key and a mark for each', async () => {
    const { clock, registration, show, listSteps, state, marks, warnings } = aHouse();
    expect([registration.list(), show()]).toEqual([
      { registrations: [{ member: 'consultant', surfaces: { hub: NONE, v1: NONE } }], count: 1 },
      { hub: NONE, v1: NONE },
    ]);
    await registration.start();
    const shown = { agent_id: ID, registered: true, online: true, last_heartbeat: clock.now() / 1000, problem: null };
    expect(show()).toEqual({ hub: { ...shown, token_age_seconds: 0 }, v1: { ...shown, token_age_seconds: 0 } });
    expect([listSteps(), warnings]).toEqual([both([`register ${ID}`]), []]);
    const key = { agent_id: ID, api_key: `key of ${ID}` };
    expect(state.saved).toEqual({ consultant: { hub: key, v1: key } });
    const rid = `rid 1 of ${ID}`;
    expect(marks.list()).toEqual(['hub', 'v1'].map((surface) => ({ surface, agent_id: ID, rid })));
  });

  it('sends a heartbeat with its present card every two minutes, one at a time', async () => {
    const { clock, registration, hub, v1, show, state, listSteps } = aHouse();
    await registration.start();
    listSteps();
    state.description = 'Knows more.';
    clock.advance(SELF_HEARTBEAT_MS - 1);
    await flush();
    expect([listSteps(), show()?.hub.token_age_seconds]).toEqual([both([]), 119]);
    clock.advance(1);
    await flush();
    expect([listSteps(), show()?.v1.token_age_seconds]).toEqual([both([`open ${ID}`, `push ${ID}`]), 0]);
    for (const { standing } of [hub, v1])
      expect(standing.get(ID)?.card?.agent_card).toMatchObject({
        ...{ endpoint: 'http://here/consultant', description: 'Knows more.', category: 'project.docs' },
      });
    for (let time = 0; time < 2; time += 1) {
      clock.advance(10 * SELF_HEARTBEAT_MS);
      await flush();
      expect(listSteps()).toEqual(both([`open ${ID}`, `push ${ID}`]));
    }
  });

  it('is taken back from both surfaces once it is hidden, and nothing is remembered of it', async () => {
    const { registration, hub, v1, show, state, listSteps } = aHouse();
    await registration.start();
    listSteps();
    const { members } = state;
    state.members = [];
    await registration.settle();
    expect([listSteps(), state.saved, show()]).toEqual([both([`open ${ID}`, `deregister ${ID}`]), {}, undefined]);
    state.members = members;
    for (const { fails } of [hub, v1]) fails.set('register', refused('no_space'));
    await registration.settle();
    const failed = { ...NONE, problem: 'It says no_space.' };
    expect(show()).toEqual({ hub: failed, v1: failed });
  });

  it.each([
    ['open', 'unauthorized'],
    ['deregister', 'not_found'],
  ] as const)('is not taken back again when %s says %s: it is over', async (step, code) => {
    const { registration, hub, state, warnings } = aHouse();
    await registration.start();
    state.members = [];
    hub.fails.set(step, refused(code));
    await registration.settle();
    expect([state.saved, warnings]).toEqual([{}, []]);
  });

  it('keeps the key of a registration that could not be taken back, until it can', async () => {
    const { registration, hub, state, warnings, keys, listSteps } = aHouse();
    await registration.start();
    state.members = [];
    hub.fails.set('deregister', refused('no_space'));
    await registration.settle();
    expect([Object.keys(state.saved), keys.find('consultant', 'v1')]).toEqual([['consultant'], undefined]);
    expect(warnings).toEqual(['Member consultant on hub: It says no_space.']);
    hub.fails.clear();
    listSteps();
    await registration.settle();
    expect([state.saved, listSteps()]).toEqual([{}, [[`open ${ID}`, `deregister ${ID}`], []]]);
  });

  it('is registered anew once its registration is over, and not while the surface only fails', async () => {
    const { registration, hub, listSteps } = aHouse();
    await registration.start();
    listSteps();
    hub.fails.set('push', refused('no_space'));
    await registration.settle();
    hub.fails.clear();
    hub.standing.clear();
    await registration.settle();
    expect(listSteps()[0]).toEqual([`open ${ID}`, `push ${ID}`, `open ${ID}`, `register ${ID}`]);
  });
});

describe('An id that is somebody else’s', () => {
  it('is followed by the next number that is free, of which the operator is told', async () => {
    const { registration, hub, show, warnings } = aHouse();
    for (const id of [ID, `${ID}-2`]) hub.put(id);
    await registration.start();
    expect(show()).toMatchObject({
      hub: { agent_id: `${ID}-3`, registered: true, problem: `"${ID}" was somebody else's.` },
      v1: { agent_id: ID, problem: null },
    });
    expect(warnings).toEqual([`On hub, "${ID}" is somebody else's: member consultant is registered as "${ID}-3".`]);
  });

  it('is not what an earlier name of the project is, under which a member stays registered', async () => {
    const { registration, hub, show } = aHouse({
      saved: { consultant: { hub: { agent_id: 'docks-consultant', api_key: 'key of docks-consultant' } } },
    });
    hub.put('docks-consultant');
    await registration.start();
    expect(show()?.hub).toMatchObject({ agent_id: 'docks-consultant', registered: true, problem: null });
  });

  it('is tried with fifty numbers, and then why not is told', async () => {
    const { registration, hub, show, listSteps } = aHouse();
    for (let n = 1; n <= 50; n += 1) hub.put(n === 1 ? ID : `${ID}-${n}`);
    await registration.start();
    const [tried] = listSteps();
    expect([tried?.length, tried?.at(-1)]).toEqual([50, `register ${ID}-50`]);
    const problem = `"${ID}" and the numbers behind it are somebody else's.`;
    expect(show()?.hub).toEqual({ ...NONE, problem });
  });

  it('is told from any other failure, after which no number is tried', async () => {
    const { registration, hub, show, listSteps } = aHouse();
    hub.fails.set('register', refused('no_space'));
    await registration.start();
    expect([listSteps()[0], show()?.hub]).toEqual([[`register ${ID}`], { ...NONE, problem: 'It says no_space.' }]);
  });
});

describe('A registration of an earlier run', () => {
  it('whose key is lost is taken back, which frees its id', async () => {
    const marked: Mark[] = [];
    const { registration, hub, v1, warnings, listSteps } = aHouse({ marked });
    for (const surface of [hub, v1]) marked.push(surface.put(ID));
    await registration.start();
    expect([listSteps(), warnings]).toEqual([both([`deregister ${ID}`, `register ${ID}`]), []]);
  });

  it('is left alone while it is used, or stands no more, or only its id is that of another', async () => {
    const marked: Mark[] = [];
    const key = { agent_id: ID, api_key: `key of ${ID}` };
    const { registration, hub, state, listSteps } = aHouse({ marked, saved: { consultant: { hub: key } } });
    state.members.push({ id: 'developer', agent_type: 'code' });
    marked.push(hub.put(ID), { surface: 'hub', agent_id: 'gone', rid: 'x' });
    hub.put('lamps-other');
    marked.push({ surface: 'hub', agent_id: 'lamps-other', rid: 'another' });
    await registration.start();
    await registration.settle();
    expect(
      listSteps()
        .flat()
        .filter((step) => step.startsWith('deregister')),
    ).toEqual([]);
  });

  it('is taken back when its key is refused, before the member is registered under the same id', async () => {
    const marked: Mark[] = [];
    const key = { agent_id: ID, api_key: 'another key' };
    const { registration, hub, v1, show, listSteps } = aHouse({ marked, saved: { consultant: { hub: key } } });
    marked.push(hub.put(ID), v1.put(ID));
    await registration.start();
    const anew = [`deregister ${ID}`, `register ${ID}`];
    expect(listSteps()).toEqual([[`open ${ID}`, ...anew], anew]);
    expect(show()).toMatchObject({ hub: { agent_id: ID, problem: null }, v1: { agent_id: ID, problem: null } });
  });

  it('that could not be taken back is told of once in each round, and not when it is over', async () => {
    const marked: Mark[] = [];
    const { registration, hub, v1, warnings } = aHouse({ marked });
    marked.push(hub.put('lamps-gone'), v1.put('lamps-left'));
    hub.fails.set('deregister', refused('no_space'));
    v1.fails.set('deregister', refused('not_found'));
    await registration.start();
    expect(warnings).toEqual(['"lamps-gone" of an earlier run could not be taken back on hub: It says no_space.']);
    v1.fails.set('deregister', new Error('a defect'));
    hub.fails.clear();
    await registration.settle();
    expect(warnings.slice(1)).toEqual(['"lamps-left" of an earlier run could not be taken back on v1: a defect']);
  });
});

it('A registration of an earlier run on one surface does not matter to the other', async () => {
  const marked: Mark[] = [];
  const { registration, v1, show, warnings } = aHouse({ marked });
  marked.push(v1.put(ID));
  v1.fails.set('deregister', refused('no_space'));
  await registration.start();
  const left = `"${ID}" of an earlier run could not be taken back on v1: It says no_space.`;
  expect(warnings.filter((warning) => warning === left)).toHaveLength(2);
  expect(show()).toMatchObject({ hub: { agent_id: ID }, v1: { agent_id: `${ID}-2` } });
});

describe('A problem on a surface', () => {
  it('is told once while it lasts, in words of its own when it is a defect, and ends with the next success', async () => {
    const { registration, hub, show, warnings } = aHouse();
    await registration.start();
    const settle = async (failure?: Error) => {
      hub.fails.clear();
      if (failure) hub.fails.set('push', failure);
      await registration.settle();
      return show()?.hub.problem;
    };
    const full = refused('no_space');
    expect([await settle(full), await settle(full), await settle(new Error('secret')), await settle()]).toEqual([
      'It says no_space.',
      'It says no_space.',
      'The daemon failed; its log says why.',
      null,
    ]);
    expect([await settle(full), show()?.v1.problem]).toEqual(['It says no_space.', null]);
    expect(warnings).toEqual([
      'Member consultant on hub: It says no_space.',
      'Member consultant on hub: secret',
      'Member consultant on hub: It says no_space.',
    ]);
  });

  it('shows what is known of the registration beside it', async () => {
    const { clock, registration, hub, v1, show } = aHouse();
    await registration.start();
    hub.isOnline = false;
    v1.standing.clear();
    clock.step(-5_000);
    expect(show()).toEqual({
      hub: { ...NONE, agent_id: ID, registered: true, last_heartbeat: clock.now() / 1000, token_age_seconds: 0 },
      v1: { ...NONE, agent_id: ID, token_age_seconds: 0 },
    });
  });
});

describe('Keys that cannot be saved', () => {
  it('are told of, and saved with the next heartbeat that can', async () => {
    const { registration, state, warnings, keys } = aHouse();
    state.failure = new Error('full');
    await registration.start();
    expect(warnings).toEqual([
      'Member consultant on hub: full',
      'Member consultant on v1: full',
      'The keys of the house agents could not be written: full',
    ]);
    expect([state.saved, keys.isUnsaved]).toEqual([{}, true]);
    state.failure = undefined;
    await registration.settle();
    expect([Object.keys(state.saved), keys.isUnsaved, warnings.length]).toEqual([['consultant'], false, 3]);
  });

  it('end the registrations when the daemon stops, for no later run could', async () => {
    const { registration, hub, v1, state, listSteps } = aHouse();
    state.mayWrite = false;
    await registration.start();
    listSteps();
    await registration.stop();
    expect([listSteps(), hub.standing.size, v1.standing.size]).toEqual([
      both([`open ${ID}`, `deregister ${ID}`]),
      0,
      0,
    ]);
    await registration.stop();
    expect(listSteps()).toEqual(both([]));
  });
});

describe('A damaged file of keys', () => {
  it('keeps every member from being registered, and is shown with each', async () => {
    const { clock, registration, state, show, warnings, listSteps } = aHouse();
    state.damage = new MeshError('store_readonly', 'The file is damaged.');
    await registration.start();
    clock.advance(SELF_HEARTBEAT_MS);
    await registration.settle();
    await registration.refresh('consultant');
    await registration.stop();
    const damaged = { ...NONE, problem: 'The file is damaged.' };
    expect([show(), listSteps(), warnings]).toEqual([
      { hub: damaged, v1: damaged },
      both([]),
      ['The file is damaged.'],
    ]);
  });

  it('of marks does so too, although the keys are known', async () => {
    const key = { agent_id: ID, api_key: `key of ${ID}` };
    const { registration, hub, state, show, listSteps } = aHouse({ saved: { consultant: { hub: key } } });
    hub.put(ID);
    state.damagedMarks = new MeshError('store_readonly', 'The marks are damaged.');
    await registration.start();
    await registration.settle();
    await registration.refresh('consultant');
    expect([listSteps(), show()?.hub]).toMatchObject([
      both([]),
      { agent_id: ID, registered: true, problem: 'The marks are damaged.' },
    ]);
  });

  it('is told from a defect, with which the start fails', async () => {
    const { registration, state } = aHouse();
    state.damage = new Error('a defect');
    await expect(registration.start()).rejects.toThrow('a defect');
  });
});

describe('A refresh', () => {
  it('sends the present card of a registered member alone, and never throws', async () => {
    const { registration, hub, v1, show, state, listSteps } = aHouse();
    await registration.start();
    listSteps();
    state.members.push({ id: 'developer', agent_type: 'code' });
    state.description = 'Knows more.';
    for (const id of ['developer', 'nobody', 'consultant']) await registration.refresh(id);
    expect(listSteps()).toEqual(both([`open ${ID}`, `push ${ID}`]));
    for (const { standing } of [hub, v1]) expect(standing.get(ID)?.card?.agent_card.description).toBe('Knows more.');
    hub.fails.set('push', refused('no_space'));
    await registration.refresh('consultant');
    expect(show()?.hub.problem).toBe('It says no_space.');
    listSteps();
    state.members.splice(0);
    await registration.refresh('consultant');
    expect(listSteps()).toEqual(both([]));
  });
});

describe('Before it has started and after it has stopped', () => {
  it('nothing is registered, and no timer is left', async () => {
    const { clock, registration, state, keys, listSteps } = aHouse();
    state.mayWrite = false;
    await keys.put('consultant', 'hub', { agent_id: ID, api_key: 'x' });
    await registration.settle();
    await registration.refresh('consultant');
    await registration.stop();
    expect([listSteps(), clock.pending]).toEqual([both([]), 0]);
    state.mayWrite = true;
    await registration.start();
    listSteps();
    await registration.stop();
    await registration.settle();
    await registration.refresh('consultant');
    clock.advance(SELF_HEARTBEAT_MS);
    expect([listSteps(), clock.pending]).toEqual([both([]), 0]);
  });
});
