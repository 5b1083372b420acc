const MARK = 'meshd.reloaded-without-worker';

/** What of the browser is read and changed. */
export interface WorkerHost {
  hasKey: boolean;
  /** False where it was reloaded already, in a browser that kept nothing of it. */
  mayReload: boolean;
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

/** `own`: it is the daemon's page. `leaving`: it is being reloaded. `stuck`: it was reloaded once, and is no better. */
export type Coming = 'own' | 'leaving' | 'stuck';

/**
 * Removes service workers and caches that an earlier program at this address left: the dashboard registers none. A page that came through one, or
 * without its key, is reloaded once, so that a worker that cannot be removed causes no loop. A page of the daemon's own does not wait for the removal.
 */
export async function leaveLeftOverWorkers(host: WorkerHost): Promise<Coming> {
  const removed = remove(host);
  if (host.hasKey && !host.serviceWorker?.controller) {
    host.storage.removeItem(MARK);
    return 'own';
  }
  await removed;
  if (!host.mayReload || host.storage.getItem(MARK) !== null) return 'stuck';
  host.storage.setItem(MARK, '1');
  host.reload();
  return 'leaving';
}
