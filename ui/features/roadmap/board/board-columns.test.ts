import { expect, it } from 'vitest';
import type { RoadmapTask } from '../../../../daemon/contract/work/roadmap.js';
import { findNeighbour, findNextState } from './board-columns.js';

const task = (id: string, state: RoadmapTask['state']) => ({ id, state }) as RoadmapTask;

it('a task moves between open, done and blocked; a running one stays', () => {
  expect(findNextState('open', 1)).toBe('done');
  expect(findNextState('done', 1)).toBe('blocked');
  expect(findNextState('blocked', 1)).toBeUndefined();
  expect(findNextState('blocked', -1)).toBe('done');
  expect(findNextState('open', -1)).toBeUndefined();
  expect(findNextState('running', 1)).toBeUndefined();
});

it('arrows lead to the next card of the column, and sideways over empty columns to one at the same height', () => {
  const tasks = [task('a', 'open'), task('d', 'done'), task('b', 'open'), task('c', 'open'), task('e', 'done')];
  const from = (id: string) => (key: string) => findNeighbour(tasks, id, key);
  expect(['ArrowDown', 'ArrowUp', 'ArrowRight', 'ArrowLeft'].map(from('b'))).toEqual(['c', 'a', 'e', undefined]);
  expect(from('c')('ArrowRight')).toBe('e');
  expect(from('c')('ArrowDown')).toBeUndefined();
  expect(from('d')('ArrowLeft')).toBe('a');
  expect(findNeighbour([...tasks, task('f', 'blocked')], 'f', 'ArrowLeft')).toBe('d');
});
