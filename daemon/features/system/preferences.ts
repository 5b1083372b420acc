import Value from 'typebox/value';
import { Preferences, type PreferencesPatch } from '../../contract/system.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import { findPatternMistake } from '../../lib/text/path-pattern.js';
import type { JsonAdapter, JsonObject } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';

const DEFAULT_PREFERENCES: Preferences = {
  theme: 'system',
  density: 'comfortable',
  rail_collapsed: false,
  rail_network: 'auto',
  single_key_shortcuts: true,
  enter_sends: true,
  announcements: true,
  notifications: false,
  roadmap_view: 'list',
  no_model_hidden: false,
  first_run_dismissed: [],
  isolation_default: 'automatic',
  editor: 'automatic',
  worktrees: { copy: [], link: [], setup: '' },
};

/** The operator's preferences for the dashboard. Each one that is missing or invalid is replaced by its default. */
export class OperatorPreferences {
  private readonly store: JsonStore<Preferences>;

  constructor(
    file: JsonAdapter,
    private readonly bus: Bus,
  ) {
    this.store = new JsonStore(file, { parse, stringify: (preferences) => ({ ...preferences }) });
  }

  load(): Promise<void> {
    return this.store.load();
  }

  get(): Preferences {
    return this.store.data;
  }

  /**
   * Updates the given preferences. Durable when it resolves. Throws `bad_request` for a pattern that could leave the
   * project. Publishes `preferences.updated`.
   */
  async update(patch: PreferencesPatch): Promise<Preferences> {
    const { copy = [], link = [] } = patch.worktrees ?? {};
    for (const pattern of [...copy, ...link]) {
      const mistake = findPatternMistake(pattern);
      if (mistake !== undefined) throw new MeshError('bad_request', mistake, { details: { path: 'worktrees' } });
    }
    let next = this.get();
    await this.store.update((current) => {
      next = { ...current, ...patch };
      return next;
    });
    this.bus.publish('preferences.updated', {});
    return next;
  }
}

/** Takes each preference by itself: one value of a later version must not cost the others at the next change. */
function parse(content: JsonObject | null): Preferences {
  const valid = Object.entries(Preferences.properties).filter(([key, schema]) => Value.Check(schema, content?.[key]));
  return { ...DEFAULT_PREFERENCES, ...Object.fromEntries(valid.map(([key]) => [key, content?.[key]])) };
}
