import type { Preferences } from '../../daemon/contract/system.js';

type Look = Pick<Preferences, 'theme' | 'density'>;

const KEPT = 'meshd.look';
/** Without a kept choice the stylesheet follows the system by itself. */
const DEFAULT: Look = { theme: 'system', density: 'comfortable' };

/** Draws the page as chosen; an unknown stored theme falls to the system's. */
function applyLook(look: Look): void {
  const root = document.documentElement;
  if (look.theme === 'light' || look.theme === 'dark') root.dataset['theme'] = look.theme;
  else delete root.dataset['theme'];
  if (look.density === 'compact') root.dataset['density'] = 'compact';
  else delete root.dataset['density'];
}

/** The last look, before the daemon has been asked: so that a chosen theme does not flash. */
export function applyKeptLook(): void {
  try {
    const kept = JSON.parse(localStorage.getItem(KEPT) ?? 'null') as Partial<Look> | null;
    applyLook({ ...DEFAULT, ...kept });
  } catch {
    applyLook(DEFAULT);
  }
}

export function keepLook({ theme, density }: Look): void {
  applyLook({ theme, density });
  try {
    localStorage.setItem(KEPT, JSON.stringify({ theme, density }));
  } catch {
    // A forbidden storage costs a flash at the next start, nothing else.
  }
}
