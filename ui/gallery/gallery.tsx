import { useState } from 'react';
import { applyLook } from '../app/look.js';
import { SelectField } from '../components/field.js';
import styles from './gallery.module.css';
import type { Story } from './story.js';

const THEMES = ['system', 'light', 'dark'] as const;
const DENSITIES = ['comfortable', 'compact'] as const;

const getAnchor = (title: string) => title.toLowerCase().replaceAll(/[^a-z]+/g, '-');

/** Every component in every state, with a choice of theme and density. */
export function Gallery({ stories }: { stories: readonly Story[] }) {
  const [theme, setTheme] = useState<(typeof THEMES)[number]>('system');
  const [density, setDensity] = useState<(typeof DENSITIES)[number]>('comfortable');
  const look = (next: { theme?: typeof theme; density?: typeof density }) => {
    const chosen = { theme, density, ...next };
    setTheme(chosen.theme);
    setDensity(chosen.density);
    applyLook(chosen);
  };
  return (
    <div className={styles.frame}>
      <nav className={styles.list} aria-label="Elements">
        <ul>
          {stories.map(({ title }) => (
            <li key={title}>
              <a href={`#${getAnchor(title)}`}>{title}</a>
            </li>
          ))}
        </ul>
      </nav>
      <main className={styles.page}>
        <header className="cluster">
          <h1>Gallery</h1>
          <SelectField
            label="Theme"
            options={THEMES}
            value={theme}
            onChange={(event) => look({ theme: event.target.value as typeof theme })}
          />
          <SelectField
            label="Density"
            options={DENSITIES}
            value={density}
            onChange={(event) => look({ density: event.target.value as typeof density })}
          />
        </header>
        {stories.map(({ title, states }) => (
          <article key={title} id={getAnchor(title)} className={styles.story}>
            <h2>{title}</h2>
            {Object.entries(states).map(([state, drawn]) => (
              <div key={state} className={styles.state}>
                <p className={styles.name}>{state}</p>
                <div className={styles.drawn}>{drawn}</div>
              </div>
            ))}
          </article>
        ))}
      </main>
    </div>
  );
}
