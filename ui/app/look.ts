import type { Preferences } from '../../daemon/contract/system.js';

/** Draws the page as chosen; an unknown theme falls to the system's. The daemon sends the page in the kept look, so that none flashes. */
export function applyLook({ theme, density }: Pick<Preferences, 'theme' | 'density'>): void {
  const { dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
  else delete dataset['theme'];
  if (density === 'compact') dataset['density'] = 'compact';
  else delete dataset['density'];
}
