import { chmodSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { CARD, ENTRY, fetchRecord, registered } from '../../testing/apps/registering.js';
import { completed, daemon, meshd } from '../../testing/processes/command-line.js';
import { git, putFiles } from '../../testing/temporary-folder.js';

const KEYS = '.mesh/credentials/agents.json';
type Kept = Record<string, Record<string, { agent_id: string; api_key: string }>>;
const keysIn = (root: string) => JSON.parse(readFileSync(join(root, KEYS), 'utf8')) as Kept;

describe('meshd agent', () => {
  it('registers on both surfaces, stores the keys privately, sends heartbeats and deregisters the agent', async () => {
    const app = await daemon();
    putFiles(app.root, { 'card.json': JSON.stringify(CARD) });
    const card = join(app.root, 'card.json');
    const made = await meshd(
      app.root,
      'agent',
      'register',
      'painter',
      '--capability',
      'paint',
      '--capability',
      'draw',
      '--card',
      card,
    );
    expect(made).toMatchObject({ exit: 0, out: 'painter is registered on the hub and the unified API.\n' });
    expect(made.err).toContain('meshd agent heartbeat painter');
    const kept = keysIn(app.root);
    expect(statSync(join(app.root, KEYS)).mode & 0o777).toBe(0o600);
    for (const { api_key } of Object.values(kept['painter'] ?? {})) expect(made.out + made.err).not.toContain(api_key);
    expect(await fetchRecord(app, 'painter')).toMatchObject({
      capabilities: ['paint', 'draw'],
      agent_card: CARD,
      live: true,
    });

    app.clock.advance(6 * 60_000);
    expect((await fetchRecord(app, 'painter')).live).toBe(false);
    expect(await meshd(app.root, 'agent', 'heartbeat', 'Painter')).toEqual({
      exit: 0,
      out: 'painter is online on the hub.\npainter is online on the unified API.\n',
      err: '',
    });
    putFiles(app.root, { 'card.json': '{"description": "Another card."}' });
    expect(
      JSON.parse(
        (await meshd(app.root, 'agent', 'heartbeat', 'painter', '--card', card, '--surface', 'v1', '--json')).out,
      ),
    ).toEqual({
      heartbeats: [{ surface: 'v1', agent_id: 'painter', online: true }],
    });

    const shown = await meshd(app.root, 'agent', 'show', 'painter');
    expect(shown).toMatchObject({ exit: 0, err: '' });
    expect(shown.out).toMatch(/^painter +HUB +UNIFIED API\nState +online +online, available\n/);
    expect(shown.out).toMatch(/^Description +Paints pictures\. +Another card\.$/m);
    expect(shown.out).toMatch(/^Price +5 lamports\/request$/m);

    expect(await meshd(app.root, 'agent', 'rm', 'painter', '--surface', 'v1')).toEqual({
      exit: 0,
      out: 'painter is deregistered from the unified API.\n',
      err: '',
    });
    expect(Object.keys(keysIn(app.root)['painter'] ?? {})).toEqual(['hub']);
    expect(JSON.parse((await meshd(app.root, 'agent', 'show', 'painter', '--json')).out)).toMatchObject({
      hub: { online: true },
      v1: null,
    });
    expect(JSON.parse((await meshd(app.root, 'agent', 'rm', 'painter', '--json')).out)).toEqual({
      agent_id: 'painter',
      deregistered: ['hub'],
    });
    expect(keysIn(app.root)).toEqual({});
    expect(await meshd(app.root, 'agent', 'show', 'painter')).toMatchObject({ exit: 4, out: '' });
  });

  it('reports which surface refused and which succeeded before; exits 6 for a claimed id, 2 for a reserved one', async () => {
    const app = await daemon();
    await registered(app, 'painter');
    const { exit, out, err } = await meshd(app.root, 'agent', 'register', 'painter', '--json');
    expect([exit, err]).toEqual([6, '']);
    expect(JSON.parse(out)).toMatchObject({ error: 'agent_id_claimed', surface: 'v1', registered: ['hub'] });
    expect(Object.keys(keysIn(app.root)['painter'] ?? {})).toEqual(['hub']);
    const reserved = await meshd(app.root, 'agent', 'register', 'mesh-painter', '--surface', 'v1');
    expect([reserved.exit, reserved.err]).toEqual([2, expect.stringContaining('kept for partners')]);
  });

  it('exits 4 for an agent without a key and 5 for one with an invalid key, which --forget removes', async () => {
    const app = await daemon();
    expect(await meshd(app.root, 'agent', 'heartbeat', 'painter')).toMatchObject({ exit: 4, out: '' });
    await meshd(app.root, 'agent', 'register', 'painter', '--surface', 'v1');
    const { api_key } = keysIn(app.root)['painter']?.['v1'] ?? { api_key: '' };
    const { token } = (await app.call('POST', '/v1/agents/token', { agent_id: 'painter', api_key })).body as {
      token: string;
    };
    await app.call('DELETE', '/v1/agents/me', undefined, { authorization: `Bearer ${token}` });
    const { exit, err } = await meshd(app.root, 'agent', 'heartbeat', 'painter');
    expect([exit, err]).toEqual([5, expect.stringContaining('--forget')]);
    expect(err).not.toContain(api_key);
    expect(await meshd(app.root, 'agent', 'rm', 'painter')).toMatchObject({ exit: 5 });
    expect(await meshd(app.root, 'agent', 'rm', 'painter', '--forget')).toMatchObject({
      exit: 0,
      out: 'painter is forgotten for the unified API.\n',
    });
    expect(await meshd(app.root, 'agent', 'rm', 'painter')).toMatchObject({ exit: 4 });
  });

  it('accepts only a card that is a JSON object, and reports what is invalid in it', async () => {
    const app = await daemon();
    putFiles(app.root, { 'list.json': '[]', 'skills.json': '{"skills": []}' });
    const register = (card: string) =>
      meshd(app.root, 'agent', 'register', 'painter', '--card', join(app.root, card), '--json');
    expect(await register('none.json')).toMatchObject({ exit: 4 });
    expect(await register('list.json')).toMatchObject({ exit: 2 });
    const { exit, out } = await register('skills.json');
    expect([exit, JSON.parse(out)]).toMatchObject([2, { error: 'unknown_card_key', keys: ['skills'], registered: [] }]);
    expect((await app.call('GET', '/v1/agents/painter')).status).toBe(404);
  });

  it('registers nothing while git tracks secrets or the file of keys is not a regular file of this user', async () => {
    const app = await daemon();
    const register = () => meshd(app.root, 'agent', 'register', 'painter');
    putFiles(app.root, { 'elsewhere.json': '{}', [KEYS]: 'not JSON with a secret' });
    const damaged = await register();
    expect([damaged.exit, damaged.err]).toEqual([1, expect.stringContaining('is damaged')]);
    expect(damaged.err).not.toContain('a secret');
    rmSync(join(app.root, KEYS));
    symlinkSync(join(app.root, 'elsewhere.json'), join(app.root, KEYS));
    expect(await register()).toMatchObject({ exit: 5, err: expect.stringContaining('agents.json is a symbolic link') });
    rmSync(join(app.root, KEYS));
    putFiles(app.root, { '.mesh/credentials/old.token': 'x' });
    git(app.root, 'add', '-f', '.mesh/credentials/old.token');
    expect(await register()).toMatchObject({ exit: 5, err: expect.stringContaining('git rm -r --cached') });
    expect((await app.call('GET', '/v1/agents/painter')).status).toBe(404);
  });

  it('restricts the mode of a file of keys that others can read', async () => {
    const app = await daemon();
    await meshd(app.root, 'agent', 'register', 'painter');
    chmodSync(join(app.root, KEYS), 0o644);
    await meshd(app.root, 'agent', 'heartbeat', 'painter');
    expect(statSync(join(app.root, KEYS)).mode & 0o777).toBe(0o600);
  });

  it('shows a catalog entry that is not registered', async () => {
    const app = await daemon();
    await app.call('POST', '/v1/catalog', { entries: [{ ...ENTRY, name: 'Pain\u001b[31mter' }] });
    const { out } = await meshd(app.root, 'agent', 'show', 'painter');
    expect(out).toMatch(/^State +not registered +catalog entry only$/m);
    expect(out).toContain('Catalog: Pain\\x1b[31mter, https://list.example/painter (list.example)');
  });
});

describe('meshd card', () => {
  it('prints the public card of an exposed member and the discovery card of an agent', async () => {
    const app = await daemon();
    await registered(app, 'painter', { agent_card: CARD });
    const hostile = { agent_id: 'hostile', agent_card: { endpoint: 'https://x.example/\u001b[31m' } };
    expect((await app.call('POST', '/v1/agents/register', hostile)).status).toBe(400);
    expect(JSON.parse((await meshd(app.root, 'card', 'consultant')).out)).toMatchObject({
      name: 'Consultant',
      skills: [{ id: 'ask' }],
    });
    const { exit, out, err } = await meshd(app.root, 'card', 'painter');
    expect([exit, JSON.parse(out)]).toEqual([0, CARD]);
    expect(err).toContain('https://painter.example/.well-known/agent.json');
    const registration = `${basename(app.root)}-consultant`;
    expect(JSON.parse((await meshd(app.root, 'card', registration, '--json')).out)).toMatchObject({
      endpoint: `${app.address}/team/consultant`,
    });
  });

  it('prints the card of its record for an agent that has published none, and exits 4 for an unknown id', async () => {
    const app = await daemon();
    await registered(app, 'painter', { description: 'Paints.' });
    const { exit, out } = await meshd(app.root, 'card', 'painter');
    expect([exit, JSON.parse(out)]).toEqual([0, { description: 'Paints.' }]);
    expect(await meshd(app.root, 'card', 'nobody')).toMatchObject({ exit: 4, out: '' });
  });
});

describe('completion of agents', () => {
  it('offers ids of both surfaces, and also members where either is accepted', async () => {
    const app = await daemon();
    await registered(app, 'painter');
    await meshd(app.root, 'agent', 'register', 'writer');
    const words = (...line: string[]) => completed(app.root, ...line);
    expect(await words('agent', '')).toEqual(['register', 'heartbeat', 'rm', 'show', 'ls']);
    expect(await words('agent', 'show', '')).toEqual(expect.arrayContaining(['painter', 'writer']));
    expect((await words('agent', 'show', '')).filter((id) => id === 'writer')).toHaveLength(1);
    expect(await words('card', '')).toEqual(expect.arrayContaining(['consultant', 'painter']));
    expect(await words('agent', 'register', 'x', '--surface', '')).toEqual(['hub', 'v1', 'both']);
  });
});
