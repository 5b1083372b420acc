import type { ImportCandidate } from '../../contract/imports.js';
import type { Problem } from '../../contract/team.js';
import { idFromName } from '../../lib/agents/member-id.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { jcs } from '../../lib/crypto/jcs.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import type { FileState } from '../../storage/members/markdown-folder.js';
import { placeName } from './agent-folders.js';
import { readAgent } from './agent-reading.js';
import type { ForeignAgent, Place, Reading } from './foreign-agent.js';
import { type AgentEntry, agentEntries, ENTRY_FOLDERS, readJson } from './foreign-json.js';
import { listedNames, readMarkdownAgent } from './foreign-markdown.js';
import { readTomlAgent } from './foreign-toml.js';
import { FORMATS } from './formats.js';

/** An agent of another tool as found in a file. */
export interface FoundAgent {
  place: Place;
  /** Digest of the file's bytes, or of the entry's canonical form. */
  sha256: string;
  /** The file's text. Undefined for an entry of a file that holds several. */
  text: string | undefined;
  agent: ForeignAgent;
  reading: Reading;
  /** The id of a member created from it. */
  id: string;
}

/** A file that cannot become a member, with the reason. */
interface UnusableFile {
  place: Place;
  sha256: string;
  state: Extract<ImportCandidate['state'], 'unreadable' | 'not_a_member'>;
  reason: string;
}

export type Found = FoundAgent | UnusableFile;
export const isUsable = (found: Found): found is FoundAgent => !('state' in found);

/** Reads the prompt file that an entry refers to. Returns a Problem when it cannot be read. */
type ReadPrompt = (place: Place, reference: string) => Promise<string | Problem>;

/** Parses the file at `place` as an agent. */
export function readFile(place: Place, file: FileState): Found {
  const unusable = (state: UnusableFile['state'], reason: string): UnusableFile => ({
    place,
    sha256: file.revision,
    state,
    // A reason may quote the file.
    reason: scrubSecrets(reason),
  });
  if (file.kind !== 'text') return unusable('unreadable', file.problem.reason);
  const message = ({ line, column, reason }: Problem) =>
    unusable('unreadable', `Line ${line}, column ${column}: ${reason}`);
  if (place.format === 'codex') {
    const agent = readTomlAgent(file.text);
    if (isProblem(agent)) return message(agent);
    if (agent.body === '')
      return unusable('not_a_member', 'It has no `developer_instructions`: there is no prompt to take.');
    return usable(place, file.revision, file.text, agent, []);
  }
  const remotes = place.format === 'gemini' ? listedNames(file.text) : undefined;
  if (remotes)
    return unusable(
      'not_a_member',
      `It is a list of remote agents (${remotes.join(', ').slice(0, 200)}): keep them as contacts of the ` +
        'directory instead.',
    );
  const agent = readMarkdownAgent(file.text);
  if (isProblem(agent)) return message(agent);
  const format = FORMATS[place.format];
  if (!agent.hasFrontmatter && !(format.isBodyEnough && !/(?:^|\/)(?:README|AGENTS|CLAUDE)\.md$/i.test(place.path)))
    return unusable('not_a_member', 'It has no frontmatter, so it is a text beside the agents and none itself.');
  const refused = format.refuses?.(agent.data);
  if (refused !== undefined) return unusable('not_a_member', refused);
  return usable(place, file.revision, file.text, agent, agent.notes);
}

/** Parses a file that holds several agents, and returns each entry separately. */
export async function readEntries(
  file: Omit<Place, 'entry'>,
  state: FileState,
  readPrompt: ReadPrompt,
): Promise<Found[]> {
  const whole = { ...file, entry: null };
  if (state.kind !== 'text')
    return [{ place: whole, sha256: state.revision, state: 'unreadable', reason: state.problem.reason }];
  const json = readJson(state.text);
  if (isProblem(json)) {
    const reason = `Line ${json.line}, column ${json.column}: ${json.reason}`;
    return [{ place: whole, sha256: state.revision, state: 'unreadable', reason }];
  }
  return Promise.all(
    agentEntries(json.value).map((entry) => readEntry({ ...file, entry: entry.id }, entry, readPrompt)),
  );
}

const REFERENCE = /^\s*\{file:([^}]*)\}\s*$/;

async function readEntry(place: Place, { data, folder }: AgentEntry, readPrompt: ReadPrompt): Promise<Found> {
  const sha256 = sha256Hex(jcs(data));
  const key = ENTRY_FOLDERS[folder];
  const { [key]: prompt, ...others } = data;
  if (prompt !== undefined && typeof prompt !== 'string')
    return { place, sha256, state: 'unreadable', reason: `\`${key}\` must be a text.` };
  if (prompt === undefined) {
    return {
      place,
      sha256,
      state: 'not_a_member',
      reason: `It has no \`${key}\`: it only changes settings of an agent that the tool brings along.`,
    };
  }
  const reference = REFERENCE.exec(prompt)?.[1]?.trim();
  if (reference === undefined) return usable(place, sha256, undefined, { data: others, body: prompt }, []);
  const body = await readPrompt(place, reference);
  if (typeof body !== 'string')
    return { place, sha256, state: 'unreadable', reason: `The prompt in ${reference.slice(0, 200)}: ${body.reason}` };
  // The prompt remains a file reference while the body is unchanged.
  return usable(place, sha256Hex(sha256 + body), undefined, { data, body }, [
    `The prompt is that of ${reference.slice(0, 200)}.`,
  ]);
}

function usable(
  place: Place,
  sha256: string,
  text: string | undefined,
  agent: ForeignAgent,
  notes: readonly string[],
): FoundAgent {
  const format = FORMATS[place.format];
  const reading = readAgent(format, agent);
  const named = format.idKey === undefined ? undefined : agent.data[format.idKey];
  const name = typeof named === 'string' && named.trim() !== '' ? named : placeName(place);
  return {
    place,
    sha256,
    text,
    agent,
    reading: { ...reading, notes: [...notes, ...reading.notes] },
    id: idFromName(name),
  };
}
