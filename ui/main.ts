import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { leaveLeftOverWorkers } from './lib/left-over-workers.js';

const LATEST_MS = 100;

const isLeaving = leaveLeftOverWorkers({
  serviceWorker: navigator.serviceWorker as ServiceWorkerContainer | undefined,
  caches: window.caches as CacheStorage | undefined,
  storage: window.sessionStorage,
  reload: () => window.location.reload(),
});

// What came with the page is drawn before the script takes the thread. A tab in the background draws nothing and begins all the same.
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, LATEST_MS);
});
if (!(await isLeaving)) await import('./dashboard.js');
