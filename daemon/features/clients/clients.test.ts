import { describe, expect, it } from 'vitest';
import type { Client } from './client.js';
import { Clients } from './clients.js';

function aClient(
  name: string,
  { ready = true, reason = null as string | null, models = ['best', 'small'], efforts = ['low', 'high'] } = {},
): Client {
  return {
    name,
    probe: async () => ({ ready, reason }),
    models: () => models,
    efforts: () => efforts,
    async *run() {
      yield { type: 'end', citations: [] };
    },
  };
}

const builtin = aClient('builtin', { models: ['builtin'], efforts: [] });

describe('the `auto` client', () => {
  it('resolves to the first ready client of claude-code, acp, api, builtin', async () => {
    const clients = new Clients({
      builtin,
      others: [aClient('api'), aClient('claude-code', { ready: false, reason: 'no program' }), aClient('acp')],
    });
    expect(clients.resolve({ client: 'auto', model: 'strongest' }).client_resolved).toBe('builtin');
    expect((await clients.list()).auto).toBe('acp');
    expect(clients.resolve({ client: 'auto', model: 'strongest' })).toMatchObject({
      client_resolved: 'acp',
      model_resolved: 'best',
    });
  });

  it('resolves to builtin when no other client is ready', () => {
    expect(new Clients({ builtin }).resolve({ client: 'auto', model: 'strongest' })).toEqual({
      client_resolved: 'builtin',
      model_resolved: 'builtin',
      client: builtin,
    });
  });
});

describe('a named client', () => {
  it.each(['claude-code', 'acp', 'api'])(
    '%s that is not available is listed as not ready and never replaced by another',
    async (name) => {
      const clients = new Clients({ builtin });
      expect((await clients.list()).clients.find((client) => client.name === name)).toMatchObject({
        ready: false,
        reason: expect.any(String),
      });
      const resolution = clients.resolve({ client: name, model: 'strongest' });
      expect(resolution).toMatchObject({ client_resolved: name, problem: expect.stringContaining('not ready') });
      expect(resolution.client).toBeUndefined();
    },
  );

  it('that is not ready resolves with the reason', async () => {
    const clients = new Clients({ builtin, others: [aClient('api', { ready: false, reason: 'no key is set' })] });
    await clients.refresh();
    expect(clients.resolve({ client: 'api', model: 'x' })).toMatchObject({
      model_resolved: 'x',
      problem: 'Client `api` is not ready: no key is set',
    });
  });

  it('whose probe fails is not ready, with the error as the reason', async () => {
    const broken: Client = { ...aClient('acp'), probe: () => Promise.reject(new Error('boom')) };
    const listed = (await new Clients({ builtin, others: [broken] }).list()).clients.find(
      (client) => client.name === 'acp',
    );
    expect(listed).toMatchObject({ ready: false, reason: expect.stringContaining('boom') });
  });

  it('runs the requested model, and notes when it runs no model', async () => {
    const clients = new Clients({ builtin, others: [aClient('api')] });
    await clients.refresh();
    expect(clients.resolve({ client: 'api', model: 'other' }).model_resolved).toBe('other');
    expect(clients.resolve({ client: 'builtin', model: 'other' })).toMatchObject({
      model_resolved: 'builtin',
      note: expect.stringContaining('`other` is not used'),
    });
  });

  it('notes an effort level that it does not support', async () => {
    const clients = new Clients({ builtin, others: [aClient('api')] });
    await clients.refresh();
    expect(clients.resolve({ client: 'api', model: 'strongest', effort: 'high' }).note).toBeUndefined();
    expect(clients.resolve({ client: 'api', model: 'strongest', effort: 'max' }).note).toContain(
      'no effort level `max`',
    );
  });
});

