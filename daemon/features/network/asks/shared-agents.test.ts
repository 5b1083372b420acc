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
