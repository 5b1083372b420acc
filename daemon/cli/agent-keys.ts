import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { Surface } from '../contract/agents.js';
import { agentKey } from '../lib/agent-id.js';
import { CommandFailure, EXIT } from './exit-codes.js';

/** What opens one registration. */
export interface AgentKey {
  agent_id: string;
  api_key: string;
}

type Keys = Partial<Record<Surface, AgentKey>>;

/**
 * The keys of the agents that were registered from this command line, one file of the project that only its owner can read. Throws `forbidden` when
 * something else stands in the file's place, `damaged` when it is not what it should be; it is never overwritten then, and no message quotes it.
 */
export class AgentKeys {
  readonly path: string;
  private readonly folder: string;

  constructor(root: string) {
    this.folder = join(root, '.mesh', 'credentials');
    this.path = join(this.folder, 'agents.json');
  }

  find(agentId: string): Keys {
    return this.read().get(agentKey(agentId)) ?? {};
  }

  /** Ids of which there is a key. */
  ids(): string[] {
    return [...this.read().values()].flatMap((keys) => (keys.hub ?? keys.v1)?.agent_id ?? []);
  }

  put(surface: Surface, key: AgentKey): void {
    const all = this.read();
    const id = agentKey(key.agent_id);
    all.set(id, { ...all.get(id), [surface]: key });
    this.write(all);
  }

  drop(agentId: string, surface: Surface): void {
    const all = this.read();
    const id = agentKey(agentId);
    const { [surface]: _, ...others } = all.get(id) ?? {};
    if (Object.keys(others).length === 0) all.delete(id);
    else all.set(id, others);
    this.write(all);
  }

  private read(): Map<string, Keys> {
    let text: string;
    try {
      const file = openSync(this.path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
      try {
        const { uid, mode } = fstatSync(file);
        if (process.getuid !== undefined && uid !== process.getuid()) throw this.notOurs();
        if ((mode & 0o077) !== 0) chmodSync(this.path, 0o600);
        text = readFileSync(file, 'utf8');
      } finally {
        closeSync(file);
      }
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === 'ENOENT') return new Map();
      if (code === 'ELOOP' || code === 'EISDIR') throw this.notOurs();
      throw error;
    }
    return this.parse(text);
  }

  private parse(text: string): Map<string, Keys> {
    try {
      const entries = Object.entries(JSON.parse(text) as Record<string, Keys>);
      for (const [, keys] of entries) {
        for (const key of Object.values(keys))
          if (typeof key.agent_id !== 'string' || typeof key.api_key !== 'string') throw new TypeError();
      }
      return new Map(entries);
    } catch {
      // The parser's own message quotes the text, which is secret.
      throw new CommandFailure(EXIT.failed, `${this.path} is damaged: mend it, or remove it to start it anew.`, 'damaged');
    }
  }

  /** Old content or new, never a part, and never readable by others. */
  private write(all: Map<string, Keys>): void {
    const found = lstatSync(this.folder, { throwIfNoEntry: false });
    if (!found?.isDirectory())
      throw new CommandFailure(EXIT.refused, `${this.folder} must be a folder of this project, not a link: mend it.`, 'forbidden');
    const temporary = join(this.folder, `.${randomBytes(8).toString('hex')}.tmp`);
    const file = openSync(temporary, constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW, 0o600);
    try {
      writeSync(file, `${JSON.stringify(Object.fromEntries(all), null, 2)}\n`);
      fsyncSync(file);
      closeSync(file);
      renameSync(temporary, this.path);
    } catch (error) {
      unlinkSync(temporary);
      throw error;
    }
  }

  private notOurs(): CommandFailure {
    return new CommandFailure(EXIT.refused, `${this.path} must be a file of yours, not a link: remove it.`, 'forbidden');
  }
}
