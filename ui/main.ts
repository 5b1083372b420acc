import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { leaveLeftOverWorkers } from './lib/left-over-workers.js';
import { takeKey } from './lib/page-proof.js';

const LATEST_MS = 100;
/** As the daemon marks the address of a page whose cookie it has just given. */
const MARK = /[?&]meshd-first=?(?=&|$)/;

const reload = () => window.location.reload();
const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
// An open page can be taken over by a worker at any time: what it then calls, the worker hears.
serviceWorker?.addEventListener('controllerchange', () => {
  if (serviceWorker.controller) reload();
});
const isMarked = MARK.test(window.location.search);
if (isMarked) window.history.replaceState(window.history.state, '', window.location.href.replace(MARK, ''));
const coming = takeKey(document.documentElement.dataset).then((hasKey) =>
  leaveLeftOverWorkers({
    hasKey: hasKey || import.meta.env.DEV,
    mayReload: !isMarked,
    serviceWorker,
    caches: window.caches as CacheStorage | undefined,
    storage: window.sessionStorage,
    reload,
  }),
);

// What came with the page is drawn before the script takes the thread. A tab in the background draws nothing and begins all the same.
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, LATEST_MS);
});
const outcome = await coming;
if (outcome === 'own') await import('./dashboard.js');
else if (outcome === 'stuck') (await import('./lib/without-key.js')).sayWithoutKey();
