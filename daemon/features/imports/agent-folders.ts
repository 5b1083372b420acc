import type { AgentFormat, ImportScope } from '../../contract/imports.js';
import type { Place } from './foreign-agent.js';

/** A folder in which a tool stores agents. */
interface AgentFolder {
  format: AgentFormat;
  scope: ImportScope;
  folder: string;
  endings: readonly string[];
  /** Whether subfolders are searched as well. */
  isDeep: boolean;
}

const folders = (
  format: AgentFormat,
  scope: ImportScope,
  names: readonly string[],
  ending: string,
  isDeep: boolean,
): AgentFolder[] => names.map((folder) => ({ format, scope, folder, endings: [ending], isDeep }));

/** All folders that are searched, in the order in which the results are listed. */
export const AGENT_FOLDERS: readonly AgentFolder[] = [
  ...folders('claude', 'project', ['.claude/agents'], '.md', true),
  ...folders('copilot', 'project', ['.github/agents'], '.md', false),
  ...folders('opencode', 'project', ['.opencode/agent', '.opencode/agents'], '.md', true),
  ...folders('opencode', 'project', ['.opencode/mode', '.opencode/modes'], '.md', false),
  ...folders('gemini', 'project', ['.gemini/agents'], '.md', false),
  ...folders('codex', 'project', ['.codex/agents'], '.toml', true),
  ...folders('cursor', 'project', ['.cursor/agents'], '.md', false),
  ...folders('claude', 'user', ['.claude/agents'], '.md', true),
  ...folders('copilot', 'user', ['.copilot/agents'], '.md', false),
  ...folders('opencode', 'user', ['.config/opencode/agent', '.config/opencode/agents'], '.md', true),
  ...folders('opencode', 'user', ['.config/opencode/mode', '.config/opencode/modes'], '.md', false),
  ...folders('gemini', 'user', ['.gemini/agents'], '.md', false),
  ...folders('codex', 'user', ['.codex/agents'], '.toml', true),
  ...folders('cursor', 'user', ['.cursor/agents'], '.md', false),
];

const CONFIGURATIONS: Readonly<Record<ImportScope, readonly string[]>> = {
  project: ['opencode.json', 'opencode.jsonc', '.opencode/opencode.json', '.opencode/opencode.jsonc'],
  user: ['.config/opencode/opencode.json', '.config/opencode/opencode.jsonc'],
};

/** Configuration files that define several agents, one per entry. */
export const entryFiles = (scope: ImportScope): readonly string[] => CONFIGURATIONS[scope];

/** Returns the agent folder that contains the file, or undefined for any other path, which is never opened. */
export function findAgentFolder({
  format,
  scope,
  path,
}: Pick<Place, 'format' | 'scope' | 'path'>): AgentFolder | undefined {
  return AGENT_FOLDERS.find(
    (one) =>
      one.format === format &&
      one.scope === scope &&
      path.startsWith(`${one.folder}/`) &&
      one.endings.some((ending) => path.endsWith(ending)) &&
      (one.isDeep || !path.slice(one.folder.length + 1).includes('/')),
  );
}

/** Whether agents can be at this place at all. The origin in a member file is untrusted until this check. */
export function isAgentPlace(place: Place): boolean {
  if (place.entry !== null) return place.format === 'opencode' && entryFiles(place.scope).includes(place.path);
  return findAgentFolder(place) !== undefined;
}

/** Returns the agent's name at this place: its entry, or its path below the tool's folder without the extension. */
export function placeName(place: Place): string {
  if (place.entry !== null) return place.entry;
  const below = place.path.slice((findAgentFolder(place)?.folder.length ?? -1) + 1);
  const name = below.replace(/\.agent\.md$/, '').replace(/\.(?:md|toml)$/, '');
  // opencode names an agent by its whole path. The other tools use only the file name.
  return place.format === 'opencode' ? name : name.slice(name.lastIndexOf('/') + 1);
}

const NEW_FILES: Readonly<Record<AgentFormat, (id: string) => string>> = {
  claude: (id) => `.claude/agents/${id}.md`,
  copilot: (id) => `.github/agents/${id}.agent.md`,
  opencode: (id) => `.opencode/agent/${id}.md`,
  gemini: (id) => `.gemini/agents/${id}.md`,
  codex: (id) => `.codex/agents/${id}.toml`,
  cursor: (id) => `.cursor/agents/${id}.md`,
};

/** Returns the path of an export: the origin if it is in the project, else its counterpart there, else a new file. */
export function exportPlace(format: AgentFormat, id: string, origin: Place | undefined): Place {
  if (origin?.format === format && isAgentPlace(origin)) {
    if (origin.scope === 'project') return origin;
    const folder = findAgentFolder(origin);
    const home = AGENT_FOLDERS.find((one) => one.format === format && one.scope === 'project');
    if (folder && home)
      return { format, scope: 'project', path: home.folder + origin.path.slice(folder.folder.length), entry: null };
    if (origin.entry !== null) return { format, scope: 'project', path: `.opencode/agent/${id}.md`, entry: null };
  }
  return { format, scope: 'project', path: NEW_FILES[format](id), entry: null };
}

/** Formats a place as it appears in the API. */
export const formatSource = ({ scope, path }: Pick<Place, 'scope' | 'path'>) => (scope === 'user' ? `~/${path}` : path);
