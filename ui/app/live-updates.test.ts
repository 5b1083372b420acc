import { QueryClient, QueryObserver } from '@tanstack/react-query';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { EventFrame } from '../../daemon/contract/events.js';
import { LiveUpdates, staleKeys } from './live-updates.js';

const stale = (frame: object) => staleKeys({ seq: 1, ts: 1, ...frame } as EventFrame).map((key) => key.join('/'));

describe('staleKeys', () => {
  it('invalidates the roster and the member when a member is exposed, hidden or gets a new token', () => {
    for (const type of ['team.exposed', 'team.hidden', 'team.token_rotated'])
      expect(stale({ type, id: 'consultant' })).toEqual(['team/list', 'team/member/consultant']);
  });

  it('invalidates the imports too when a member file changes, and only them when its source changes', () => {
    for (const type of ['team.created', 'team.updated', 'team.deleted', 'team.broken'])
      expect(stale({ type, id: 'consultant' })).toEqual(['team/list', 'team/member/consultant', 'imports']);
    expect(stale({ type: 'team.drifted', id: 'consultant' })).toEqual(['imports']);
  });

  it('invalidates the tests of a member while they run, and the roster when they have ended', () => {
    expect(stale({ type: 'team.tests.started', id: 'guide' })).toEqual(['team/tests', 'team/member/guide/tests']);
    expect(stale({ type: 'team.tests.progress', id: 'guide' })).toEqual(['team/member/guide/tests']);
    for (const type of ['ended', 'changed'])
      expect(stale({ type: `team.tests.${type}`, id: 'guide' })).toEqual([
        'team/tests',
        'team/list',
        'team/member/guide',
      ]);
  });

  it('invalidates the checkpoints and changes of a conversation when one is made', () => {
    expect(stale({ type: 'checkpoint.made', conv: 'conv-1', checkpoint: 'turn-1' })).toEqual([
      'conversation/conv-1/checkpoints',
      'conversation/conv-1/changes',
    ]);
  });

  it('invalidates the lists and the request when a request changes', () => {
    for (const type of ['created', 'started', 'needs_input', 'done', 'error']) {
      expect(stale({ type: `team.request.${type}`, member: 'consultant', request_id: 'req-1' })).toEqual([
        'requests',
        'request/req-1',
      ]);
    }
  });

  it('invalidates only the request when its caller polls', () => {
    expect(stale({ type: 'team.request.polled', member: 'consultant', request_id: 'req-1' })).toEqual([
      'request/req-1',
    ]);
  });

  it('invalidates the lists and the conversation when a conversation changes', () => {
    for (const type of ['created', 'updated', 'archived']) {
      expect(stale({ type: `conversation.${type}`, conv: 'conv-1' })).toEqual(['conversations', 'conversation/conv-1']);
    }
  });

  it('invalidates the pending permissions when one is requested or ends', () => {
    expect(stale({ type: 'turn.permission', conv: 'conv-1', turn: 't' })).toEqual(['permissions']);
    expect(stale({ type: 'turn.ended', conv: 'conv-1', turn: 't' })).toEqual(['permissions', 'budgets']);
    expect(stale({ type: 'conversation.deleted', conv: 'conv-1' })).toEqual([
      'conversations',
      'conversation/conv-1',
      'permissions',
    ]);
  });

  it('invalidates only the work of a conversation when a tool is used', () => {
    expect(stale({ type: 'turn.tool', conv: 'conv-1', turn: 't', call: {} })).toEqual(['conversation/conv-1/work']);
  });

  it('invalidates the agent, the searches and the registrations when an agent changes', () => {
    for (const type of ['registered', 'updated', 'online', 'offline', 'deregistered']) {
      expect(stale({ type: `agent.${type}`, agent_id: 'Painter', surface: 'hub' })).toEqual([
        'agent/painter',
        'search',
        'registrations',
      ]);
    }
  });

  it('invalidates the agent and the searches when a report about it is filed', () => {
    expect(stale({ type: 'reputation.filed', agent_id: 'painter', report: 7 })).toEqual(['agent/painter', 'search']);
  });

  it('invalidates the boards of a cluster and the map when a board changes', () => {
    expect(stale({ type: 'board.changed', cluster: 'c_1', board: 'b_1' })).toEqual(['boards/c_1', 'map']);
    expect(stale({ type: 'cluster.updated', cluster: 'c_1' })).toEqual(expect.arrayContaining(['boards/c_1', 'map']));
  });

  it('invalidates the ledger on a payment, and the approvals on a spent one', () => {
    const changed = { type: 'payment.changed', id: 'pay-1', state: 'paid', agent: 'painter' };
    expect(stale({ ...changed, side: 'earned' })).toEqual(['ledger']);
    expect(stale({ ...changed, side: 'spent' })).toEqual(['ledger', 'calls', 'approvals']);
    expect(stale({ type: 'payment.balance', agent: null })).toEqual(['ledger', 'wallets']);
    expect(stale({ type: 'call.changed', call_id: 'call-1' })).toEqual(['calls', 'approvals']);
  });

  it('invalidates a cluster when a message was sent in it, and all its data when it changes', () => {
    expect(stale({ type: 'room.changed', cluster: 'c_1' })).toEqual(['rooms', 'room/c_1']);
    expect(stale({ type: 'cluster.deleted', cluster: 'c_1' })).toEqual(
      expect.arrayContaining(['clusters', 'cluster/c_1', 'rooms', 'room/c_1']),
    );
  });

  it('invalidates nothing on a heartbeat and while an answer is streamed', () => {
    expect(stale({ type: 'heartbeat' })).toEqual([]);
    expect(stale({ type: 'turn.delta', conv: 'conv-1', turn: 't', index: 0, text: 'a' })).toEqual([]);
  });
});

