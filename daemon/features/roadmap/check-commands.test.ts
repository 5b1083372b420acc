import { describe, expect, it } from 'vitest';
import { Bus } from '../../events/bus.js';
import type { JsonObject } from '../../storage/files/json-file.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { CheckCommands } from './check-commands.js';

/** The commands of a file with this content, what the file holds now, and the events that were published. */
async function commandsIn(content: JsonObject | null = null) {
  const file = { content };
  const bus = new Bus(new FakeClock());
  const events: string[] = [];
  bus.watch(({ type }) => events.push(type));
  const commands = new CheckCommands(
    { read: async () => file.content, write: async (value) => void Object.assign(file, { content: value }) },
    bus,
  );
  await commands.load();
  return { commands, file, events };
}

describe('The commands that tasks are checked with', () => {
  it('are set, replaced and removed, each time in the file and with an event', async () => {
    const { commands, file, events } = await commandsIn();
    expect(commands.list()).toEqual({ commands: [], count: 0 });
    expect(await commands.set('ok', ' npm test\t')).toEqual({
      commands: [{ name: 'ok', command: 'npm test' }],
      count: 1,
    });
    await commands.set('other', 'true');
    await commands.set('ok', 'npm run check');
    expect(file.content).toEqual({ ok: 'npm run check', other: 'true' });
    expect([commands.find('ok'), commands.find('none')]).toEqual(['npm run check', undefined]);
    expect(await commands.remove('ok')).toEqual({ commands: [{ name: 'other', command: 'true' }], count: 1 });
    expect([commands.find('ok'), file.content]).toEqual([undefined, { other: 'true' }]);
    expect(events).toEqual(Array.from({ length: 4 }, () => 'roadmap.updated'));
  });

  it('are none that every object has', async () => {
    const { commands } = await commandsIn();
    expect(commands.find('constructor')).toBeUndefined();
    await expect(commands.remove('constructor')).rejects.toMatchObject({ code: 'not_found' });
    await commands.set('constructor', 'true');
    expect(commands.find('constructor')).toBe('true');
  });

  it.each([[''], ['Ok'], ['9ok'], ['a b'], ['ok!'], ['a'.repeat(33)]])(
    'have no name like %j, and nothing is written',
    async (name) => {
      const { commands, file, events } = await commandsIn();
      await expect(commands.set(name, 'true')).rejects.toMatchObject({
        code: 'bad_request',
        message: `"${name}" is no name of a check: 1 to 32 small letters, digits and \`-\`, beginning with a letter.`,
        details: { path: 'name' },
      });
      expect([file.content, events]).toEqual([null, []]);
    },
  );

  it('that are not there cannot be removed; a long name is cut in what is said', async () => {
    const { commands, events } = await commandsIn();
    await expect(commands.remove('a'.repeat(65))).rejects.toMatchObject({
      code: 'not_found',
      message: `There is no check command "${'a'.repeat(64)}".`,
    });
    await expect(commands.set('A'.repeat(65), 'true')).rejects.toThrow(`"${'A'.repeat(64)}" is no name`);
    expect(events).toEqual([]);
  });

  it('are one hundred at most; those can still be replaced', async () => {
    const content = Object.fromEntries(Array.from({ length: 99 }, (_, at) => [`c${at}`, 'true']));
    const { commands } = await commandsIn(content);
    expect((await commands.set('last', 'true')).count).toBe(100);
    await expect(commands.set('more', 'true')).rejects.toMatchObject({
      code: 'limit_reached',
      message: 'There are 100 check commands already: remove one.',
    });
    expect(await commands.set('c0', 'false')).toMatchObject({ count: 100, commands: { 0: { command: 'false' } } });
  });

  it('leave out what the file holds beside them', async () => {
    const wrong = { Name: 'true', empty: '', number: 7, lines: 'a\nb', long: 'x'.repeat(2_001) };
    const { commands } = await commandsIn({ ok: 'true', ...wrong });
    expect(commands.list()).toEqual({ commands: [{ name: 'ok', command: 'true' }], count: 1 });
  });
});
