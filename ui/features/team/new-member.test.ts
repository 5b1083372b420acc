import { describe, expect, it } from 'vitest';
import { EMPTY_MEMBER, findProblems, idFromName, toDuplicate } from './new-member.js';

describe('new member', () => {
  it.each([
    ['Release Notes', 'release-notes'],
    ['  Über-Prüfer 2 ', 'uber-prufer-2'],
    ['42 Answers', 'answers'],
    ['日本', ''],
    ['a'.repeat(40), 'a'.repeat(32)],
  ])('derives an id from %j', (name, id) => {
    expect(idFromName(name)).toBe(id);
  });

  it('begins as a copy with the words of its model and an id of its own', () => {
    const model = { id: 'deployer', name: 'Deployer', description: 'Ships it.', kind: 'singleton', body: 'Ship.' };
    expect(toDuplicate(model)).toEqual({
      ...{ name: 'Deployer copy', id: '', description: 'Ships it.', kind: 'profile', body: 'Ship.' },
    });
  });

  it('requires a name that gives an id, or an id', () => {
    expect(findProblems(EMPTY_MEMBER)).toEqual({ name: 'A member needs a name.' });
    expect(findProblems({ ...EMPTY_MEMBER, name: '日本' }).name).toContain('no valid id');
    expect(findProblems({ ...EMPTY_MEMBER, name: '日本', id: 'japan-guide' })).toEqual({});
  });

  it('rejects reserved and malformed ids', () => {
    expect(findProblems({ ...EMPTY_MEMBER, name: 'Draft' }).id).toContain('reserved');
    expect(findProblems({ ...EMPTY_MEMBER, name: 'X', id: '9x' }).id).toContain('letter first');
  });
});
