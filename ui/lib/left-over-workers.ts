const MARK = 'meshd.reloaded-without-worker';

/** The parts of the browser that are read and changed. */
interface WorkerHost {
  /** Undefined when the browser does not support service workers. */
  serviceWorker: Pick<ServiceWorkerContainer, 'controller' | 'getRegistrations'> | undefined;
  caches: Pick<CacheStorage, 'keys' | 'delete'> | undefined;
  /** Throws where site data is blocked. */
  getStorage(): Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;
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

/** Marks the tab as reloaded. Returns false when it is, or when it cannot be marked. */
function mark({ getStorage }: WorkerHost): boolean {
  try {
    const storage = getStorage();
    if (storage.getItem(MARK) !== null) return false;
    storage.setItem(MARK, '1');
    return true;
  } catch {
    return false;
  }
}

function removeMark({ getStorage }: WorkerHost): void {
  try {
    getStorage().removeItem(MARK);
  } catch {
    // Without storage there is no mark.
  }
}

/**
 * Removes service workers and caches that another program left at this origin; the dashboard registers none. Resolves
 * with true when a worker controls the page and the page is being reloaded without it. It reloads only once, so that a
 * worker that cannot be removed causes no loop, and never without a storage that says so. A page without a worker does
 * not wait for the removal.
 */
export async function leaveLeftOverWorkers(host: WorkerHost): Promise<boolean> {
  const removed = remove(host);
  if (!host.serviceWorker?.controller) {
    removeMark(host);
    return false;
  }
  await removed;
  if (!mark(host)) return false;
  host.reload();
  return true;
}
