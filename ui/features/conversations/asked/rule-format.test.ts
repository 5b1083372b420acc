import { expect, it } from 'vitest';
import { formatRule, formatScope, formatUses } from './rule-format.js';

it('says what a rule allows, where, and how often it did', () => {
  expect([
    formatRule({ match: 'command', value: 'npm ci' }),
    formatRule({ match: 'command_prefix', value: 'npm run' }),
    formatRule({ match: 'file', value: 'src/a.ts' }),
    formatRule({ match: 'folder', value: 'src' }),
    formatRule({ match: 'folder', value: '' }),
    formatRule({ match: 'origin', value: 'GET https://a.example' }),
    formatRule({ match: 'tool', value: 'WebSearch' }),
  ]).toEqual([
    'exactly npm ci',
    'commands that begin with npm run',
    'changes of src/a.ts',
    'changes below src/',
    'changes of any file of the project',
    'GET https://a.example',
    'every use of WebSearch',
  ]);
  expect([formatScope('member', 'Ada'), formatScope('conversation', 'Ada')]).toEqual([
    'in all conversations of Ada',
    'in this conversation',
  ]);
  expect([0, 1, 2].map((uses) => formatUses({ uses }))).toEqual(['not used yet', 'used once', 'used 2 times']);
});
