import { RELOADED } from './reloaded.js';

/** What of the browser is read and changed. */
export interface WorkerHost {
  /** False where it was reloaded already, in a browser that kept nothing of it. */
  mayReload: boolean;
  /** Undefined where the browser has none. */
  serviceWorker: Pick<ServiceWorkerContainer, 'getRegistrations'> | undefined;
  caches: Pick<CacheStorage, 'keys' | 'delete'> | undefined;
  storage: Pick<Storage, 'getItem' | 'setItem'>;
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

/** Says why there is no dashboard, in the place of the page. */
function sayWithoutKey(): void {
  const words = document.createElement('p');
  words.setAttribute('role', 'alert');
  words.style.padding = '24px';
  words.textContent =
    'This page came without the key of the daemon: the browser keeps no cookies for this address, or something that an earlier program left at it stands between them. Allow cookies, close the other tabs of this address, clear its site data, and load the page again.';
  document.body.replaceChildren(words);
}

/**
 * For a page that came without its key, or that a service worker controls: removes the workers and caches that an
 * earlier program at this address
 * left, since the dashboard registers none, and reloads the page; once, so that a worker that cannot be removed causes
 * no loop. Says then what to do.
 */
export async function leaveLeftOverWorkers(host: WorkerHost, say = sayWithoutKey): Promise<void> {
  await remove(host);
  if (!host.mayReload || host.storage.getItem(RELOADED) !== null) return say();
  host.storage.setItem(RELOADED, '1');
  host.reload();
}

/** The same in this browser. */
export function leaveThisPage(mayReload: boolean): Promise<void> {
  return leaveLeftOverWorkers({
    mayReload,
    serviceWorker: navigator.serviceWorker as ServiceWorkerContainer | undefined,
    caches: window.caches as CacheStorage | undefined,
    storage: window.sessionStorage,
    reload: () => window.location.reload(),
  });
}
