import { expect, it } from 'vitest';
import type { LogLinesQuery } from '../../contract/system.js';
import { FakeClock } from '../../testing/fake-clock.js';
import type { DaemonLog } from './daemon-log.js';
import { SupportBundle } from './support-bundle.js';

type Parts = ConstructorParameters<typeof SupportBundle>[0];

const MEMBER = {
  ...{ id: 'lamp', kind: 'profile', state: 'broken', exposure: 'internal', client_resolved: 'api' },
  ...{ model_resolved: 'm-1', effort_resolved: 'high', effort: 'high', instances: 2, problem: { reason: 'odd' } },
};

/** Makes a bundle of a daemon at `/home/ada/lamp` whose log has one line with `text`. */
async function make({ text = 'x', root = '/home/ada/lamp', home }: { text?: string; root?: string; home?: string }) {
  const asked: LogLinesQuery[] = [];
  const log = {
    read: async (query: LogLinesQuery) => {
      asked.push(query);
      return { path: 'daemon.log', lines: [{ text }] };
    },
  } as unknown as DaemonLog;
  const parts = {
    ...{ clock: new FakeClock(), root, home, log },
    versions: () => ({ meshd: '1.0.0' }),
    health: () => ({ ok: true, store: 'ok', project: 'lamp', root_sha256: 'digest', proof: 'a proof' }),
    examine: async () => ({ ok: true, checks: [] }),
    listClients: async () => ({ clients: [], auto: 'api', model_connected: true }),
    members: () => [{ ...MEMBER, name: 'Lamp', description: 'The keeper.', prompt: 'Shine.' }],
    registrations: () => ({ registrations: [{ member: 'lamp' }], count: 1 }),
    preferences: () => ({ theme: 'dark' }),
  } as unknown as Parts;
  const bundle = await new SupportBundle(parts).make();
  return { bundle, asked, text: (JSON.parse(bundle) as { log: { text: string }[] }).log[0]?.text };
}

it('A support bundle says what it holds, and holds no prompt, name of the project or proof', async () => {
  const { bundle, asked } = await make({});
  const { effort_resolved: _, ...member } = MEMBER;
  expect(JSON.parse(bundle)).toEqual({
    made_at: '2026-11-21T12:00:00.000Z',
    holds:
      'Versions, health, the doctor’s report, clients, member ids with how their files stand, registrations, ' +
      'preferences and the end of the log. No token, key, prompt, question, answer or message; paths of this machine ' +
      'are replaced.',
    versions: { meshd: '1.0.0' },
    health: { ok: true, store: 'ok' },
    doctor: { ok: true, checks: [] },
    clients: { clients: [], auto: 'api', model_connected: true },
    members: [member],
    registrations: [{ member: 'lamp' }],
    preferences: { theme: 'dark' },
    log: [{ text: 'x' }],
  });
  expect(bundle).toContain('{\n  "made_at"');
  expect(asked).toEqual([{ limit: 1_000 }]);
});

it.each([
  ['/home/ada/lamp/x and /home/ada/y', '/home/ada', '<project>/x and <home>/y'],
  ['/home/ada/lamp/x and /home/ada/y', undefined, '<project>/x and /home/ada/y'],
  ['/home/ada/lamp/x and /y', '/', '<project>/x and /y'],
  ['/home/ada/lamp/x and /r/y', '/r', '<project>/x and <home>/y'],
  ['/home/ada/lamp/x and /y', '', '<project>/x and /y'],
])('The paths in %j with the home %j are replaced', async (text, home, expected) => {
  expect((await make({ text, ...(home !== undefined && { home }) })).text).toBe(expected);
});

it('Paths with signs that JSON escapes are replaced too, and secrets', async () => {
  const secret = `mk_${'A'.repeat(40)}`;
  const names = { root: '/srv/a "lamp"', home: '/srv\\ada' };
  expect((await make({ ...names, text: `/srv/a "lamp"/x, /srv\\ada/y with ${secret}` })).text).toBe(
    '<project>/x, <home>/y with [redacted]',
  );
});