describe('the reason why a client does not run', () => {
  const NOT_HERE = 'This version of meshd cannot run it yet; choose `auto` or `builtin`.';

  it('is that the version has no such client', () => {
    expect(new Clients({ builtin }).resolve({ client: 'api', model: 'x' })).toEqual({
      client_resolved: 'api',
      model_resolved: 'x',
      problem: `Client \`api\` is not ready: ${NOT_HERE}`,
    });
  });

  it('is that it has not been checked yet', () => {
    const clients = new Clients({ builtin, others: [aClient('api')] });
    expect(clients.resolve({ client: 'api', model: 'strongest' })).toEqual({
      client_resolved: 'api',
      model_resolved: 'best',
      problem: 'Client `api` is not ready: It has not been checked yet.',
    });
  });

  it('is unknown where its check gives none', async () => {
    const clients = new Clients({ builtin, others: [aClient('api', { ready: false })] });
    await clients.refresh();
    expect(clients.resolve({ client: 'api', model: 'x' }).problem).toBe(
      'Client `api` is not ready: it did not say why.',
    );
  });

  it('is that none is ready, for `auto` without even the built-in search', async () => {
    const clients = new Clients({ builtin: aClient('builtin', { ready: false, reason: 'The index is broken.' }) });
    await clients.refresh();
    expect(clients.resolve({ client: 'auto', model: 'x' })).toEqual({
      client_resolved: 'auto',
      model_resolved: 'x',
      problem: 'No client is ready on this machine.',
    });
    expect((await clients.list()).auto).toBe('builtin');
  });

  it('is listed for every client that a member may name, and null for a ready one', async () => {
    const api = aClient('api', { reason: 'left from before' });
    const { clients } = await new Clients({ builtin, others: [api] }).list();
    expect(clients).toEqual([
      { name: 'builtin', ready: true, reason: null, models: ['builtin'], efforts: [] },
      { name: 'claude-code', ready: false, reason: NOT_HERE, models: [], efforts: [] },
      { name: 'acp', ready: false, reason: NOT_HERE, models: [], efforts: [] },
      { name: 'api', ready: true, reason: null, models: ['best', 'small'], efforts: ['low', 'high'] },
    ]);
  });
});

describe('the note on a run', () => {
  const others = [aClient('api'), aClient('acp', { models: [] })];

  it.each([
    [{ client: 'api', model: 'best' }, 'best', undefined],
    [{ client: 'api', model: 'strongest', effort: 'default' }, 'best', undefined],
    [{ client: 'acp', model: 'any' }, 'any', undefined],
    [{ client: 'builtin', model: 'builtin' }, 'builtin', undefined],
    [
      { client: 'api', model: 'x', effort: 'max' },
      'x',
      'Client `api` has no effort level `max`: it runs at its default.',
    ],
    [
      { client: 'builtin', model: 'x', effort: 'low' },
      'builtin',
      'Client `builtin` runs no model: `x` is not used. Client `builtin` has no effort level `low`: it runs at its ' +
        'default.',
    ],
  ])('says all that differs from the file of the member: %j', async (member, model, note) => {
    const clients = new Clients({ builtin, others });
    await clients.refresh();
    const { client, ...resolution } = clients.resolve(member);
    expect(client?.name).toBe(member.client);
    expect(resolution).toEqual({
      client_resolved: member.client,
      model_resolved: model,
      ...(note === undefined ? {} : { note }),
    });
  });
});

describe('a member that works', () => {
  const works = { client: 'auto', model: 'strongest', tools: ['read', 'edit'] };

  it('has no client without a model, and one that only answers has', () => {
    const clients = new Clients({ builtin });
    expect(clients.resolve(works)).toMatchObject({ client_resolved: 'builtin', code: 'no_working_client' });
    expect(clients.resolve(works).client).toBeUndefined();
    expect(clients.resolve({ ...works, tools: ['read', 'search'] }).client).toBe(builtin);
  });

  it.each([
    [{ tools: ['execute'] }, true],
    [{ tools: ['read'], agent_type: 'deploy' }, false],
    [{ agent_type: 'deploy' }, true],
    [{ agent_type: 'docs' }, false],
    [{}, false],
  ])('%j: %s', (member, isWorking) => {
    const { code } = new Clients({ builtin }).resolve({ client: 'builtin', model: 'strongest', ...member });
    expect(code === 'no_working_client').toBe(isWorking);
  });

  it('on the built-in search while a model is connected is told so', async () => {
    const clients = new Clients({ builtin, others: [aClient('api')] });
    await clients.refresh();
    expect(clients.resolve({ ...works, client: 'builtin' })).toEqual({
      client_resolved: 'builtin',
      model_resolved: 'builtin',
      problem:
        'It cannot work on its client, the built-in search: choose another one for it on the page Connect a model of ' +
        'the dashboard, or with meshd clients.',
      code: 'no_working_client',
    });
  });

  it('without a model is told where to connect one', () => {
    expect(new Clients({ builtin }).resolve({ ...works, model: 'opus' })).toEqual({
      client_resolved: 'builtin',
      model_resolved: 'builtin',
      problem:
        'It cannot work yet, because no model is connected: connect one on the page Connect a model of the dashboard, ' +
        'or with meshd clients.',
      code: 'no_working_client',
    });
  });

  it('runs on any client but the built-in search', async () => {
    const clients = new Clients({ builtin, others: [aClient('api')] });
    await clients.refresh();
    expect(clients.resolve(works).client?.name).toBe('api');
  });
});

