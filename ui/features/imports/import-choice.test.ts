import { describe, expect, it } from 'vitest';
import type { ImportCandidate } from '../../../daemon/contract/imports.js';
import { createKey, formatCount, getMemberId, idFaults, isTicked, NO_CHOICE, toImportItems } from './import-choice.js';

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
    expect(isTicked(broken, { ...NO_CHOICE, ticked: { [createKey(broken)]: true } })).toBe(false);
  });

  it('uses the suggested id in a conflict until another is typed', () => {
    expect(getMemberId(taken, NO_CHOICE)).toBe('scribe-2');
    expect(getMemberId(taken, { ...NO_CHOICE, ids: { [createKey(taken)]: 'clerk' } })).toBe('clerk');
  });

  it('sends the selected agents with the digest that was shown', () => {
    const choice = { ticked: { [createKey(scribe)]: false, [createKey(taken)]: true }, ids: {} };
    expect(toImportItems([scribe, taken, broken], choice)).toEqual([
      { source: '.cursor/agents/scribe.md', entry: null, scope: 'project', sha256: 'a', id: 'scribe-2' },
    ]);
  });

  it('reports an id that is invalid, in use or chosen twice', () => {
    const ticked = { [createKey(taken)]: true };
    const getFault = (id: string) =>
      idFaults([scribe, taken], { ticked, ids: { [createKey(taken)]: id } }).get(createKey(taken));
    expect(getFault('Bad Id')).toMatch(/^A letter first/);
    expect(getFault('scribe')).toBe('“scribe” is in use: choose another id.');
    expect(getFault('clerk')).toBeUndefined();
    const twin = found('.gemini/agents/scribe.md');
    expect(idFaults([scribe, twin], NO_CHOICE).get(createKey(twin))).toBe(
      '“scribe” is also the id of .claude/agents/scribe.md.',
    );
  });
});

describe('found agents', () => {
  it('are counted by tool if they can be imported', () => {
    expect(formatCount([scribe, taken, broken])).toBe('1 of Claude Code, 1 of Cursor');
    expect(formatCount([broken])).toBe('');
  });
});
