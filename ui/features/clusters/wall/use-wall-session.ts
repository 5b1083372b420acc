import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { realTimers } from '../../../../daemon/client/timers.js';
import type { ClusterAnswer } from '../../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../../daemon/contract/saved-clusters.js';
import { ApiError, call, daemonAnswers } from '../../../lib/api.js';
import { useDraft } from '../../../lib/drafts.js';
import { nextPicture } from '../../../lib/paced-frames.js';
import { useTabCache } from '../../../lib/storage/tab-cache.js';
import { clusterPath } from '../clusters-queries.js';
import { type WallIdentity, WallSession, type WallView } from './wall-session.js';

const getCacheKey = (id: string) => `wall.${id}`;

/** Whether the operator joined in this tab. After a reload the tab joins again. */
export const useJoinedHere = (id: string) => useDraft<boolean>(`joined.${id}`, false);

function openSocket(id: string, { handle, vis, token }: WallIdentity): WebSocket {
  const address = new URL(`${clusterPath(id)}/ws`, window.location.href);
  address.protocol = address.protocol === 'https:' ? 'wss:' : 'ws:';
  address.searchParams.set('agent', handle);
  address.searchParams.set('vis', vis);
  // A browser cannot set headers on a WebSocket.
  if (token) address.searchParams.set('token', token);
  return new WebSocket(address);
}

/** Only a response of 401 or 404 means no. A failure to reach the daemon does not. */
async function isOpenTo(id: string, { token }: WallIdentity): Promise<boolean> {
  try {
    await call<ClusterAnswer>(clusterPath(id), { clusterToken: token ?? undefined });
    return true;
  } catch (error) {
    return !(error instanceof ApiError && (error.status === 404 || error.status === 401));
  }
}

const newSession = (id: string, as: WallIdentity): WallSession =>
  new WallSession(as, {
    open: (membership) => openSocket(id, membership),
    mayConnect: daemonAnswers,
    isOpenToUs: (membership) => isOpenTo(id, membership),
    timers: realTimers(),
    beforeNextPicture: nextPicture,
  });

/**
 * Returns this tab's connection to a cluster. It is opened once `isJoined`, kept across page changes, and reopened when
 * handle, visibility or token change. Undefined without a connection.
 */
export function useWallSession(
  savedCluster: SavedClusterDetail,
  isJoined: boolean,
): { session: WallSession | undefined; getUp: () => void } {
  const record = useTabCache();
  const { cluster_id: id, handle, vis, token, admin_token } = savedCluster;
  const [session, setSession] = useState(() => record.get(getCacheKey(id)) as WallSession | undefined);
  const opens = token ?? admin_token;
  useEffect(() => {
    if (!isJoined) return;
    const as = { handle, vis, token: opens };
    let membership = record.get(getCacheKey(id)) as WallSession | undefined;
    if (membership) membership.rejoinAs(as);
    else {
      membership = newSession(id, as);
      record.set(getCacheKey(id), membership);
      membership.start();
    }
    setSession(membership);
  }, [record, id, handle, vis, opens, isJoined]);
  const getUp = useCallback(() => {
    (record.get(getCacheKey(id)) as WallSession | undefined)?.stop();
    record.delete(getCacheKey(id));
    setSession(undefined);
  }, [record, id]);
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
