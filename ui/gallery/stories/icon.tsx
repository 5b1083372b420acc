import { Icon, type IconName } from '../../components/text/icon.js';
import styles from '../gallery.module.css';
import type { Story } from '../story.js';

/** Typed as a record, so that a missing icon is a type error. */
const NAMES: Readonly<Record<IconName, true>> = {
  desk: true,
  team: true,
  requests: true,
  talk: true,
  rooms: true,
  map: true,
  roadmap: true,
  clock: true,
  find: true,
  ledger: true,
  network: true,
  system: true,
  search: true,
  keyboard: true,
  narrow: true,
  code: true,
  fold: true,
  unfold: true,
  widen: true,
  close: true,
  copy: true,
  check: true,
  plus: true,
  out: true,
  show: true,
  again: true,
  warn: true,
};

export const story: Story = {
  title: 'Icon',
  states: {
    all: (
      <ul className={styles.marks}>
        {(Object.keys(NAMES) as IconName[]).map((name) => (
          <li key={name}>
            <Icon name={name} /> {name}
          </li>
        ))}
      </ul>
    ),
  },
};
