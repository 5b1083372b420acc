import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { createContext, useContext, useSyncExternalStore } from 'react';
import { EventsLine, type LineStatus } from '../../daemon/client/events-line.js';
import { realTimers } from '../../daemon/client/timers.js';
import type { EventFrame } from '../../daemon/contract/events.js';
import { agentsKeys } from '../features/agents/agents-keys.js';
import { asksKeys } from '../features/asks/asks-queries.js';
import { boardsKeys } from '../features/boards/boards-keys.js';
import { budgetsKey } from '../features/budgets/budgets-query.js';
import { clusterKeys } from '../features/clusters/clusters-list.js';
import { conversationsKeys } from '../features/conversations/conversations-queries.js';
import { importsKey } from '../features/imports/imports-key.js';
import { mapKey } from '../features/map/map-key.js';
import { testsKeys } from '../features/member-tests/tests-keys.js';
import { paymentsKeys } from '../features/payments/payments-keys.js';
import { roadmapKey } from '../features/roadmap/roadmap-key.js';
import { schedulesKeys } from '../features/schedules/schedule-needs-query.js';
import { systemKeys } from '../features/system/system-queries.js';
import { teamKeys } from '../features/team/team-queries.js';
import { daemonAnswers } from '../lib/api.js';
import { invalidate } from './invalidate.js';
import { InvalidationQueue } from './invalidation-queue.js';

/** Returns the query keys that an event invalidates. No state is copied from events: views read it again. */
export function staleKeys(frame: EventFrame): QueryKey[] {
  return listStaleProjectKeys(frame) ?? listStaleWorkKeys(frame) ?? listStaleNetworkKeys(frame) ?? [];
}

/** Returns the keys for an event of the project itself: members, requests, index, clients and preferences. */
function listStaleProjectKeys(frame: EventFrame): QueryKey[] | undefined {
  switch (frame.type) {
    case 'team.created':
    case 'team.updated':
    case 'team.deleted':
    case 'team.broken':
      return [teamKeys.list, teamKeys.member(frame.id), importsKey];
    case 'team.drifted':
      return [importsKey];
    case 'team.tests.started':
      return [testsKeys.list, testsKeys.one(frame.id)];
    case 'team.tests.progress':
      return [testsKeys.one(frame.id)];
    case 'team.tests.ended':
    case 'team.tests.changed':
      return [testsKeys.list, teamKeys.list, teamKeys.member(frame.id)];
    case 'team.exposed':
    case 'team.hidden':
    case 'team.token_rotated':
    case 'team.instance.started':
    case 'team.instance.ended':
      return [teamKeys.list, teamKeys.member(frame.id)];
    case 'team.request.created':
    case 'team.request.started':
    case 'team.request.needs_input':
    case 'team.request.done':
    case 'team.request.error':
    case 'team.request.rated':
      return [asksKeys.lists, asksKeys.one(frame.request_id)];
    case 'team.request.polled':
      return [asksKeys.one(frame.request_id)];
    case 'knowledge.progress':
      return [systemKeys.health];
    case 'clients.updated':
      return [systemKeys.clients, teamKeys.all, conversationsKeys.lists, conversationsKeys.ones];
    case 'preferences.updated':
      return [systemKeys.preferences];
    default:
      return undefined;
  }
}

/** Returns the keys for an event of members' work: conversations, turns, budgets, roadmap, schedules, checkpoints. */
function listStaleWorkKeys(frame: EventFrame): QueryKey[] | undefined {
  switch (frame.type) {
    case 'conversation.created':
    case 'conversation.updated':
    case 'conversation.archived':
      return [conversationsKeys.lists, conversationsKeys.one(frame.conv)];
    case 'conversation.deleted':
      return [conversationsKeys.lists, conversationsKeys.one(frame.conv), conversationsKeys.permissions];
    case 'turn.permission':
      return [conversationsKeys.permissions];
    case 'turn.ended':
      return [conversationsKeys.permissions, budgetsKey];
    case 'budget.warned':
    case 'budget.reached':
    case 'budget.changed':
      return [budgetsKey];
    case 'turn.tool':
      return [conversationsKeys.work(frame.conv)];
    case 'roadmap.updated':
      return [roadmapKey];
    case 'schedules.updated':
      return [schedulesKeys.all];
    case 'checkpoint.made':
      return [conversationsKeys.checkpoints(frame.conv), conversationsKeys.changes(frame.conv)];
    default:
      return undefined;
  }
}

