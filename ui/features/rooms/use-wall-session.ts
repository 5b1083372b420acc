import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { realTimers } from '../../../client/timers.js';
import type { ClusterAnswer } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { ApiError, call } from '../../lib/api.js';
import { useDraft } from '../../lib/drafts.js';
import { useKept } from '../../lib/kept.js';
import { nextPicture } from '../../lib/paced-frames.js';
import { clusterPath } from './rooms-queries.js';
import { type SeatAs, WallSession, type WallView } from './wall-session.js';

const keptAs = (id: string) => `wall.${id}`;

/** Whether the operator joined in this tab. After a reload the tab joins again. */
export const useSeatedHere = (id: string) => useDraft<boolean>(`seated.${id}`, false);

function openSocket(id: string, { handle, vis, token }: SeatAs): WebSocket {
  const address = new URL(`${clusterPath(id)}/ws`, window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('agent', handle);
  address.searchParams.set('vis', vis);
  // A browser cannot set headers on a WebSocket.
  if (token) address.searchParams.set('token', token);
  return new WebSocket(address);
}

/** Only a response of 401 or 404 means no. A failure to reach the daemon does not. */
async function isOpenTo(id: string, { token }: SeatAs): Promise<boolean> {
  try {
    await call<ClusterAnswer>(clusterPath(id), { clusterToken: token ?? undefined });
    return true;
  } catch (error) {
    return !(error instanceof ApiError && (error.status === 404 || error.status === 401));
  }
}

const newSession = (id: string, as: SeatAs): WallSession =>
  new WallSession(as, {
    open: (seat) => openSocket(id, seat),
    isOpenToUs: (seat) => isOpenTo(id, seat),
    timers: realTimers(),
    beforeNextPicture: nextPicture,
  });

/**
 * Returns this tab's connection to a cluster. It is opened once `isSeated`, kept across page changes, and reopened when
 * handle, visibility or token change. Undefined without a connection.
 */
export function useWallSession(
  room: RoomDetail,
  isSeated: boolean,
): { session: WallSession | undefined; getUp: () => void } {
  const kept = useKept();
  const { cluster_id: id, handle, vis, token, admin_token } = room;
  const [session, setSession] = useState(() => kept.get(keptAs(id)) as WallSession | undefined);
  const opens = token ?? admin_token;
  useEffect(() => {
    if (!isSeated) return;
    const as = { handle, vis, token: opens };
    let seat = kept.get(keptAs(id)) as WallSession | undefined;
    if (seat) seat.sitAs(as);
    else {
      seat = newSession(id, as);
      kept.set(keptAs(id), seat);
      seat.start();
    }
    setSession(seat);
  }, [kept, id, handle, vis, opens, isSeated]);
  const getUp = useCallback(() => {
    (kept.get(keptAs(id)) as WallSession | undefined)?.stop();
    kept.delete(keptAs(id));
    setSession(undefined);
  }, [kept, id]);
  return { session, getUp };
}

const watchNothing = () => () => undefined;

/**
 * Returns the part of the view that `pick` selects, undefined without a connection. The component renders only when
 * that part changes.
 */
export function useWallPart<T>(session: WallSession, pick: (view: WallView) => T): T;
export function useWallPart<T>(session: WallSession | undefined, pick: (view: WallView) => T): T | undefined;
export function useWallPart<T>(session: WallSession | undefined, pick: (view: WallView) => T): T | undefined {
  return useSyncExternalStore(session?.watch ?? watchNothing, () => session && pick(session.read()));
}

export const useWallView = (session: WallSession): WallView => useWallPart(session, (view) => view);

/** Returns the number of people online, if connected. */
export const useHereCount = (session: WallSession | undefined): number | undefined =>
  useWallPart(session, ({ status, people }) => (status.state === 'in' ? people.length : undefined));

/** Returns the status of the connection, undefined without one. */
export const useWallStatus = (session: WallSession | undefined) => useWallPart(session, ({ status }) => status);
