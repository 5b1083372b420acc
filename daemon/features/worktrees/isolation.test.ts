import { describe, expect, it } from 'vitest';
import { branchName, resolveIsolation, wantedIsolation } from './isolation.js';

const FACTS = { chosen: null, preference: 'automatic', member: undefined, tools: ['read', 'edit'] } as const;

describe('Where a conversation is to work', () => {
  it.each([
    [
      { chosen: 'project', preference: 'worktree', member: 'worktree' },
      'project',
      'You chose it for this conversation.',
    ],
    [{ chosen: 'worktree', preference: 'project', tools: [] }, 'worktree', 'You chose it for this conversation.'],
    [{ preference: 'project', member: 'worktree' }, 'project', 'It is the default in your preferences.'],
    [{ preference: 'worktree', tools: [] }, 'worktree', 'It is the default in your preferences.'],
    [{ member: 'project' }, 'project', 'It is the default in the member’s file.'],
    [{ member: 'worktree', tools: [] }, 'worktree', 'It is the default in the member’s file.'],
    [{}, 'worktree', 'It may edit files.'],
    [{ tools: ['read'] }, 'project', 'It does not edit files.'],
  ] as const)('with %j is the %s: %s', (more, isolation, reason) => {
    expect(wantedIsolation({ ...FACTS, ...more })).toEqual({ isolation, reason });
  });

  it.each([
    [{}, 'worktree', 'It may edit files.'],
    [{ uncommitted: 1 }, 'worktree', 'It may edit files. One uncommitted change of the project folder is not in it.'],
    [{ uncommitted: 2 }, 'worktree', 'It may edit files. 2 uncommitted changes of the project folder are not in it.'],
    [{ tools: [], uncommitted: 2 }, 'project', 'It does not edit files.'],
    [{ tools: [], problem: 'No commit.' }, 'project', 'It does not edit files.'],
    [{ problem: 'No commit.', uncommitted: 2 }, 'project', 'No commit.'],
    [{ preference: 'worktree', problem: 'No commit.' }, 'project', 'No commit.'],
    [
      { chosen: 'worktree', problem: 'No commit.', uncommitted: 2 },
      'worktree',
      'You chose it for this conversation. No commit.',
    ],
    [{ chosen: 'project', problem: 'No commit.' }, 'project', 'You chose it for this conversation.'],
  ] as const)('with %j becomes the %s: %s', (more, isolation, reason) => {
    expect(resolveIsolation({ ...FACTS, problem: undefined, uncommitted: 0, ...more })).toEqual({ isolation, reason });
  });
});

it.each([
  ['Grün wählen!', 1, 'meshd/lamp/grun-wahlen'],
  ['  --Light  the_lamp--  ', 1, 'meshd/lamp/light-the-lamp'],
  ['Light it', 2, 'meshd/lamp/light-it-2'],
  ['ﬁne ① e\u0323\u0301', 1, 'meshd/lamp/fine-1-e'],
  ['灯台', 1, 'meshd/lamp/conversation'],
  ['', 3, 'meshd/lamp/conversation-3'],
  [`${'a'.repeat(39)} b`, 1, `meshd/lamp/${'a'.repeat(39)}`],
  ['b'.repeat(41), 1, `meshd/lamp/${'b'.repeat(40)}`],
])('the branch of a worktree is named after "%s", in attempt %s', (title, attempt, expected) => {
  expect(branchName('lamp', title, attempt)).toBe(expected);
});
