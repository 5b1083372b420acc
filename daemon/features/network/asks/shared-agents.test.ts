import { expect, it } from 'vitest';
import { findAgent, listAgents, type ShowingDaemon } from './shared-agents.js';

const daemon = (name: string, project: string, changes: Partial<ShowingDaemon> = {}): ShowingDaemon => ({
  ...{ id: `${name}-0123456789`, name, isSelf: false, isPresent: true },
  shown: { project, cards: [{ member: 'consultant', name: 'Consultant', description: '' }] },
  ...changes,
});

it('names each member by the project where that is of one daemon alone, else by the daemon or its id', () => {
  const daemons = [daemon('anna', 'lamp'), daemon('ben', 'lamp'), daemon('cleo', 'buoy')];
  expect(listAgents(daemons).map(({ ref }) => ref)).toEqual(['anna/consultant', 'ben/consultant', 'buoy/consultant']);
  const twins = [daemon('lamp', 'lamp', { id: 'AAAAAAAA1' }), daemon('lamp', 'lamp', { id: 'BBBBBBBB1' })];
  expect(listAgents(twins).map(({ ref }) => ref)).toEqual(['AAAAAAAA/consultant', 'BBBBBBBB/consultant']);
  for (const { ref, daemon: id } of listAgents([...daemons, ...twins]))
    expect(findAgent([...daemons, ...twins], ref).daemon).toBe(id);
});

it('asks no other daemon than the one that is named', () => {
  const daemons = [daemon('anna', 'lamp', { isSelf: true }), daemon('ben', 'lamp'), daemon('cleo', 'lamp')];
  expect(() => findAgent(daemons, 'lamp/consultant')).toThrow(
    'Several daemons share "lamp/consultant": write ben-0123/consultant or cleo-012/consultant.',
  );
  expect(findAgent(daemons, 'cleo-012/consultant')).toMatchObject({ daemon_name: 'cleo', problem: null });
  for (const ref of ['anna/consultant', 'ben/developer', 'cleo-01/consultant', 'b/consultant'])
    expect(() => findAgent(daemons, ref)).toThrow(`No daemon of the network shares "${ref}"`);
  for (const ref of ['consultant', '/consultant', 'ben/'])
    expect(() => findAgent(daemons, ref)).toThrow('is not <project>');
});

it('says why a member cannot be asked', () => {
  const price = { amount: 5, currency: 'lamports', unit: 'request' };
  const card = { member: 'consultant', name: 'Consultant', description: '', price };
  const [absent, priced] = listAgents([
    daemon('anna', 'lamp', { isPresent: false }),
    daemon('ben', 'buoy', { shown: { project: 'buoy', cards: [card] } }),
  ]);
  expect(absent?.problem).toBe('Its daemon is not connected to the network now.');
  expect(priced?.problem).toContain('It has a price');
});

it('lists what a member is, whose, and why it cannot be asked', () => {
  const price = { amount: 5, currency: 'lamports', unit: 'request' };
  const card = { member: 'painter', name: 'Painter', description: 'Paints.', price };
  const daemons = [
    daemon('anna', 'lamp', { isSelf: true }),
    daemon('', 'buoy', { id: '0123456789', shown: { project: 'buoy', cards: [card] } }),
    daemon('cleo', 'reef', { shown: undefined }),
  ];
  expect(listAgents(daemons)).toEqual([
    {
      ...{ member: 'consultant', name: 'Consultant', description: '', ref: 'lamp/consultant', project: 'lamp' },
      ...{ daemon: 'anna-0123456789', daemon_name: 'anna', self: true, problem: null },
    },
    {
      ...card,
      ...{ ref: 'buoy/painter', project: 'buoy', daemon: '0123456789', daemon_name: '01234567', self: false },
      problem: 'It has a price, and members with a price are not asked over the network.',
    },
  ]);
});

it('names a member by the whole id of its daemon where nothing shorter is its alone', () => {
  const ids = ['AAAAAAAA1', 'AAAAAAAA2'];
  const twins = ids.map((id) => daemon('quay', 'lamp', { id }));
  expect(listAgents(twins).map(({ ref }) => ref)).toEqual(ids.map((id) => `${id}/consultant`));
  for (const id of ids) expect(findAgent(twins, `${id}/consultant`).daemon).toBe(id);
});

it('names no member by a project with a slash, which finds it all the same', () => {
  const daemons = [daemon('anna', 'sea/lamp')];
  expect(listAgents(daemons)[0]?.ref).toBe('anna/consultant');
  expect(findAgent(daemons, 'sea/lamp/consultant').daemon_name).toBe('anna');
});

it('names a daemon by the first eight characters of its id or more, and finds the asked member of it', () => {
  const cards = ['developer', 'consultant'].map((member) => ({ member, name: member, description: '' }));
  const daemons = [daemon('anna', 'lamp', { shown: { project: 'lamp', cards } }), daemon('ben', 'lamp')];
  for (const head of ['anna-012', 'anna-0123', 'anna-0123456789'])
    expect(findAgent(daemons, `${head}/consultant`)).toMatchObject({ daemon_name: 'anna', member: 'consultant' });
  // What only one of them shows is not taken for that of the other one.
  expect(findAgent(daemons, 'lamp/developer').ref).toBe('lamp/developer');
});

it.each([
  ['consultant', 'bad_request', '"consultant" is not <project>/<member>, such as lamp/consultant.'],
  ['/consultant', 'bad_request', '"/consultant" is not <project>/<member>, such as lamp/consultant.'],
  [
    'reef/consultant',
    'not_found',
    'No daemon of the network shares "reef/consultant": `meshd network members` lists what is shared.',
  ],
  [
    'lamp/consultant',
    'bad_request',
    'Several daemons share "lamp/consultant": write anna-012/consultant or ben-0123/consultant.',
  ],
])('says what is wrong with %s, and where', (ref, code, message) => {
  const daemons = [daemon('anna', 'lamp'), daemon('ben', 'lamp')];
  expect(() => findAgent(daemons, ref)).toThrow(expect.objectContaining({ code, message, details: { path: 'to' } }));
});
