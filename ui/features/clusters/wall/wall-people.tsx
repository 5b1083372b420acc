import { useState } from 'react';
import type { Vis } from '../../../../daemon/contract/wall.js';
import { ChoiceField, TextField } from '../../../components/field.js';
import { Flag } from '../../../components/text/flag.js';
import { toDisplayText } from '../../../lib/format/display-text.js';
import styles from '../wall.module.css';

/** The most people that are shown. The filter finds the others. */
const SHOWN = 100;
const FILTERED_FROM = 12;

interface WallPeopleProps {
  people: readonly string[];
  you: string;
  vis: Vis;
  isIn: boolean;
  /** Recipients; empty means everyone. */
  to: readonly string[];
  onTo: (to: readonly string[]) => void;
  isMuted: boolean;
  onMuted: (isMuted: boolean) => void;
}

/** The people online with their visibility, and the choice of recipients. */
export function WallPeople({ people, you, vis, isIn, to, onTo, isMuted, onMuted }: WallPeopleProps) {
  const [filter, setFilter] = useState('');
  const others = people.filter((handle) => handle !== you);
  const words = filter.trim().toLowerCase();
  const found = words === '' ? others : others.filter((handle) => handle.toLowerCase().includes(words));
  const turn = (handle: string) => onTo(to.includes(handle) ? to.filter((one) => one !== handle) : [...to, handle]);
  return (
    <section className={styles.people} aria-label="Who is here">
      <h2>
        Here <span className={styles.count}>{people.length}</span>
      </h2>
      <OwnHandle handle={you} vis={vis} isIn={isIn} />
      {others.length >= FILTERED_FROM && (
        <TextField
          label="Find someone"
          type="search"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
        />
      )}
      {isIn && others.length === 0 && (
        <p className="quiet small">Nobody else is here. Messages reach nobody and are not saved.</p>
      )}
      <ul aria-label="Others here">
        {found.slice(0, SHOWN).map((handle) => (
          <li key={handle}>
            <Person handle={handle} isChosen={to.includes(handle)} onTurn={() => turn(handle)} />
          </li>
        ))}
      </ul>
      {found.length > SHOWN && <p className="quiet small">{found.length - SHOWN} more: search by name.</p>}
      <div className={styles.peopleFoot}>
        <ChoiceField
          checked={isMuted}
          onChange={(event) => onMuted(event.target.checked)}
          label="Mute announcements"
          hint="On every page. Otherwise screen readers announce new messages, at most every two seconds."
        />
      </div>
    </section>
  );
}

/** The operator, with how others see them. */
function OwnHandle({ handle, vis, isIn }: { handle: string; vis: Vis; isIn: boolean }) {
  return (
    <p className={`${styles.self} ${styles[vis]}`}>
      <Flag id={handle} size={20} isRaised={isIn && vis !== 'ghost'} />
      <span className={styles.personName}>
        <strong className="truncate">{toDisplayText(handle)}</strong>
        <span className="small">
          {!isIn
            ? 'you, not in the cluster now'
            : vis === 'ghost'
              ? 'you are invisible to others'
              : vis === 'private'
                ? 'you, hidden on public pages'
                : 'you'}
        </span>
      </span>
    </p>
  );
}

/** Somebody else here. A press makes them a recipient or ends that. */
function Person({ handle, isChosen, onTurn }: { handle: string; isChosen: boolean; onTurn: () => void }) {
  return (
    <button
      type="button"
      className={styles.person}
      aria-pressed={isChosen}
      title={isChosen ? 'Exclude' : 'Message only this member'}
      onClick={onTurn}
    >
      <Flag id={handle} size={20} isRaised />
      <span className="truncate">{toDisplayText(handle)}</span>
      {isChosen && <span className="small">writing to</span>}
    </button>
  );
}
