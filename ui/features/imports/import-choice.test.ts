import { describe, expect, it } from 'vitest';
import type { ImportCandidate } from '../../../daemon/contract/imports.js';
import { countWords, idFaults, idOf, isTicked, itemsOf, keyOf, NO_CHOICE } from './import-choice.js';

const found = (source: string, more: Partial<ImportCandidate> = {}): ImportCandidate => ({
  source,
  entry: null,
  format: 'claude',
  scope: 'project',
  id: 'scribe',
  name: 'Scribe',
  description: '',
  state: 'new',
  sha256: 'a',
  fields: [],
  notes: [],
  ...more,
});

const scribe = found('.claude/agents/scribe.md');
const taken = found('.cursor/agents/scribe.md', { format: 'cursor', state: 'conflict', suggested: 'scribe-2' });
const broken = found('.codex/agents/x.toml', { format: 'codex', state: 'unreadable', id: '' });

describe('what is chosen to be imported', () => {
  it('is every new agent at first, and none that needs another id or cannot be a member', () => {
    expect([scribe, taken, broken].map((one) => isTicked(one, NO_CHOICE))).toEqual([true, false, false]);
    expect(isTicked(broken, { ...NO_CHOICE, ticked: { [keyOf(broken)]: true } })).toBe(false);
  });

  it('goes under the suggested id where its own is taken, until another is typed', () => {
    expect(idOf(taken, NO_CHOICE)).toBe('scribe-2');
    expect(idOf(taken, { ...NO_CHOICE, ids: { [keyOf(taken)]: 'clerk' } })).toBe('clerk');
  });

  it('is sent as it was looked at', () => {
    const choice = { ticked: { [keyOf(scribe)]: false, [keyOf(taken)]: true }, ids: {} };
    expect(itemsOf([scribe, taken, broken], choice)).toEqual([
      { source: '.cursor/agents/scribe.md', entry: null, scope: 'project', sha256: 'a', id: 'scribe-2' },
    ]);
  });

  it('is held up by an id that no member can have, that is taken, or that two would get', () => {
    const ticked = { [keyOf(taken)]: true };
    const faultOf = (id: string) =>
      idFaults([scribe, taken], { ticked, ids: { [keyOf(taken)]: id } }).get(keyOf(taken));
    expect(faultOf('Bad Id')).toMatch(/^A letter first/);
    expect(faultOf('scribe')).toBe('“scribe” is in use: choose another id.');
    expect(faultOf('clerk')).toBeUndefined();
    const twin = found('.gemini/agents/scribe.md');
    expect(idFaults([scribe, twin], NO_CHOICE).get(keyOf(twin))).toBe(
      '“scribe” is also the id of .claude/agents/scribe.md.',
    );
  });
});

describe('what was found', () => {
  it('is counted by tool, as far as it could be imported', () => {
    expect(countWords([scribe, taken, broken])).toBe('1 of Claude Code, 1 of Cursor');
    expect(countWords([broken])).toBe('');
  });
});
