const MARK = 'meshd.reloaded-without-worker';

/** The parts of the browser that are read and changed. */
interface WorkerHost {
  /** Undefined when the browser does not support service workers. */
  serviceWorker: Pick<ServiceWorkerContainer, 'controller' | 'getRegistrations'> | undefined;
  caches: Pick<CacheStorage, 'keys' | 'delete'> | undefined;
  storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
  reload(): void;
}

/** Ignores failures: the next page load tries again, and this page must start anyway. */
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
 * Removes service workers and caches that another program left at this origin; the dashboard registers none. Resolves
 * with true when a worker controls the page and the page is being reloaded without it. It reloads only once, so that a
 * worker that cannot be removed causes no loop. A page without a worker does not wait for the removal.
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
