import { useId } from 'react';
import type { OPERATOR_HANDLE } from '../../../daemon/contract/saved-clusters.js';
import type { Vis } from '../../../daemon/contract/wall.js';
import { ChoiceField, TextField } from '../../components/field.js';
import { handleFault, VIS_WORDS } from './cluster-format.js';
import styles from './clusters.module.css';

/** Handle, visibility, and whether the daemon stays connected. */
export interface MembershipChoice {
  handle: string;
  vis: Vis;
  held: boolean;
}

const HANDLE: typeof OPERATOR_HANDLE = 'operator';
export const DEFAULT_MEMBERSHIP: MembershipChoice = { handle: HANDLE, vis: 'public', held: true };
const ALL = Object.keys(VIS_WORDS) as Vis[];

type Names = Pick<MembershipChoice, 'handle' | 'vis'>;

/** Fields for the handle and its visibility in a cluster. */
export function MembershipNames<S extends Names>({
  membership,
  onChange,
}: {
  membership: S;
  onChange: (membership: S) => void;
}) {
  const group = useId();
  return (
    <>
      <TextField
        label="Your handle"
        hint="The name others see. It is not verified."
        spellCheck={false}
        autoCapitalize="off"
        value={membership.handle}
        error={handleFault(membership.handle)}
        onChange={(event) => onChange({ ...membership, handle: event.target.value })}
      />
      <fieldset>
        <legend className={styles.legend}>Who sees you</legend>
        {ALL.map((vis) => (
          <ChoiceField
            key={vis}
            type="radio"
            name={group}
            value={vis}
            checked={membership.vis === vis}
            onChange={() => onChange({ ...membership, vis })}
            label={VIS_WORDS[vis].name}
            hint={VIS_WORDS[vis].means}
          />
        ))}
      </fieldset>
    </>
  );
}

/** The same fields, and whether to stay connected while the tab is closed. Shown before anyone can see the operator. */
export function MembershipFields({
  membership,
  onChange,
}: {
  membership: MembershipChoice;
  onChange: (membership: MembershipChoice) => void;
}) {
  return (
    <>
      <MembershipNames membership={membership} onChange={onChange} />
      <ChoiceField
        checked={membership.held}
        onChange={(event) => onChange({ ...membership, held: event.target.checked })}
        label="Stay connected while this tab is closed"
        hint="The daemon stays connected for you and counts unread messages. It does not save them."
      />
    </>
  );
}
