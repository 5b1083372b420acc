import { isDeepStrictEqual } from 'node:util';
import type { Loss } from '../../contract/imports.js';
import { nameFromId } from '../../lib/agents/member-id.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { MeshError } from '../../lib/errors.js';
import { isObject } from '../../lib/is-object.js';
import { isProblem } from '../../storage/members/frontmatter.js';
import { inOrder, listLosses, writeKeys } from './agent-writing.js';
import type { Data, Place } from './foreign-agent.js';
import { agentEntries, ENTRY_FOLDERS, type EntryFolder, readJson } from './foreign-json.js';
import { editedMarkdownAgent, markdownAgentText, readMarkdownAgent } from './foreign-markdown.js';
import { readTomlAgent, tomlAgentText } from './foreign-toml.js';
import { FORMATS, type Format } from './formats.js';
import { isAsImported, type MemberContent, vendorIn } from './imported-member.js';
import { shortened } from './key-rules.js';

const DESCRIPTION_MAX_CHARS = 400;

/** A member in the format of another tool. */
interface AgentText {
  content: string;
  losses: Loss[];
}

/**
 * Writes the file of another tool for a member. Starts from the data that an import kept for that tool and applies the
 * member's own keys. Where the source's bytes were kept (`original`), changes only what differs, and nothing when
 * nothing differs. `current` is the file of several agents into which an entry is written. Throws `bad_request` when
 * that file cannot be parsed.
 */
export function writeAgent(
  id: string,
  member: MemberContent,
  place: Place,
  original: string | undefined,
  current: string | undefined,
): AgentText {
  const format = FORMATS[place.format];
  const isReturning = member.origin?.format === place.format;
  const vendor = vendorIn(member.all, place.format);
  const folder = place.entry === null ? undefined : findEntryFolder(place.entry, vendor, current);
  const returned = writeKeys(format, member.keys, folder === undefined ? vendor : { ...FORM_OF[folder], ...vendor });
  const data = inOrder(format, isReturning ? returned : withRequired(format, id, member, returned));
  const written = { content: '', losses: [] as Loss[] };
  if (place.entry !== null && folder !== undefined)
    written.content = withEntry(place.entry, folder, getEntry(data, folder, member), current);
  // Today's rules may read the source differently from those of the version that imported it.
  else if (original !== undefined && isReturning && member.origin?.redacted !== true && isAsImported(member))
    written.content = original;
  else if (place.format === 'codex') Object.assign(written, tomlText(data, member.body, original));
  else written.content = markdownText(data, member, original);
  return {
    content: written.content,
    losses: [...written.losses, ...listLosses(format, id, member, data), ...listOtherLosses(format, member)],
  };
}

function markdownText(data: Data, { body, origin }: MemberContent, original: string | undefined): string {
  const agent = original === undefined ? undefined : readMarkdownAgent(original);
  if (agent && !isProblem(agent)) {
    if (agent.body === body && isDeepStrictEqual(agent.data, data)) return original as string;
    const edited = editedMarkdownAgent(agent, data, body);
    if (edited !== undefined) return edited;
  }
  return markdownAgentText(data, body, origin?.tight === true);
}

function tomlText(data: Data, body: string, original: string | undefined): AgentText {
  const agent = original === undefined ? undefined : readTomlAgent(original);
  if (!agent || isProblem(agent)) return { content: tomlAgentText(data, body), losses: [] };
  if (agent.body === body && isDeepStrictEqual(agent.data, data)) return { content: original as string, losses: [] };
  const hasComments = /^[ \t]*#/m.test(original as string);
  return {
    content: tomlAgentText(data, body),
    losses: hasComments
      ? [{ key: 'comments', why: 'The comments of the TOML file are not kept once the member was edited.' }]
      : [],
  };
}

/** Adds the keys that the tool requires and the member does not have. */
function withRequired(format: Format, id: string, { all, body }: MemberContent, data: Data): Data {
  const name = format.idKey !== undefined && data[format.idKey] === undefined ? { [format.idKey]: id } : {};
  const isMissing = format.needsDescription && data['description'] === undefined;
  const shownName = typeof all['name'] === 'string' ? all['name'] : nameFromId(id);
  return { ...data, ...name, ...(isMissing && { description: firstSentence(body) || shownName }) };
}

