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

describe('import choice', () => {
  it('selects every new agent by default, and none that is in conflict or unreadable', () => {
    expect([scribe, taken, broken].map((one) => isTicked(one, NO_CHOICE))).toEqual([true, false, false]);
    expect(isTicked(broken, { ...NO_CHOICE, ticked: { [keyOf(broken)]: true } })).toBe(false);
  });

  it('uses the suggested id in a conflict until another is typed', () => {
    expect(idOf(taken, NO_CHOICE)).toBe('scribe-2');
    expect(idOf(taken, { ...NO_CHOICE, ids: { [keyOf(taken)]: 'clerk' } })).toBe('clerk');
  });

  it('sends the selected agents with the digest that was shown', () => {
    const choice = { ticked: { [keyOf(scribe)]: false, [keyOf(taken)]: true }, ids: {} };
    expect(itemsOf([scribe, taken, broken], choice)).toEqual([
      { source: '.cursor/agents/scribe.md', entry: null, scope: 'project', sha256: 'a', id: 'scribe-2' },
    ]);
  });

  it('reports an id that is invalid, in use or chosen twice', () => {
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

describe('found agents', () => {
  it('are counted by tool if they can be imported', () => {
    expect(countWords([scribe, taken, broken])).toBe('1 of Claude Code, 1 of Cursor');
    expect(countWords([broken])).toBe('');
  });
});
