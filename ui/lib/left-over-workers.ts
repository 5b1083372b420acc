const MARK = 'meshd.reloaded-without-worker';

/** What of the browser is read and changed. */
export interface WorkerHost {
  /** Undefined where the browser has none. */
  serviceWorker: Pick<ServiceWorkerContainer, 'controller' | 'getRegistrations'> | undefined;
  caches: Pick<CacheStorage, 'keys' | 'delete'> | undefined;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  reload(): void;
}

/** A failure leaves what can be removed to the next page: it must not stop this one. */
async function remove({ serviceWorker, caches }: WorkerHost): Promise<void> {
  const registrations = (await serviceWorker?.getRegistrations().catch(() => [])) ?? [];
  if (registrations.length === 0) return;
  const names = (await caches?.keys().catch(() => [])) ?? [];
  await Promise.allSettled([
    ...registrations.map((registration) => registration.unregister()),
    ...names.map((name) => caches?.delete(name)),
  ]);
}

/**
 * Removes service workers and caches that an earlier program at this address left: the dashboard registers none. Resolves with true when the
 * page came through one and is being reloaded without it; once, so that a worker that cannot be removed causes no loop. A page without a
 * worker does not wait for the removal.
 */
export async function leaveLeftOverWorkers(host: WorkerHost): Promise<boolean> {
  const removed = remove(host);
  if (!host.serviceWorker?.controller) {
    host.storage.removeItem(MARK);
    return false;
  }
  await removed;
  if (host.storage.getItem(MARK) !== null) return false;
  host.storage.setItem(MARK, '1');
  host.reload();
  return true;
}
