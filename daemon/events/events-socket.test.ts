import { describe, expect, it } from 'vitest';
import type { EventFrame, Hello } from '../contract/events.js';
import type { Health } from '../contract/system.js';
import { begin } from '../testing/apps/conversing.js';
import { type TestApp, testApp } from '../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../testing/processes/scripted-agent.js';
import { SocketClient } from '../testing/processes/socket-client.js';

/** Returns an app whose index is ready, so that only the test publishes events. */
async function quietApp(): Promise<TestApp> {
  const app = await testApp({ clients: [new ScriptedAgent('acp', () => answers('x'))] });
  await app.untilIndexed();
  return app;
}

const open = (app: TestApp, query = '') =>
  new SocketClient<EventFrame>(`${app.address.replace('http', 'ws')}/events${query}`);

describe('events socket', () => {
  it('starts with the state needed to draw the dashboard, then sends events', async () => {
    const app = await quietApp();
    const client = open(app);
    const hello = (await client.next()) as Hello;
    expect(hello).toMatchObject({ type: 'hello', version: '0.0.0-test', requests: [], conversations: [] });
    expect(hello.members).toHaveLength(9);
    expect(JSON.stringify(hello)).not.toContain(await app.getToken('consultant'));
    await app.call('PATCH', '/team/developer', { description: 'Writes code.' });
    const event = await client.until(({ type }) => type === 'team.updated');
    expect(event).toMatchObject({ id: 'developer', ts: Math.floor(app.clock.now() / 1000) });
  });

  it('starts with the newest 50 conversations', async () => {
    const app = await testApp();
    const begun: string[] = [];
    for (let count = 0; count < 51; count += 1) {
      begun.unshift((await begin(app)).conv);
      app.clock.advance(1_000);
    }
    const { conversations } = (await open(app).next()) as Hello;
    expect(conversations.map(({ conv }) => conv)).toEqual(begun.slice(0, 50));
  });

  it('responds 426 upgrade_required with the usual body to a plain GET', async () => {
    const app = await testApp();
    expect(await app.call('GET', '/events')).toMatchObject({
      status: 426,
      body: { error: 'upgrade_required', message: expect.any(String) },
    });
  });

  it('reports an ask from creation to end, in order, without the answer or a secret', async () => {
    const app = await quietApp();
    const client = open(app);
    await client.next();
    const { request_id } = await app.ask('consultant', { text: 'Why?' });
    await client.until((frame) => frame.type === 'team.request.done' && frame.request_id === request_id);
    const types = client.frames.map(({ type }) => type).filter((type) => type.startsWith('team.'));
    expect(types).toEqual([
      'team.request.created',
      'team.instance.started',
      'team.request.started',
      'team.instance.ended',
      'team.request.done',
    ]);
    expect(JSON.stringify(client.frames)).not.toContain('mk_');
  });

  it('resumes after a number without a gap, and sends a new hello when it cannot', async () => {
    const app = await quietApp();
    const first = open(app);
    const { seq } = await first.next();
    first.socket.terminate();
    for (const description of ['one', 'two', 'three']) await app.call('PATCH', '/team/developer', { description });
    const resumed = open(app, `?since=${seq}`);
    const missed = [await resumed.next(), await resumed.next(), await resumed.next()];
    expect(missed.map((frame) => frame.seq)).toEqual([seq + 1, seq + 2, seq + 3]);
    expect(new Set(missed.map(({ type }) => type))).toEqual(new Set(['team.updated']));
    expect(await open(app, `?since=${seq + 999_999}`).next()).toMatchObject({ type: 'hello', seq: seq + 3 });
  });

  it('sends a heartbeat every ten seconds, so that a quiet connection differs from a dead one', async () => {
    const app = await quietApp();
    const client = open(app);
    const { seq } = await client.next();
    app.clock.advance(10_000);
    expect(await client.until(({ type }) => type === 'heartbeat')).toMatchObject({ seq });
  });

  it('terminates a reader whose process is suspended, and no other', async () => {
    const app = await quietApp();
    const [deaf, awake] = [open(app), open(app)];
    await Promise.all([deaf.next(), awake.next()]);
    deaf.socket.pause();
    const sockets = async () => ((await app.call('GET', '/health')).body as Health).events_sockets;
    const left: number[] = [];
    for (let beat = 0; beat < 3; beat += 1) {
      app.clock.advance(10_000);
      await awake.until(({ type }) => type === 'heartbeat');
      left.push(await sockets());
    }
    expect(left).toEqual([2, 2, 1]);
  });

  it('keeps a reader across a jump of the clock during which it could not respond', async () => {
    const app = await quietApp();
    const client = open(app);
    await client.next();
    app.clock.advance(24 * 3_600_000);
    app.publish('roadmap.updated', {});
    expect(await client.until(({ type }) => type === 'roadmap.updated')).toBeDefined();
  });

  it('closes with 1001 when the daemon stops', async () => {
    const app = await quietApp();
    const client = open(app);
    await client.next();
    await app.stop();
    expect(await client.closed).toMatchObject({ code: 1001 });
  });

  it('closes a stalled reader with 4408, which it reads once it reads again, without delaying other readers', async () => {
    const app = await quietApp();
    const slow = open(app);
    const other = open(app);
    await Promise.all([slow.next(), other.next()]);
    slow.socket.pause();
    const text = 'x'.repeat(15_000);
    // The other reader consumes each burst before the next, so that it never falls behind.
    for (let sent = 0; sent < 2_000; sent += 1) {
      app.publish('turn.delta', { conv: 'c', turn: 't', index: sent, text });
      if (sent % 10 === 9) await other.until((frame) => frame.type === 'turn.delta' && frame.index === sent);
    }
    expect(other.frames.filter(({ type }) => type === 'turn.delta')).toHaveLength(2_000);
    app.clock.advance(12_000);
    app.clock.advance(15_000);
    slow.socket.resume();
    expect(await slow.closed).toEqual({ code: 4408, reason: expect.stringContaining('resume with ?since=') });
  });
});
