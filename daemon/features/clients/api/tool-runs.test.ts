import { expect, it } from 'vitest';
import { MeshError } from '../../../lib/errors.js';
import { FakeClock } from '../../../testing/fake-clock.js';
import { type ApiTool, Fields } from './tool.js';
import { ToolRuns } from './tool-runs.js';

const input = new Fields({});
const signal = new AbortController().signal;
const aTool = (run: ApiTool['run']): ApiTool => ({
  name: 'look',
  description: 'Looks.',
  schema: { type: 'object', properties: {}, required: [], additionalProperties: false },
  target: () => '',
  run,
});

it('a call gets its input and signal, and gives its output', async () => {
  const given: unknown[] = [];
  const tool = aTool(async (...all) => {
    given.push(...all);
    return 'Seen.';
  });
  expect(await new ToolRuns(new FakeClock()).run(tool, input, signal)).toBe('Seen.');
  expect(given).toEqual([input, signal]);
});

it('a turn that has had 1 MiB of outputs gets no more', async () => {
  const runs = new ToolRuns(new FakeClock());
  const say = (chars: number) =>
    runs.run(
      aTool(async () => 'x'.repeat(chars)),
      input,
      signal,
    );
  await say(1024 * 1024);
  expect(await say(1)).toBe('x');
  await expect(say(1)).rejects.toMatchObject({
    code: 'too_large',
    message: 'There is no room for more in this turn: answer from what you have read.',
  });
});

it('an error with advice reaches the model, and any other says nothing of this machine', async () => {
  const runs = new ToolRuns(new FakeClock());
  const failing = (error: unknown) =>
    runs.run(
      aTool(() => Promise.reject(error)),
      input,
      signal,
    );
  const advice = new MeshError('bad_request', 'Give a path.');
  await expect(failing(advice)).rejects.toBe(advice);
  await expect(failing(new Error('ENOENT /home/me'))).rejects.toThrow(
    /^`look` failed for a reason of its own: go on without it\.$/,
  );
});

it('a call that fails as the turn is stopped throws the reason of the stop', async () => {
  const stopped = AbortSignal.abort(new Error('stopped'));
  const tool = aTool(() => Promise.reject(new MeshError('bad_request', 'Give a path.')));
  await expect(new ToolRuns(new FakeClock()).run(tool, input, stopped)).rejects.toThrow('stopped');
});

it('no call outlives the turn, whether it fails or not', async () => {
  const runs = new ToolRuns(new FakeClock());
  const settle: (() => void)[] = [];
  const held = (fails: boolean) =>
    aTool(
      () =>
        new Promise((resolve, reject) => {
          settle.push(() => (fails ? reject(new Error('no')) : resolve('yes')));
        }),
    );
  const calls = [runs.run(held(false), input, signal), runs.run(held(true), input, signal)];
  let isOver = false;
  const ended = runs.ended().then(() => {
    isOver = true;
  });
  const moment = () => new Promise((resolve) => setImmediate(resolve));
  for (const end of settle) {
    await moment();
    expect(isOver).toBe(false);
    end();
  }
  await ended;
  expect((await Promise.allSettled(calls)).map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
  await runs.ended();
});

it('the time of a turn is that of its clock', () => {
  const clock = new FakeClock();
  const runs = new ToolRuns(clock);
  clock.advance(7);
  expect(runs.elapsed()).toBe(7);
});
