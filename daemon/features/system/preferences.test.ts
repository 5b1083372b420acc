import { describe, expect, it } from 'vitest';
import { Bus } from '../../events/bus.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { OperatorPreferences } from './preferences.js';

const DEFAULTS = {
  ...{ theme: 'system', density: 'comfortable', rail_collapsed: false, rail_network: 'auto' },
  ...{ single_key_shortcuts: true, enter_sends: true, announcements: true, notifications: false },
  ...{ roadmap_view: 'list', no_model_hidden: false, first_run_dismissed: [] },
  ...{ isolation_default: 'automatic', editor: 'automatic', worktrees: { copy: [], link: [], setup: '' } },
};

/** The preferences of a file with `content`, what was written to it, and which events were published. */
function preferencesIn(content: JsonObject | null = null) {
  const written: JsonObject[] = [];
  const events: string[] = [];
  const bus = new Bus(new FakeClock());
  bus.watch(({ type }) => events.push(type));
  const file = { read: async () => content, write: async (value: JsonObject) => void written.push(value) };
  return { preferences: new OperatorPreferences(file, bus), written, events };
}

describe('Preferences', () => {
  it('have a default each, before and without a file', async () => {
    const { preferences } = preferencesIn();
    expect(preferences.get()).toEqual(DEFAULTS);
    await preferences.load();
    expect(preferences.get()).toEqual(DEFAULTS);
  });

  it('are those of the file, and the defaults for what it lacks', async () => {
    const { preferences } = preferencesIn({ theme: 'dark', worktrees: { copy: ['a'], link: [], setup: 'npm ci' } });
    await preferences.load();
    expect(preferences.get()).toEqual({
      ...{ ...DEFAULTS, theme: 'dark' },
      worktrees: { copy: ['a'], link: [], setup: 'npm ci' },
    });
  });

  it('are those of the file beside one that is invalid or unknown, and stay so when another is changed', async () => {
    const worktrees = { copy: ['a'], link: [], setup: 'npm ci' };
    const { preferences, written } = preferencesIn({ theme: 'dark', density: 'airy', of_later: 1, worktrees });
    await preferences.load();
    expect(preferences.get()).toEqual({ ...DEFAULTS, theme: 'dark', worktrees });
    await preferences.update({ theme: 'light' });
    expect(written).toEqual([{ ...DEFAULTS, theme: 'light', worktrees }]);
  });

  it('are changed one by one, written whole, and told in an event', async () => {
    const { preferences, written, events } = preferencesIn({ theme: 'dark' });
    const changed = { ...DEFAULTS, theme: 'dark', density: 'compact' };
    expect(await preferences.update({ density: 'compact' })).toEqual(changed);
    expect([preferences.get(), written, events]).toEqual([changed, [changed], ['preferences.updated']]);
  });

  it.each([
    { copy: ['ok', '../secret'], link: [], setup: '' },
    { copy: [], link: ['ok', '../secret'], setup: '' },
  ])('take no pattern that leaves the project, %j, and stay as they are', async (worktrees) => {
    const { preferences, written, events } = preferencesIn();
    await expect(preferences.update({ theme: 'dark', worktrees })).rejects.toMatchObject({
      ...{ code: 'bad_request', details: { path: 'worktrees' }, message: expect.stringContaining('"../secret"') },
    });
    expect([preferences.get(), written, events]).toEqual([DEFAULTS, [], []]);
  });
});
