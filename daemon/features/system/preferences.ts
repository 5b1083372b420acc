import Value from 'typebox/value';
import { Preferences, type PreferencesPatch } from '../../contract/system.js';
import type { Bus } from '../../events/bus.js';

/** Where preferences are kept: `read` gives what was last written, or undefined. */
export interface PreferencesStore {
  read(): Promise<unknown>;
  write(preferences: Preferences): Promise<void>;
}

export const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  density: 'comfortable',
  rail_collapsed: false,
  single_key_shortcuts: true,
  enter_sends: true,
  announcements: true,
  notifications: false,
  first_run_dismissed: [],
};

/** The operator's preferences for the dashboard. What cannot be read counts as the defaults. */
export class OperatorPreferences {
  private current = DEFAULT_PREFERENCES;

  constructor(
    private readonly store: PreferencesStore,
    private readonly bus: Bus,
  ) {}

  async load(): Promise<void> {
    const kept = await this.store.read();
    const merged = { ...DEFAULT_PREFERENCES, ...(typeof kept === 'object' ? kept : {}) };
    this.current = Value.Check(Preferences, merged) ? merged : DEFAULT_PREFERENCES;
  }

  get(): Preferences {
    return this.current;
  }

  /** Changes the given ones; durable when it resolves. Publishes `preferences.updated`. */
  async update(patch: PreferencesPatch): Promise<Preferences> {
    const next = { ...this.current, ...patch };
    await this.store.write(next);
    this.current = next;
    this.bus.publish('preferences.updated', {});
    return next;
  }
}
