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
