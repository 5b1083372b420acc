import { expect, it } from 'vitest';
import { isSince, turnCost } from './agent-program-cost.js';

it.each([
  ['2.1.9', true],
  ['2.1.10', true],
  ['2.1.8', false],
  ['2.2.0', true],
  ['2.10.0', true],
  ['2.0.99', false],
  ['3.0.0', true],
  ['10.0.0', true],
  ['1.99.99', false],
  ['2.1.9-beta.1', true],
  ['2.1.9 (Claude Code)', true],
  ['v2.1.9', false],
  [' 2.1.9', false],
  ['2.1', false],
  ['2.1.', false],
  ['2a1b9', false],
  ['', false],
  ['unknown', false],
  ['9999999999.0.0', false],
])('the version %j is 2.1.9 or newer: %j', (version, isNewer) => {
  expect(isSince(version, [2, 1, 9])).toBe(isNewer);
});

it.each([
  [0.5, 0.3, 0.2],
  [0.3, 0.1, 0.2],
  [0.5, 0.5, 0],
  [0.5, 0, 0.5],
  // The counter has begun anew.
  [0.5, 0.6, 0.5],
  [0, 0.6, 0],
])('a session that has cost $%s, and $%s before the turn, has cost $%s in it', (total, before, cost) => {
  expect(turnCost(total, before)).toBe(cost);
});
