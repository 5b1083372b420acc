import { describe, expect, it } from 'vitest';
import type { Exported } from '../../../daemon/contract/imports.js';
import { canBeWritten, countWrites, findObstacle, isMeant, NO_EXPORT_CHOICE, needsConsent } from './export-choice.js';

const file = (id: string, state: Exported['state'], losses: Exported['losses'] = []): Exported => ({
  id,
  format: 'claude',
  path: `.claude/agents/${id}.md`,
  content: '',
  current: null,
  state,
  written: false,
  losses,
});

const fresh = file('fresh', 'new');
const same = file('same', 'same');
const foreign = file('foreign', 'foreign');
const blocked = file('blocked', 'foreign', [{ key: 'file', why: 'Not written: This is a symbolic link.' }]);

describe('export choice', () => {
  it('includes new and changed files, and no identical, foreign or blocked ones', () => {
    expect(
      [fresh, file('ours', 'changed'), same, foreign, blocked].map((one) => isMeant(one, NO_EXPORT_CHOICE)),
    ).toEqual([true, true, false, false, false]);
    expect(canBeWritten(blocked)).toBe(false);
    expect(findObstacle(blocked)).toBe('Not written: This is a symbolic link.');
    expect(isMeant(same, { ...NO_EXPORT_CHOICE, ticked: { same: true } })).toBe(false);
  });

  it('replaces a foreign file only with consent for that file', () => {
    const ticked = { ...NO_EXPORT_CHOICE, ticked: { foreign: true } };
    expect(needsConsent(foreign, ticked)).toBe(true);
    expect(countWrites([fresh, foreign], ticked)).toEqual({ ids: ['fresh'], replace: [] });
    expect(countWrites([fresh, foreign], { ...ticked, replaced: { foreign: true } })).toEqual({
      ids: ['fresh', 'foreign'],
      replace: ['foreign'],
    });
  });
});