/** A stand-in for the page's document, with the sockets that it opens. */
function page() {
  const sockets: {
    address: string;
    onopen?: () => void;
    onmessage?: (event: { data: string }) => void;
    onclose?: (event: { code: number }) => void;
    close: () => void;
  }[] = [];
  const place = Object.assign(new EventTarget(), { location: { href: 'http://127.0.0.1:4747/app' } });
  vi.stubGlobal('window', place);
  vi.stubGlobal('document', Object.assign(new EventTarget(), { visibilityState: 'visible' }));
  vi.stubGlobal(
    'WebSocket',
    class {
      readonly address: string;
      close = () => {};
      constructor(address: URL) {
        this.address = address.href;
        sockets.push(this);
      }
    },
  );
  return sockets;
}

describe('LiveUpdates', () => {
  afterEach(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });

  it('reads again what was first read while the connection was opening, because it may be older', async () => {
    const sockets = page();
    const client = new QueryClient();
    const stop = new LiveUpdates(client).start();
    const answers: ((status: string) => void)[] = [];
    const observer = new QueryObserver(client, {
      queryKey: ['request', 'r'],
      queryFn: () => new Promise<string>((resolve) => void answers.push(resolve)),
    });
    const isDone = new Promise<void>((resolve) => {
      observer.subscribe(({ data }) => {
        if (data === 'done') resolve();
      });
    });
    expect(answers).toHaveLength(1);
    sockets[0]?.onmessage?.({ data: JSON.stringify({ type: 'hello', seq: 7, ts: 1 }) });
    answers[0]?.('running');
    await vi.waitFor(() => expect(answers).toHaveLength(2));
    answers[1]?.('done');
    await isDone;
    expect(answers).toHaveLength(2);
    stop();
    client.clear();
  });

  it('resumes events at the seq of the page and reads nothing twice', () => {
    const sockets = page();
    const client = new QueryClient();
    const updates = new LiveUpdates(client, 41);
    const stop = updates.start();
    const read = vi.fn(() => new Promise<string>(() => undefined));
    const unsubscribe = new QueryObserver(client, { queryKey: ['request', 'r'], queryFn: read }).subscribe(
      () => undefined,
    );
    expect(sockets.map(({ address }) => address)).toEqual(['ws://127.0.0.1:4747/events?since=41']);
    sockets[0]?.onopen?.();
    expect(updates.readStatus().state).toBe('live');
    expect(read).toHaveBeenCalledTimes(1);
    unsubscribe();
    stop();
    client.clear();
  });

  it('opens no socket that would be refused: it asks by a request whether the daemon is back', async () => {
    vi.useFakeTimers();
    const sockets = page();
    const ask = vi.fn(() => Promise.reject<{ ok: boolean }>(new TypeError('Failed to fetch')));
    vi.stubGlobal('fetch', ask);
    const client = new QueryClient();
    const stop = new LiveUpdates(client, 41).start();
    sockets[0]?.onclose?.({ code: 1006 });
    await vi.advanceTimersByTimeAsync(60_000);
    expect(ask.mock.calls.length).toBeGreaterThan(3);
    expect(ask).toHaveBeenLastCalledWith('/health', expect.objectContaining({ cache: 'no-store' }));
    expect(sockets).toHaveLength(1);
    ask.mockResolvedValue({ ok: true });
    await vi.advanceTimersByTimeAsync(15_000);
    expect(sockets).toHaveLength(2);
    stop();
    client.clear();
  });
});
