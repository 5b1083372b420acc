import './styles/fonts.css';
import './styles/tokens.css';
import './styles/base.css';
import { untilServed } from './lib/until-served.js';

const LATEST_MS = 100;

// What came with the page is drawn before the script takes the thread. A tab in the background draws nothing and begins all the same.
await new Promise((resolve) => {
  requestAnimationFrame(() => setTimeout(resolve));
  setTimeout(resolve, LATEST_MS);
});
await untilServed(() => import('./dashboard.js'))();
