import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { REMOVAL_SCRIPT } from '../../daemon/http/left-over-worker.js';

/** What an earlier program leaves in a browser: a service worker, a tab, or cached scripts. */
export interface Kind {
  name: string;
  /** Where its worker's script is, and what it registers for; several scopes are several workers. */
  path: string;
  scopes: readonly string[];
  options?: {
    referrerPolicy?: string;
    staysBusy?: true;
    passesOn?: true;
    preloads?: true;
    asksTwice?: true;
    races?: true;
    swapsScripts?: true;
  };
  type?: 'module';
  /** The whole script, where it is not the hostile one. */
  script?: string;
  /** Its script is cached, and the browser is told to take it from there when it looks for a change. */
  isCached?: true;
  /** Its page stays open, under this Cross-Origin-Opener-Policy. */
  tab?: 'unsafe-none' | 'same-origin' | 'noopener-allow-popups';
  /** It leaves scripts in the cache under the names of the dashboard's own. */
  poisons?: true;
}

const UNSEEN = { referrerPolicy: 'no-referrer' } as const;
const WHOLE = { path: '/sw.js', scopes: ['/'] } as const;
const TAB = { path: '/sw.js', scopes: [], isCached: true, options: UNSEEN } as const;
export const KINDS: readonly Kind[] = [
  { ...WHOLE, name: 'plain' },
  { ...WHOLE, name: 'unseen', options: UNSEEN },
  { ...WHOLE, name: 'cached', isCached: true },
  { ...WHOLE, name: 'passing on', options: { ...UNSEEN, passesOn: true } },
  { ...WHOLE, name: 'preloading', options: { ...UNSEEN, preloads: true } },
  { ...WHOLE, name: 'asking twice', options: { ...UNSEEN, passesOn: true, asksTwice: true } },
  { ...WHOLE, name: 'racing', options: { ...UNSEEN, races: true, passesOn: true, swapsScripts: true } },
  { ...WHOLE, name: 'swapping scripts', options: { ...UNSEEN, swapsScripts: true } },
  { name: 'nested', path: '/app/sw.js', scopes: ['/app/'], options: UNSEEN },
  { name: 'wide', path: '/deep/down/sw.js', scopes: ['/'], options: UNSEEN },
  { name: 'on an API path', path: '/team', scopes: ['/'], options: UNSEEN },
  { name: 'imported', path: '/imports.js', scopes: ['/'], options: UNSEEN },
  { name: 'module', path: '/module.js', scopes: ['/'], type: 'module', options: UNSEEN },
  { name: 'several', path: '/sw.js', scopes: ['/', '/app', '/app/team', '/other/'], options: UNSEEN },
  { ...WHOLE, name: 'busy', options: { ...UNSEEN, staysBusy: true } },
  { ...WHOLE, name: 'byte-identical', script: REMOVAL_SCRIPT },
  { ...TAB, name: 'open tab', tab: 'unsafe-none' },
  { ...TAB, name: 'open tab of its own group', tab: 'same-origin' },
  { ...TAB, name: 'open tab with the page’s policy', tab: 'noopener-allow-popups' },
  { name: 'poisoned cache', path: '/sw.js', scopes: [], poisons: true },
];

const read = (name: string) => readFileSync(fileURLToPath(new URL(`./${name}`, import.meta.url)), 'utf8');
const ACTS = read('hostile-acts.mjs');
const WORKER = read('hostile-worker.mjs');
const TAB_SCRIPT = read('hostile-tab.mjs');

export const queryOf = ({ name }: Kind) => `?kind=${encodeURIComponent(name)}`;

const withActs = (kind: Kind, report: string, script: string, more: object = {}) =>
  `const OPTIONS = ${JSON.stringify({ ...kind.options, ...more, name: kind.name, report })};\n${ACTS}\n${script}`;

/** A script in the place of one of the dashboard's. */
export const swappedOf = (kind: Kind, report: string) =>
  withActs(kind, report, `tell('ran in the page');\nvoid act(document.documentElement.outerHTML);`);

/** What the worker of `kind` is, and says at `report` what it could do. */
export const workerOf = (kind: Kind, report: string) =>
  kind.script ?? withActs(kind, report, WORKER, { swapped: swappedOf(kind, report) });

export const tabOf = (kind: Kind, report: string) =>
  withActs(kind, report, TAB_SCRIPT, { worker: kind.path + queryOf(kind) });

/** The scripts of the dashboard that `daemon` serves, by their paths as they would be without a number of the run. */
export const assetsOf = (daemon: string): string[] =>
  readdirSync(join(dirname(daemon), 'ui/assets'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => `/app/assets/${file}`);
