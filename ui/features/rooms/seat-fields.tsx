import { useId } from 'react';
import type { OPERATOR_HANDLE } from '../../../daemon/contract/rooms.js';
import type { Vis } from '../../../daemon/contract/wall.js';
import { ChoiceField, TextField } from '../../components/field.js';
import { handleFault, VIS_WORDS } from './room-words.js';
import styles from './rooms.module.css';

/** Handle, visibility, and whether the daemon stays connected. */
export interface SeatChoice {
  handle: string;
  vis: Vis;
  held: boolean;
}

const HANDLE: typeof OPERATOR_HANDLE = 'operator';
export const SEAT: SeatChoice = { handle: HANDLE, vis: 'public', held: true };
const ALL = Object.keys(VIS_WORDS) as Vis[];

type Names = Pick<SeatChoice, 'handle' | 'vis'>;

/** Fields for the handle and its visibility in a cluster. */
export function SeatNames<S extends Names>({ seat, onChange }: { seat: S; onChange: (seat: S) => void }) {
  const group = useId();
  return (
    <>
      <TextField
        label="Your handle"
        hint="The name others see. It is not verified."
        spellCheck={false}
        autoCapitalize="off"
        value={seat.handle}
        error={handleFault(seat.handle)}
        onChange={(event) => onChange({ ...seat, handle: event.target.value })}
      />
      <fieldset>
        <legend className={styles.legend}>Who sees you</legend>
        {ALL.map((vis) => (
          <ChoiceField
            key={vis}
            type="radio"
            name={group}
            value={vis}
            checked={seat.vis === vis}
            onChange={() => onChange({ ...seat, vis })}
            label={VIS_WORDS[vis].name}
            hint={VIS_WORDS[vis].means}
          />
        ))}
      </fieldset>
    </>
  );
}

/** The same fields, and whether to stay connected while the tab is closed. Shown before anyone can see the operator. */
export function SeatFields({ seat, onChange }: { seat: SeatChoice; onChange: (seat: SeatChoice) => void }) {
  return (
    <>
      <SeatNames seat={seat} onChange={onChange} />
      <ChoiceField
        checked={seat.held}
        onChange={(event) => onChange({ ...seat, held: event.target.checked })}
        label="Stay connected while this tab is closed"
        hint="The daemon stays connected for you and counts unread messages. It does not save them."
      />
    </>
  );
}
