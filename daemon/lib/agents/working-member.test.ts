import { expect, it } from 'vitest';
import { isWorkingMember } from './working-member.js';

it.each<[Parameters<typeof isWorkingMember>[0], boolean]>([
  [{ tools: ['read', 'edit'] }, true],
  [{ tools: ['write'] }, true],
  [{ tools: ['execute'] }, true],
  [{ tools: ['agent'] }, true],
  [{ tools: ['read', 'search'] }, false],
  [{ tools: [], agent_type: 'deploy' }, false],
  [{ tools: ['edit'], agent_type: 'custom' }, true],
  [{ agent_type: 'deploy' }, true],
  [{ agent_type: 'db' }, true],
  [{ agent_type: 'testing' }, true],
  [{ agent_type: 'roadmap' }, true],
  [{ agent_type: 'custom' }, false],
  [{}, false],
])('whether a member with %j works on the project: %s', (member, isWorking) => {
  expect(isWorkingMember(member)).toBe(isWorking);
});
