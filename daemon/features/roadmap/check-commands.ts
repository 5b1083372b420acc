import Value from 'typebox/value';
import {
  CHECK_COMMANDS_MAX,
  CHECK_NAME_PATTERN,
  CheckCommandBody,
  type CheckCommands as CheckCommandsView,
} from '../../contract/work/roadmap.js';
import type { Bus } from '../../events/bus.js';
import { MeshError } from '../../lib/errors.js';
import type { JsonAdapter, JsonObject } from '../../storage/files/json-file.js';
import { JsonStore } from '../../storage/files/json-store.js';

type Commands = Readonly<Record<string, string>>;

const NAME = new RegExp(CHECK_NAME_PATTERN);

/**
 * The operator's commands for checking tasks, by name. They stay in the daemon's own state, where no clone can bring
 * them along, and `meshd adopt` does not take them over.
 */
export class CheckCommands {
  private readonly store: JsonStore<Commands>;

  constructor(
    file: JsonAdapter,
    private readonly bus: Bus,
  ) {
    this.store = new JsonStore<Commands>(file, { parse, stringify: (commands) => ({ ...commands }) });
  }

  load(): Promise<void> {
    return this.store.load();
  }

  find(name: string): string | undefined {
    return Object.hasOwn(this.store.data, name) ? this.store.data[name] : undefined;
  }

  list(): CheckCommandsView {
    const commands = Object.entries(this.store.data).map(([name, command]) => ({ name, command }));
    return { commands, count: commands.length };
  }

  /**
   * Sets a command. Durable when it resolves. Throws `bad_request` for a malformed name and `limit_reached` beyond 100.
   * Publishes `roadmap.updated`.
   */
  async set(name: string, command: string): Promise<CheckCommandsView> {
    if (!NAME.test(name))
      throw new MeshError(
        'bad_request',
        `"${name.slice(0, 64)}" is no name of a check: 1 to 32 small letters, digits and \`-\`, beginning ` +
          'with a letter.',
        { details: { path: 'name' } },
      );
    await this.store.update((commands) => {
      if (!Object.hasOwn(commands, name) && Object.keys(commands).length >= CHECK_COMMANDS_MAX)
        throw new MeshError('limit_reached', `There are ${CHECK_COMMANDS_MAX} check commands already: remove one.`);
      return { ...commands, [name]: command.trim() };
    });
    this.bus.publish('roadmap.updated', {});
    return this.list();
  }

  /** Removes a command. Throws `not_found`. Publishes `roadmap.updated`. */
  async remove(name: string): Promise<CheckCommandsView> {
    await this.store.update((commands) => {
      if (!Object.hasOwn(commands, name))
        throw new MeshError('not_found', `There is no check command "${name.slice(0, 64)}".`);
      const { [name]: _gone, ...rest } = commands;
      return rest;
    });
    this.bus.publish('roadmap.updated', {});
    return this.list();
  }
}

function parse(content: JsonObject | null): Commands {
  return Object.fromEntries(
    Object.entries(content ?? {}).filter(
      (entry): entry is [string, string] => NAME.test(entry[0]) && Value.Check(CheckCommandBody, { command: entry[1] }),
    ),
  );
}
