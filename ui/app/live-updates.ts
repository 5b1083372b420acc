import type { QueryClient, QueryKey } from '@tanstack/react-query';
import { createContext, useContext, useSyncExternalStore } from 'react';
import type { EventFrame } from '../../daemon/contract/events.js';
import { asksKeys } from '../features/asks/asks-queries.js';
import { conversationsKeys } from '../features/conversations/conversations-queries.js';
import { roadmapKey } from '../features/roadmap/roadmap-key.js';
import { systemKeys } from '../features/system/system-queries.js';
import { teamKeys } from '../features/team/team-queries.js';
import { EventsLine, type LineStatus } from '../lib/events-line.js';

/** What an event makes stale. No state is copied from events: whoever shows it reads it again. */
export function staleKeys(frame: EventFrame): QueryKey[] {
  switch (frame.type) {
    case 'team.created':
    case 'team.updated':
    case 'team.deleted':
    case 'team.broken':
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
      return [asksKeys.lists, asksKeys.one(frame.request_id)];
    case 'team.request.polled':
      return [asksKeys.one(frame.request_id)];
    case 'conversation.created':
    case 'conversation.updated':
    case 'conversation.archived':
      return [conversationsKeys.lists, conversationsKeys.one(frame.conv)];
    case 'conversation.deleted':
      return [conversationsKeys.lists, conversationsKeys.one(frame.conv), conversationsKeys.permissions];
    case 'turn.permission':
    case 'turn.ended':
      return [conversationsKeys.permissions];
    case 'turn.tool':
      return [conversationsKeys.work(frame.conv)];
    case 'roadmap.updated':
      return [roadmapKey];
    case 'knowledge.progress':
      return [systemKeys.health];
    case 'preferences.updated':
      return [systemKeys.preferences];
    default:
      return [];
  }
}

const GATHER_MS = 50;
const BETWEEN_FLUSHES_MS = 150;

/** Keeps the query cache as fresh as the daemon's events, and knows how the line is. */
export class LiveUpdates {
  private status: LineStatus = { state: 'catching_up', heardAt: 0 };
  private readonly statusWatchers = new Set<() => void>();
  private readonly frameWatchers = new Set<(frame: EventFrame) => void>();
  private readonly stale = new Map<string, QueryKey>();
  private gathering: ReturnType<typeof setTimeout> | undefined;
  private flushedAt = 0;
  private readonly line: EventsLine;

  constructor(private readonly client: QueryClient) {
    this.line = new EventsLine({
      open: (since) => {
        const address = new URL('/events', window.location.href);
        address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
        if (since !== undefined) address.searchParams.set('since', String(since));
        return new WebSocket(address);
      },
      timers: {
        now: () => Date.now(),
        setTimeout: (run, ms) => setTimeout(run, ms),
        clearTimeout: (timer) => clearTimeout(timer as ReturnType<typeof setTimeout> | undefined),
        random: () => Math.random(),
      },
      onFrame: (frame) => this.take(frame),
      onStatus: (status) => {
        this.status = status;
        for (const told of this.statusWatchers) told();
      },
      onReconnected: () => void this.client.invalidateQueries(),
    });
  }

  start(): () => void {
    const wake = () => {
      if (document.visibilityState === 'visible') this.line.wake();
    };
    // Out of the back-forward cache a page returns with its socket cut.
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

  readonly watchStatus = (told: () => void) => {
    this.statusWatchers.add(told);
    return () => this.statusWatchers.delete(told);
  };

  readonly watchFrames = (told: (frame: EventFrame) => void) => {
    this.frameWatchers.add(told);
    return () => this.frameWatchers.delete(told);
  };

  private take(frame: EventFrame): void {
    for (const told of this.frameWatchers) told(frame);
    // A hello in the middle of a session means a gap: everything may be stale. The first one only follows the page's own reads.
    if (frame.type === 'hello') void this.client.invalidateQueries();
    for (const key of staleKeys(frame)) this.stale.set(JSON.stringify(key), key);
    if (this.stale.size === 0 || this.gathering !== undefined) return;
    const rest = this.flushedAt + BETWEEN_FLUSHES_MS - Date.now();
    this.gathering = setTimeout(() => this.flush(), Math.max(GATHER_MS, rest));
  }

  private flush(): void {
    this.gathering = undefined;
    this.flushedAt = Date.now();
    const keys = [...this.stale.values()];
    this.stale.clear();
    for (const queryKey of keys) void this.client.invalidateQueries({ queryKey });
  }
}

export const LiveContext = createContext<LiveUpdates | null>(null);

export function useLineStatus(): LineStatus {
  const live = useContext(LiveContext);
  if (!live) throw new Error('LiveContext is missing');
  return useSyncExternalStore(live.watchStatus, live.readStatus);
}
