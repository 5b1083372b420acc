import { useEffect, useState } from 'react';

/** Returns a number that changes with the theme: for drawings that cannot follow the style sheet. */
export function useLookChanges(): number {
  const [changes, setChanges] = useState(0);
  useEffect(() => {
    const changed = () => setChanges((count) => count + 1);
    const themes = new MutationObserver(changed);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ['data-theme'] });
    const media = ['(prefers-color-scheme: dark)', '(prefers-contrast: more)', '(forced-colors: active)'].map((one) =>
      window.matchMedia(one),
    );
    for (const one of media) one.addEventListener('change', changed);
    return () => {
      themes.disconnect();
      for (const one of media) one.removeEventListener('change', changed);
    };
  }, []);
  return changes;
}
