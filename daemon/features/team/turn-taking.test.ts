import { expect, it } from 'vitest';
import { TurnTaking } from './turn-taking.js';

/** Work that notes when it starts, and ends when the test says so. */
function works() {
  const started: string[] = [];
  const end = new Map<string, { well: () => void; badly: () => void }>();
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve, reject) =>
      end.set(name, { well: () => resolve(name), badly: () => reject(new Error(name)) }),
    );
  };
  return { started, end, work };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

it('work of one key runs in the order of the calls, and other keys do not wait for it', async () => {
  const turns = new TurnTaking();
  const { started, end, work } = works();
  const [one, two] = [turns.take('a', work('one')), turns.take('a', work('two'))];
  const other = turns.take('b', work('other'));
  await settle();
  expect(started).toEqual(['one', 'other']);
  end.get('one')?.well();
  expect(await one).toBe('one');
  await settle();
  expect(started).toEqual(['one', 'other', 'two']);
  end.get('two')?.well();
  end.get('other')?.well();
  expect(await Promise.all([two, other])).toEqual(['two', 'other']);
  const late = turns.take('a', work('late'));
  await settle();
  end.get('late')?.well();
  expect(await late).toBe('late');
});

it('work that fails fails its own caller only', async () => {
  const turns = new TurnTaking();
  const { end, work } = works();
  const one = turns.take('a', work('one'));
  const two = turns.take('a', work('two'));
  await settle();
  end.get('one')?.badly();
  await expect(one).rejects.toThrow('one');
  await settle();
  end.get('two')?.well();
  expect(await two).toBe('two');
});

it('is idle when all work has ended, well or badly, and the first of a key does not pass the second', async () => {
  const turns = new TurnTaking();
  await turns.idle();
  const { started, end, work } = works();
  const one = turns.take('a', work('one')).catch(() => 'failed');
  const two = turns.take('a', work('two'));
  let isIdle = false;
  const idle = turns.idle().then(() => {
    isIdle = true;
  });
  await settle();
  end.get('one')?.badly();
  expect(await one).toBe('failed');
  await settle();
  expect([isIdle, started]).toEqual([false, ['one', 'two']]);
  // The end of the first must not free the key that the second still holds.
  const three = turns.take('a', work('three'));
  await settle();
  expect(started).toEqual(['one', 'two']);
  end.get('two')?.well();
  await two;
  await idle;
  await settle();
  end.get('three')?.well();
  expect(await three).toBe('three');
});
