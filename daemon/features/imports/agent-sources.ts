import type { AgentFormat, ImportScope } from '../../contract/imports.js';
import type { Problem } from '../../contract/team.js';
import { MeshError } from '../../lib/errors.js';
import { type AgentFiles, isPlainPath } from '../../storage/members/agent-files.js';
import { AGENT_FOLDERS, entryFiles, isAgentPlace } from './agent-folders.js';
import type { Place } from './foreign-agent.js';
import { type Found, readEntries, readFile } from './found-agents.js';

/** The result of a search. `leftOut` counts the files beyond the limit. */
interface AgentSearch {
  found: Found[];
  leftOut: number;
}

const PROMPT_FILE = /\.(?:md|markdown|txt|prompt)$/i;

/** Finds the agents of other tools in this project and, only on request, in the operator's home folder. */
export class AgentSources {
  /** `home` is undefined where there is no home folder. */
  constructor(
    private readonly project: AgentFiles,
    private readonly home: AgentFiles | undefined,
  ) {}

  /** Whether the scope has a folder to search. */
  reaches(scope: ImportScope): boolean {
    return scope === 'project' || this.home !== undefined;
  }

  /**
   * Returns all agents of `scope`, at most `max`, in the order of the folders, then by path. Throws `bad_request` where
   * there is no home folder.
   */
  async look(scope: ImportScope, format: AgentFormat | undefined, max: number): Promise<AgentSearch> {
    const files = this.listFiles(scope);
    const found: Found[] = [];
    let leftOut = 0;
    for (const folder of AGENT_FOLDERS.filter(
      (one) => one.scope === scope && (format === undefined || one.format === format),
    )) {
      const place = { format: folder.format, scope, entry: null };
      const { paths, refused } = await files.list(folder.folder, folder.endings, folder.isDeep);
      for (const { path, reason } of refused)
        found.push({ place: { ...place, path }, sha256: '', state: 'unreadable', reason });
      for (const path of paths) {
        if (found.length >= max) {
          leftOut += 1;
          continue;
        }
        const state = await files.read(path);
        if (state) found.push(readFile({ ...place, path }, state));
      }
    }
    if (format === undefined || format === 'opencode') found.push(...(await this.listEntries(scope)));
    return { found: found.slice(0, max), leftOut: leftOut + Math.max(0, found.length - max) };
  }

  /** Reads the agent at one place. Returns undefined when it does not exist or agents cannot be at this place. */
  async find(place: Place): Promise<Found | undefined> {
    if (!isPlainPath(place.path) || !isAgentPlace(place)) return undefined;
    const files = this.listFiles(place.scope);
    const state = await files.read(place.path);
    if (!state) return undefined;
    if (place.entry === null) return readFile(place, state);
    const entries = await readEntries(place, state, (of, reference) => this.readPrompt(of, reference));
    return entries.find((one) => one.place.entry === place.entry || one.place.entry === null);
  }

  private async listEntries(scope: ImportScope): Promise<Found[]> {
    const found: Found[] = [];
    for (const path of entryFiles(scope)) {
      const state = await this.listFiles(scope).read(path);
      if (!state) continue;
      found.push(
        ...(await readEntries({ format: 'opencode', scope, path }, state, (of, reference) =>
          this.readPrompt(of, reference),
        )),
      );
    }
    return found;
  }

  /**
   * Reads the prompt that an entry stores in a separate file. The path is untrusted: it must be below the folder of the
   * configuration and have a text file extension, so that no key or setting of the machine becomes a prompt.
   */
  private async readPrompt({ scope, path }: Place, reference: string): Promise<string | Problem> {
    const below = path.slice(0, path.lastIndexOf('/') + 1);
    const target = below + reference.replace(/^(?:\.\/)+/, '');
    if (
      !isPlainPath(target) ||
      !PROMPT_FILE.test(target) ||
      target.split('/').some((part) => part.startsWith('.') && !below.includes(`${part}/`))
    )
      return {
        line: 1,
        column: 1,
        reason: 'It must be a .md or .txt file beside the configuration or below it: nothing else is read.',
      };
    const state = await this.listFiles(scope).read(target);
    if (!state) return { line: 1, column: 1, reason: 'There is no such file.' };
    return state.kind === 'text' ? state.text : state.problem;
  }

  private listFiles(scope: ImportScope): AgentFiles {
    const files = scope === 'user' ? this.home : this.project;
    if (files) return files;
    throw new MeshError(
      'bad_request',
      'This daemon was started without a home folder (HOME): import from the project instead.',
      {
        details: { path: 'scope' },
      },
    );
  }
}
