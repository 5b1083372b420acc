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
    expect(clients.resolve({ ...works, client: 'builtin' }).problem).toContain('choose another one');
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
