import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import type { NetworkCard, NetworkRequest } from '../../../contract/shared/network-asks.js';
import { MeshError } from '../../../lib/errors.js';
import { Database } from '../../../storage/database/database.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { idOf, newKey, SAMPLE_ANSWER } from '../../../testing/network-samples.js';
import { MemorySubjects } from '../../../testing/stand-ins/memory-subjects.js';
import { putTemplateDatabase } from '../../../testing/template-database.js';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import type { NetworkSession } from '../network-session.js';
import { Colleagues } from './colleagues.js';
import { askSubject, readRequest, signFrame } from './signed-messages.js';

const card: NetworkCard = { member: 'consultant', name: 'Consultant', description: '' };
const priced = { ...card, price: { amount: 5, currency: 'lamports', unit: 'request' } };
/** The id of the daemon that is there. */
const THERE = 'there'.padEnd(43, '0');
const price = 'It has a price, and members with a price are not asked over the network.';

/** A daemon in a network with three others: one that left, one that is away, and one that is there. */
function createColleagues() {
  const database = new Database(putTemplateDatabase(join(temporaryFolder(), 'mesh.db')));
  onTestFinished(() => database.close());
  const [clock, subjects, own, there] = [new FakeClock(), new MemorySubjects(), newKey(), newKey()];
  const put = (id: string, name: string, joined: number, left: number | null = null, key = id) =>
    database.sql('INSERT INTO network_daemons VALUES (?, ?, ?, ?, ?)').run(id, key, name, joined, left);
  put(idOf(own), 'Self', 4);
  put('left', 'Left', 1, 9);
  put('away', 'Away', 2);
  // It has another key than in the beginning, which its id is.
  put(THERE, 'There', 3, null, idOf(there));
  const shown = { [idOf(there)]: { project: 'buoy', cards: [card, { ...priced, member: 'painter' }] } };
  const session = { daemon: idOf(own), connection: subjects.connection, network: 'docks' } as NetworkSession;
  const state: { session: NetworkSession | undefined } = { session };
  const colleagues = new Colleagues({
    ...{ database, clock, key: own },
    frames: {
      find: (key) => ({
        ...{ isPresent: key !== 'away', lastSeenMs: undefined },
        shown: shown[key] ?? { project: `of ${key.slice(0, 4)}`, cards: [card] },
      }),
    },
    requireSession: () => {
      if (state.session) return state.session;
      throw new MeshError('network_unavailable', 'No member of another daemon can be asked.');
    },
    findSession: () => state.session,
  });
  const answer = (re: string) => {
    const subject = askSubject('docks', THERE, 'consultant');
    const asked = subjects.said.filter((one) => one.subject === subject);
    const { reply } = readRequest('docks', asked.at(-1)?.data ?? new Uint8Array()) as NetworkRequest;
    const done = { kind: 'done', answer: SAMPLE_ANSWER } as const;
    subjects.publish(reply, signFrame(there, 'docks', { v: 1, re, seq: 0, body: done }));
  };
  return { colleagues, state, answer, own };
}

const signal = new AbortController().signal;

it('lists the members of daemons that did not leave, also its own, in the order of their joining', () => {
  const { colleagues, state, own } = createColleagues();
  const { agents, count } = colleagues.list();
  expect(count).toBe(4);
  expect(agents.map((agent) => [agent.daemon_name, agent.member, agent.self, agent.problem])).toEqual([
    ['Away', 'consultant', false, 'Its daemon is not connected to the network now.'],
    ['There', 'consultant', false, null],
    ['There', 'painter', false, price],
    ['Self', 'consultant', true, null],
  ]);
  expect(agents.at(-1)?.daemon).toBe(idOf(own));
  state.session = undefined;
  expect(colleagues.list()).toEqual({ agents: [], count: 0 });
});

it('finds a member in a connected session alone', () => {
  const { colleagues, state } = createColleagues();
  expect(colleagues.find('buoy/consultant')).toMatchObject({ daemon: THERE, member: 'consultant' });
  expect(() => colleagues.find('Left/consultant')).toThrow('No daemon of the network shares "Left/consultant"');
  state.session = undefined;
  for (const run of [
    () => colleagues.find('buoy/consultant'),
    () => colleagues.ask({ to: 'buoy/consultant', text: '?' }),
  ])
    expect(run).toThrow('No member of another daemon can be asked.');
});

it('asks no member of a daemon that is away, or with a price', () => {
  const { colleagues } = createColleagues();
  const ask = (to: string) => () => colleagues.ask({ to, text: 'Which port?' });
  expect(ask('Away/consultant')).toThrow(
    expect.objectContaining({
      code: 'network_unavailable',
      message: 'of away/consultant cannot be asked: Its daemon is not connected to the network now.',
    }),
  );
  expect(ask('buoy/painter')).toThrow(
    expect.objectContaining({ code: 'payment_required', message: `buoy/painter cannot be asked: ${price}` }),
  );
});

it('believes the answer that the present key of the asked daemon signed', async () => {
  const { colleagues, answer } = createColleagues();
  const { id } = colleagues.ask({ to: 'There/consultant', text: 'Which port?' });
  answer(id);
  expect(await colleagues.poll(id, {}, signal)).toMatchObject({ status: 'done', result_text: 'Port 8123.' });
});

it('cancels an ask, and ends all of them with the network', async () => {
  const { colleagues } = createColleagues();
  const [one, other] = ['Which port?', 'Which lamp?'].map((text) => colleagues.ask({ to: 'buoy/consultant', text }));
  expect(colleagues.cancel(one?.id ?? '')).toMatchObject({ error: { code: 'cancelled' } });
  colleagues.end();
  expect(await colleagues.poll(other?.id ?? '', {}, signal)).toMatchObject({
    error: { code: 'network_unavailable', message: 'This daemon left the network before the answer came.' },
  });
});