/** Returns the keys for an event of agents, payments, calls, clusters and boards. */
function listStaleNetworkKeys(frame: EventFrame): QueryKey[] | undefined {
  switch (frame.type) {
    case 'agent.registered':
    case 'agent.updated':
    case 'agent.online':
    case 'agent.offline':
    case 'agent.deregistered':
      return [agentsKeys.one(frame.agent_id), agentsKeys.searches, agentsKeys.registrations];
    case 'reputation.filed':
      return [agentsKeys.one(frame.agent_id), agentsKeys.searches];
    case 'payment.changed':
      // A running call is shown through its payment.
      return frame.side === 'spent'
        ? [paymentsKeys.ledger, paymentsKeys.calls, paymentsKeys.approvals]
        : [paymentsKeys.ledger];
    case 'payment.balance':
      return [paymentsKeys.ledger, paymentsKeys.wallets];
    case 'call.changed':
      return [paymentsKeys.calls, paymentsKeys.approvals];
    case 'room.changed':
      return [clusterKeys.list, clusterKeys.one(frame.cluster)];
    case 'cluster.created':
    case 'cluster.updated':
    case 'cluster.deleted':
      return [
        clusterKeys.catalog,
        clusterKeys.card(frame.cluster),
        clusterKeys.list,
        clusterKeys.one(frame.cluster),
        boardsKeys.of(frame.cluster),
        mapKey,
      ];
    case 'board.changed':
      return [boardsKeys.of(frame.cluster), mapKey];
    default:
      return undefined;
  }
}

/**
 * Lists that any of thousands of agents may change. They are read again less often, and only while the tab is visible.
 */
const FREQUENT_KEYS: readonly unknown[] = [agentsKeys.searches[0], agentsKeys.registrations[0], mapKey[0]];
const EVERYTHING: QueryKey = [];
const BETWEEN_MS = 150;
const BETWEEN_MANY_MS = 3_000;

/** Invalidates the query cache on the daemon's events, and holds the state of the connection. */
export class LiveUpdates {
  private status: LineStatus = { state: 'catching_up', lastActivityAt: 0 };
  private readonly statusWatchers = new Set<() => void>();
  private readonly frameWatchers = new Set<(frame: EventFrame) => void>();
  private readonly soon: InvalidationQueue;
  private readonly seldom: InvalidationQueue;
  private readonly line: EventsLine;

  /** Resumes after event `since` of the page. Without it starts with a `hello`. */
  constructor(
    private readonly client: QueryClient,
    since?: number,
  ) {
    const timers = realTimers();
    this.soon = new InvalidationQueue(BETWEEN_MS, (queryKey) => invalidate(client, queryKey), timers);
    // A search counts as an impression of the agents it finds, so a hidden tab does not repeat it until it is visible.
    const isSeen = () => document.visibilityState === 'visible';
    this.seldom = new InvalidationQueue(
      BETWEEN_MANY_MS,
      (queryKey) => invalidate(client, queryKey, isSeen() ? 'active' : 'none'),
      timers,
    );
    this.line = new EventsLine({
      open: (since) => {
        const address = new URL('/events', window.location.href);
        address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
        if (since !== undefined) address.searchParams.set('since', String(since));
        return new WebSocket(address);
      },
      since,
      mayConnect: daemonAnswers,
      timers,
      onFrame: (frame) => this.take(frame),
      onStatus: (status) => {
        this.status = status;
        for (const notify of this.statusWatchers) notify();
      },
      onReconnected: () => invalidate(this.client, EVERYTHING),
    });
  }

  start(): () => void {
    const wake = () => {
      if (document.visibilityState === 'visible') this.line.wake();
    };
    // A page restored from the back-forward cache has lost its socket.
    const comeBack = (event: PageTransitionEvent) => {
      if (event.persisted) this.line.wake();
    };
    this.line.start();
    document.addEventListener('visibilitychange', wake);
    window.addEventListener('pageshow', comeBack);
    return () => {
      document.removeEventListener('visibilitychange', wake);
      window.removeEventListener('pageshow', comeBack);
      this.line.stop();
    };
  }

  readonly readStatus = () => this.status;

  readonly watchStatus = (notify: () => void) => {
    this.statusWatchers.add(notify);
    return () => this.statusWatchers.delete(notify);
  };

  readonly watchFrames = (notify: (frame: EventFrame) => void) => {
    this.frameWatchers.add(notify);
    return () => this.frameWatchers.delete(notify);
  };

  private take(frame: EventFrame): void {
    for (const notify of this.frameWatchers) notify(frame);
    // Changes before a hello were not received here. Everything may be stale, including what is still loading at the
    // first hello.
    if (frame.type === 'hello') invalidate(this.client, EVERYTHING);
    for (const key of staleKeys(frame)) (FREQUENT_KEYS.includes(key[0]) ? this.seldom : this.soon).add(key);
  }
}

export const LiveContext = createContext<LiveUpdates | null>(null);

export function useLineStatus(): LineStatus {
  const live = useContext(LiveContext);
  if (!live) throw new Error('LiveContext is missing');
  return useSyncExternalStore(live.watchStatus, live.readStatus, live.readStatus);
}
