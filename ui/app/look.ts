import type { Preferences } from '../../daemon/contract/system.js';

/**
 * Applies the theme and density; an unknown theme falls back to the system's. The daemon sends the page with the stored
 * look, so that no other look flashes first.
 */
export function applyLook({ theme, density }: Pick<Preferences, 'theme' | 'density'>): void {
  const { dataset } = document.documentElement;
  if (theme === 'light' || theme === 'dark') dataset['theme'] = theme;
  else delete dataset['theme'];
  if (density === 'compact') dataset['density'] = 'compact';
  else delete dataset['density'];
}
