// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { RestorableDefaults } from './restorable.js';

removeAfterEach();

it.each([
  [['a'], ['Restore a']],
  [
    ['a', 'b', 'c'],
    ['Restore a', 'Restore b', 'Restore c'],
  ],
  [['a', 'b', 'c', 'd'], ['Restore all 4']],
  [[], []],
])('offers to restore the default members %j by %j', async (ids, buttons) => {
  stubDaemon();
  expect((await drawPart(<RestorableDefaults ids={ids} />)).buttons()).toEqual(buttons);
});
