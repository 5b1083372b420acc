import { describe, expect, it } from 'vitest';
import { hubApp } from '../../testing/apps/hub-app.js';

describe('Hub called in process', () => {
  it('applies the same rules to register, token, update and deregister, and notifies listeners of each change', async () => {
    const { hub } = await hubApp();
    const received: string[] = [];
    hub.onChanged((id) => void received.push(`changed ${id}`));
    hub.onRemoved((id) => void received.push(`removed ${id}`));
    const registration = await hub.register({ agent_id: 'mesh-house', capabilities: ['ask'] }, { isPartner: true });
    await expect(hub.register({ agent_id: 'mesh-other', capabilities: [] })).rejects.toMatchObject({
      code: 'reserved_agent_id',
    });
    const { token } = await hub.token({ agent_id: 'mesh-house', api_key: registration.api_key });
    const caller = await hub.authenticate(token);
    received.length = 0;
    await hub.update(caller, { description: 'house' });
    await hub.update(caller, { description: 'house' });
    expect(received).toEqual(['changed mesh-house']);
    expect(hub.find('MESH-HOUSE')).toMatchObject({ agent_id: 'mesh-house', description: 'house', isVerified: true });
    expect([...hub.ids()]).toEqual(['mesh-house']);
    expect([...hub.all()]).toEqual([hub.find('mesh-house')]);
    await hub.deregister(caller);
    expect(received).toEqual(['changed mesh-house', 'removed mesh-house']);
    expect([...hub.all()]).toEqual([]);
  });

  it('resolves a deletion after all removal listeners have finished', async () => {
    const { hub, events } = await hubApp();
    let letGo: () => void = () => undefined;
    hub.onRemoved(
      () =>
        new Promise((resolve) => {
          letGo = resolve;
        }),
    );
    const { token } = await hub.register({ agent_id: 'lamp-agent', capabilities: [] });
    let isAnswered = false;
    const deleted = hub.deregister(await hub.authenticate(token)).then(() => {
      isAnswered = true;
    });
    await hub.register({ agent_id: 'horn-agent', capabilities: [] });
    expect([isAnswered, hub.find('lamp-agent'), events.map(({ type }) => type).includes('agent.deregistered')]).toEqual(
      [false, undefined, true],
    );
    letGo();
    await deleted;
    expect(isAnswered).toBe(true);
  });

  it('notifies listeners once of an agent that registers as away, and reports it offline', async () => {
    const { hub, events } = await hubApp();
    const received: string[] = [];
    hub.onChanged((id) => void received.push(id));
    await hub.register({ agent_id: 'lamp-agent', capabilities: [], agent_card: { availability: { now: false } } });
    await hub.register({ agent_id: 'horn-agent', capabilities: [] });
    expect(received).toEqual(['lamp-agent', 'horn-agent']);
    expect([hub.isOnline('lamp-agent'), hub.isOnline('horn-agent'), hub.isOnline('nobody')]).toEqual([
      false,
      true,
      false,
    ]);
    expect(events.map(({ type }) => type)).toEqual(['agent.registered', 'agent.registered', 'agent.online']);
  });

  it('lists each of many agents exactly once', async () => {
    const { hub } = await hubApp();
    const ids = Array.from({ length: 1201 }, (_, i) => `agent-${i}`);
    await Promise.all(ids.map((agent_id) => hub.register({ agent_id, capabilities: [] })));
    expect([...hub.all()].map(({ agent_id }) => agent_id)).toEqual(ids);
    expect([...hub.ids()]).toEqual(ids);
    const met: string[] = [];
    for (let cursor: string | undefined; ; ) {
      const { agents, next } = hub.list({ limit: 200, ...(cursor === undefined ? {} : { cursor }) });
      met.push(...agents.map(({ agent_id }) => agent_id));
      if (next === undefined) break;
      cursor = next;
    }
    expect(met).toEqual(ids);
    expect(hub.list({ q: 'AGENT-1200' }).agents).toHaveLength(1);
  });
});
