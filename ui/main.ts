import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { takeKey } from './lib/page-proof.js';

const LATEST_MS = 100;

const { serviceWorker } = navigator as { serviceWorker?: ServiceWorkerContainer };
// An open page can be taken over by a worker at any time: what it then calls, the worker hears.
serviceWorker?.addEventListener('controllerchange', () => {
  if (serviceWorker.controller) location.reload();
});
// The daemon marks the address of a page whose cookie it has just given.
const { href } = location;
const unmarked = href.replace(/[?&]meshd-first/, '');
history.replaceState(history.state, '', unmarked);
const coming = takeKey(document.documentElement.dataset);

// What came with the page is drawn before the script takes the thread. A tab in the background draws nothing and begins all the same.
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, LATEST_MS);
});
const hasKey = (await coming) || import.meta.env.DEV;
if (hasKey && !serviceWorker?.controller) await import('./dashboard.js');
else (await import('./lib/left-over-workers.js')).leaveThisPage(unmarked === href);