describe('the choice of the operator', () => {
  it('decides what `auto` takes, and an excluded client runs only members that name it', async () => {
    const changes: string[] = [];
    const clients = new Clients({ builtin, onChange: () => changes.push('changed') });
    clients.replace([aClient('claude-code'), aClient('api')], { preferred: 'api', namedOnly: ['claude-code'] });
    expect((await clients.list()).auto).toBe('api');
    clients.replace([aClient('claude-code')], { namedOnly: ['claude-code'] });
    expect(await clients.list()).toMatchObject({ auto: 'builtin', model_connected: true });
    expect(clients.resolve({ client: 'claude-code', model: 'strongest' }).client?.name).toBe('claude-code');
    expect(changes.length).toBe(4);
  });
});

describe('clients that are replaced', () => {
  it('are checked anew, and those that are gone are not ready any more', async () => {
    const clients = new Clients({ builtin, others: [aClient('api'), aClient('acp')] });
    await clients.refresh();
    clients.replace([aClient('api')], { namedOnly: [] });
    expect(clients.resolve({ client: 'api', model: 'x' }).problem).toContain('It has not been checked yet.');
    expect(clients.resolve({ client: 'acp', model: 'x' }).problem).toContain('This version of meshd cannot run it');
    expect(clients.resolve({ client: 'auto', model: 'x' }).client_resolved).toBe('builtin');
    await clients.refresh();
    expect(clients.resolve({ client: 'auto', model: 'x' }).client_resolved).toBe('api');
  });

  it('while they are checked say nothing about their successors', async () => {
    let answer: (found: { ready: boolean; reason: null }) => void = () => undefined;
    const slow: Client = {
      ...aClient('api'),
      probe: () =>
        new Promise((resolve) => {
          answer = resolve;
        }),
    };
    const clients = new Clients({ builtin, others: [slow] });
    const checking = clients.refresh();
    clients.replace([aClient('api')], { namedOnly: [] });
    answer({ ready: true, reason: null });
    await checking;
    expect(clients.resolve({ client: 'api', model: 'x' }).problem).toContain('It has not been checked yet.');
  });

  it('leave the order as it is where the preferred client does not exist or is excluded', async () => {
    const clients = new Clients({ builtin });
    clients.replace([aClient('api'), aClient('acp')], { preferred: 'claude-code', namedOnly: [] });
    expect((await clients.list()).auto).toBe('acp');
    clients.replace([aClient('api'), aClient('acp')], { preferred: 'acp', namedOnly: ['acp'] });
    expect((await clients.list()).auto).toBe('api');
  });
});

it('a change of what is ready is told once, and no check that finds the same', async () => {
  let isReady = true;
  let changes = 0;
  const api: Client = { ...aClient('api'), probe: async () => ({ ready: isReady, reason: null }) };
  const onChange = () => {
    changes += 1;
  };
  const clients = new Clients({ builtin, others: [api], onChange });
  const seen: number[] = [];
  for (const found of [true, true, false, false, true]) {
    isReady = found;
    await clients.refresh();
    seen.push(changes);
  }
  expect(seen).toEqual([1, 1, 2, 2, 3]);
});
