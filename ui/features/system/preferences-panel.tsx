import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DENSITIES, Preferences, PreferencesPatch, THEMES } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { ChoiceField, SwitchField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { useChosen } from '../../lib/use-chosen.js';
import styles from './doctor-panel.module.css';
import { EditorField } from './editor-field.js';
import { NotificationsField } from './notifications-field.js';
import { usePatchPreferences } from './system-mutations.js';
import { preferencesQuery } from './system-queries.js';

const themes = ['system', 'light', 'dark'] as const satisfies typeof THEMES;
const densities = ['comfortable', 'compact'] as const satisfies typeof DENSITIES;
const NOTHING_CHOSEN: PreferencesPatch = {};

/** The operator's preferences. The daemon stores them, so that they apply in another browser or at another port. */
export function PreferencesPanel({ onShortcuts }: { onShortcuts: (hasSingleKeys: boolean) => void }) {
  const preferences = useQuery(preferencesQuery());
  const patch = usePatchPreferences();
  const [chosen, keep] = useChosen<PreferencesPatch>(NOTHING_CHOSEN, patch.mutateAsync);
  return (
    <Section title="Preferences">
      <Loaded query={preferences} what="The preferences could not be read.">
        {(kept) => (
          <div className={styles.preferences}>
            <PreferenceFields
              preferences={{ ...kept, ...chosen }}
              onChoose={(choice) => keep({ ...chosen, ...choice })}
              onShortcuts={onShortcuts}
            />
            {patch.error && <ErrorPanel what="The preference was not saved." error={patch.error} />}
          </div>
        )}
      </Loaded>
    </Section>
  );
}

interface PreferenceFieldsProps {
  preferences: Preferences;
  onChoose: (choice: PreferencesPatch) => void;
  onShortcuts: (hasSingleKeys: boolean) => void;
}

function PreferenceFields({ preferences, onChoose, onShortcuts }: PreferenceFieldsProps) {
  const { theme, density, enter_sends, single_key_shortcuts, announcements, notifications } = preferences;
  return (
    <>
      <RadioGroup
        legend="Theme"
        name="theme"
        options={themes}
        getLabel={(option) => (option === 'system' ? 'as the system' : option)}
        chosen={theme}
        onChoose={(theme) => onChoose({ theme })}
      />
      <RadioGroup
        legend="Rows"
        name="density"
        options={densities}
        getLabel={(option) => option}
        chosen={density}
        onChoose={(density) => onChoose({ density })}
      />
      <RadioGroup
        legend="Enter in a conversation"
        name="enter"
        options={[true, false]}
        getLabel={(sends) => (sends ? 'sends' : 'inserts a new line')}
        chosen={enter_sends}
        onChoose={(enter_sends) => onChoose({ enter_sends })}
      >
        <p className="small quiet">With Ctrl or ⌘ it always sends. On a touch keyboard it always inserts a new line.</p>
      </RadioGroup>
      <SwitchField
        label="Single-key shortcuts"
        isOn={single_key_shortcuts}
        onChange={(single_key_shortcuts) => onChoose({ single_key_shortcuts })}
      />
      <div>
        <Button isSmall onClick={() => onShortcuts(single_key_shortcuts)}>
          Show the shortcuts
        </Button>
      </div>
      <div>
        <SwitchField
          label="Announce new messages to screen readers"
          isOn={announcements}
          onChange={(announcements) => onChoose({ announcements })}
        />
        <p className="small quiet">On Walls and in conversations, at most every two seconds.</p>
      </div>
      <EditorField chosen={preferences.editor} onChoose={(editor) => onChoose({ editor })} />
      <NotificationsField isOn={notifications} onChange={(notifications) => onChoose({ notifications })} />
    </>
  );
}

interface RadioGroupProps<T> {
  legend: string;
  name: string;
  options: readonly T[];
  getLabel: (option: T) => string;
  chosen: T;
  onChoose: (option: T) => void;
  children?: ReactNode;
}

function RadioGroup<T extends string | boolean>(props: RadioGroupProps<T>) {
  const { legend, name, options, getLabel, chosen, onChoose, children } = props;
  return (
    <fieldset>
      <legend>{legend}</legend>
      <div className={styles.choices}>
        {options.map((option) => (
          <ChoiceField
            key={String(option)}
            type="radio"
            name={name}
            label={getLabel(option)}
            checked={option === chosen}
            onChange={() => onChoose(option)}
          />
        ))}
      </div>
      {children}
    </fieldset>
  );
}
