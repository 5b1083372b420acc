import { describe, expect, it } from 'vitest';
import { type Findable, rankCommands } from './command-ranking.js';

const commands: Findable[] = [
  { group: 'Pages', name: 'Team', words: 'roster members' },
  { group: 'Pages', name: 'System', words: 'doctor health deploy' },
  { group: 'Members', name: 'Developer', alias: 'developer', words: 'Builds what the deployer ships' },
  { group: 'Members', name: 'Deployer', alias: 'deployer', words: 'Ships' },
  { group: 'Members', name: 'UI reviewer', alias: 'ui-reviewer', words: 'Looks at every page of the team' },
  { group: 'Requests', name: 'Who is the deployer?', alias: 'req-1' },
];
const found = (text: string) => rankCommands(commands, text).map(({ name }) => name);

describe('rankCommands', () => {
  it('ranks a match of the name before a match of the description and keeps groups together', () => {
    expect(found('deployer')).toEqual(['Deployer', 'Developer', 'Who is the deployer?']);
    expect(found('team')).toEqual(['Team', 'UI reviewer']);
    expect(found('deploy')).toEqual(['Deployer', 'Developer', 'Who is the deployer?', 'System']);
  });

  it('matches any part of the words, in any order, and the id', () => {
    expect(found('reviewer ui')).toEqual(['UI reviewer']);
    expect(found('ui-rev')).toEqual(['UI reviewer']);
    expect(found('req-1')).toEqual(['Who is the deployer?']);
    expect(found('ealt')).toEqual(['System']);
    expect(found('nothing of it')).toEqual([]);
  });

  it('keeps the order of an empty query', () => {
    expect(found('  ')).toEqual(commands.map(({ name }) => name));
  });
});
