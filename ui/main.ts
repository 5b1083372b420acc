import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { leaveLeftOverWorkers } from './lib/left-over-workers.js';

const LATEST_MS = 100;

const isLeaving = leaveLeftOverWorkers({
  serviceWorker: navigator.serviceWorker as ServiceWorkerContainer | undefined,
  caches: window.caches as CacheStorage | undefined,
  getStorage: () => window.sessionStorage,
  reload: () => window.location.reload(),
});

// Lets the browser paint the frame of the page before the script blocks the thread. A background tab paints nothing and
// starts after a timeout.
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, LATEST_MS);
});
if (!(await isLeaving)) await import('./dashboard.js');
