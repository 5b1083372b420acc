import { useQuery } from '@tanstack/react-query';
import type { DENSITIES, PreferencesPatch, THEMES } from '../../../daemon/contract/system.js';
import { Button } from '../../components/button.js';
import { ChoiceField, SwitchField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { useChosen } from '../../lib/use-chosen.js';
import styles from './doctor-panel.module.css';
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
  const choose = (choice: PreferencesPatch) => keep({ ...chosen, ...choice });
  return (
    <Section title="Preferences">
      <Loaded query={preferences} what="The preferences could not be read.">
        {(data) => (
          <div className={styles.preferences}>
            <fieldset>
              <legend>Theme</legend>
              <div className={styles.choices}>
                {themes.map((theme) => (
                  <ChoiceField
                    key={theme}
                    type="radio"
                    name="theme"
                    label={theme === 'system' ? 'as the system' : theme}
                    checked={(chosen.theme ?? data.theme) === theme}
                    onChange={() => choose({ theme })}
                  />
                ))}
              </div>
            </fieldset>
            <fieldset>
              <legend>Rows</legend>
              <div className={styles.choices}>
                {densities.map((density) => (
                  <ChoiceField
                    key={density}
                    type="radio"
                    name="density"
                    label={density}
                    checked={(chosen.density ?? data.density) === density}
                    onChange={() => choose({ density })}
                  />
                ))}
              </div>
            </fieldset>
            <fieldset>
              <legend>Enter in a conversation</legend>
              <div className={styles.choices}>
                {[true, false].map((enter_sends) => (
                  <ChoiceField
                    key={String(enter_sends)}
                    type="radio"
                    name="enter"
                    label={enter_sends ? 'sends' : 'inserts a new line'}
                    checked={(chosen.enter_sends ?? data.enter_sends) === enter_sends}
                    onChange={() => choose({ enter_sends })}
                  />
                ))}
              </div>
              <p className="small quiet">
                With Ctrl or ⌘ it always sends. On a touch keyboard it always inserts a new line.
              </p>
            </fieldset>
            <SwitchField
              label="Single-key shortcuts"
              isOn={chosen.single_key_shortcuts ?? data.single_key_shortcuts}
              onChange={(single_key_shortcuts) => choose({ single_key_shortcuts })}
            />
            <div>
              <Button isSmall onClick={() => onShortcuts(chosen.single_key_shortcuts ?? data.single_key_shortcuts)}>
                Show the shortcuts
              </Button>
            </div>
            <div>
              <SwitchField
                label="Announce new messages to screen readers"
                isOn={chosen.announcements ?? data.announcements}
                onChange={(announcements) => choose({ announcements })}
              />
              <p className="small quiet">On Walls and in conversations, at most every two seconds.</p>
            </div>
            <NotificationsField
              isOn={chosen.notifications ?? data.notifications}
              onChange={(notifications) => choose({ notifications })}
            />
            {patch.error && <ErrorPanel what="The preference was not saved." error={patch.error} />}
          </div>
        )}
      </Loaded>
    </Section>
  );
}