/** Returns the first sentence of a prompt after its headings. Empty when there is none. */
function firstSentence(body: string): string {
  const line = body
    .split(/\r?\n/)
    .map((one) => one.trim())
    .find((one) => one !== '' && !/^(?:#|---|```|<)/.test(one));
  const sentence = /^.*?[.!?](?=\s|$)/.exec(line ?? '')?.[0] ?? line ?? '';
  return shortened(sentence, DESCRIPTION_MAX_CHARS);
}

function listOtherLosses(format: Format, { body, origin }: MemberContent): Loss[] {
  const losses: Loss[] = [];
  if (format.bodyMaxChars !== undefined && body.length > format.bodyMaxChars)
    losses.push({
      key: 'body',
      why: `${format.tool} reads ${format.bodyMaxChars} characters of a prompt; this one has ${body.length}.`,
    });
  if (origin?.format === format.format && origin.redacted)
    losses.push({
      key: 'secrets',
      why: 'Inline secrets were not imported: set the variables that stand in their place.',
    });
  return losses;
}

/** What an entry has at least, so that its keys are written in the form that counts there. */
const FORM_OF: Readonly<Record<EntryFolder, Data>> = { agent: { prompt: '' }, agents: { permissions: [] } };

/** Returns the key of a configuration below which the agent `entry` is, or is to be written. */
function findEntryFolder(entry: string, vendor: Data, text: string | undefined): EntryFolder {
  const json = readJson(text ?? '{}');
  const value = !isProblem(json) && isObject(json.value) ? json.value : {};
  const standing = agentEntries(value).find(({ id }) => id === entry);
  if (standing) return standing.folder;
  const isNewer = Array.isArray(vendor['permissions']) || (isObject(value['agents']) && value['agent'] === undefined);
  return isNewer ? 'agents' : 'agent';
}

/**
 * Returns the entry's value. The prompt stays a file reference while the body equals the prompt read from that file.
 */
function getEntry(data: Data, folder: EntryFolder, { body, origin }: MemberContent): Data {
  const key = ENTRY_FOLDERS[folder];
  const { [key]: prompt, ...others } = data;
  const isReference =
    typeof prompt === 'string' && /^\s*\{file:[^}]*\}\s*$/.test(prompt) && sha256Hex(body) === origin?.body_sha256;
  return isReference ? data : { ...others, [key]: body };
}

/** Returns the configuration `text` with the agent `entry` set to `value`. All other bytes are unchanged. */
function withEntry(entry: string, folder: EntryFolder, value: Data, text: string | undefined): string {
  const { permissions, ...others } = value;
  // An empty list says nothing, and the file may have none.
  const isWithoutRules = Array.isArray(permissions) && permissions.length === 0;
  const shown = isWithoutRules ? others : value;
  if (text === undefined) {
    const agents = Object.fromEntries([[entry, shown]]);
    return `${JSON.stringify({ $schema: 'https://opencode.ai/config.json', [folder]: agents }, null, 2)}\n`;
  }
  const json = readJson(text);
  if (isProblem(json)) {
    throw new MeshError(
      'bad_request',
      `The configuration cannot be read at line ${json.line}, column ${json.column}: ${json.reason}`,
      {
        details: { problem: json },
      },
    );
  }
  const standing = agentEntries(json.value).find(({ id }) => id === entry);
  if (standing && isDeepStrictEqual(standing.data, value)) return text;
  const place = json.findRange([folder, entry]);
  if (place) return text.slice(0, place.start) + indented(shown, '    ') + text.slice(place.end);
  const key = JSON.stringify(entry);
  const agents = json.findRange([folder]);
  if (agents && text[agents.start] === '{')
    return inserted(text, agents, `    ${key}: ${indented(shown, '    ')}`, '  ');
  const root = json.findRange([]);
  if (!agents && root && text[root.start] === '{')
    return inserted(text, root, `  "${folder}": {\n    ${key}: ${indented(shown, '    ')}\n  }`, '');
  throw new MeshError('bad_request', `The configuration must be an object, with an object under \`${folder}\`.`);
}

function inserted(text: string, { start, end }: { start: number; end: number }, line: string, indent: string): string {
  const rest = text.slice(start + 1);
  const isEmpty = /^\s*$/.test(text.slice(start + 1, end - 1));
  return `${text.slice(0, start + 1)}\n${line}${isEmpty ? `\n${indent}${rest.trimStart()}` : `,${rest}`}`;
}

const indented = (value: unknown, indent: string) => JSON.stringify(value, null, 2).replaceAll('\n', `\n${indent}`);
