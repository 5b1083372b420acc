import { isDeepStrictEqual } from 'node:util';
import type { Problem } from '../../contract/team.js';
import { isObject } from '../../lib/is-object.js';
import { findSections, isProblem, lineAt, parseMarkdown } from '../../storage/members/frontmatter.js';
import { editMarkdown } from '../../storage/members/frontmatter-edit.js';
import { emitPair } from '../../storage/members/frontmatter-emit.js';
import type { Data, ForeignAgent } from './foreign-agent.js';

/** A parsed Markdown agent file. */
interface MarkdownAgent extends ForeignAgent {
  /** The parsed text: the file's own, or the repaired text. */
  text: string;
  hasFrontmatter: boolean;
  /** Whether the prompt starts directly after the frontmatter, without a blank line. */
  isTight: boolean;
  notes: string[];
}

/**
 * Parses a Markdown agent file like a member file: plain YAML, no tags, few aliases, nothing is executed. A line such
 * as `description: Use this: always` is invalid YAML, but the tools accept it, so it is read as one string.
 */
export function readMarkdownAgent(text: string): MarkdownAgent | Problem {
  const read = parseMarkdown(text);
  if (isProblem(read)) {
    const mended = quoteLines(text);
    const again = mended === undefined ? read : parseMarkdown(mended);
    if (mended === undefined || isProblem(again)) return read;
    return getAgent(mended, again.data, again.body, [
      'A line holds an unquoted `: ` or the like: it was read as one line of text, as the tool does.',
    ]);
  }
  return getAgent(text, read.data, read.body, []);
}

function getAgent(text: string, data: Data, body: string, notes: string[]): MarkdownAgent {
  const sections = findSections(text);
  const yaml = isProblem(sections) ? undefined : sections.yaml;
  const isTight = yaml !== undefined && !isProblem(sections) && sections.bodyStart === lineAt(text, yaml.end).next;
  return { text, data, body, hasFrontmatter: yaml !== undefined, isTight, notes };
}

/** Quotes the plain one-line values of a frontmatter where needed. Returns undefined without a frontmatter. */
function quoteLines(text: string): string | undefined {
  const sections = findSections(text);
  if (isProblem(sections) || !sections.yaml) return undefined;
  const opening = lineAt(text, sections.yaml.start);
  const lines = text.slice(opening.next, sections.yaml.end).split('\n');
  const quoted = lines.map((line) => {
    const [, key, rest = ''] = /^([A-Za-z][\w-]*):[ \t](.*)$/s.exec(line) ?? [];
    const value = rest.trim();
    const isPlain = key !== undefined && value !== '' && !/^["'[{|>&*!#%@`]/.test(value);
    return isPlain && /:(?:\s|$)|\s#/.test(value)
      ? `${key}: ${JSON.stringify(value)}${line.endsWith('\r') ? '\r' : ''}`
      : line;
  });
  const mended = quoted.join('\n');
  return text.slice(0, opening.next) + mended + text.slice(sections.yaml.end);
}

/** Returns the names in a frontmatter that is a list, as for remote agents. Undefined for any other frontmatter. */
export function listedNames(text: string): string[] | undefined {
  const sections = findSections(text);
  if (isProblem(sections) || !sections.yaml) return undefined;
  const { end, next } = lineAt(text, sections.yaml.start);
  const yaml = text.slice(next, sections.yaml.end);
  const firstLine = yaml.split('\n').find((line) => line.trim() !== '' && !line.trimStart().startsWith('#'));
  if (firstLine === undefined || !/^\s*-\s/.test(firstLine)) return undefined;
  const read = parseMarkdown(`${text.slice(0, end)}\nlisted:\n${text.slice(next)}`);
  if (isProblem(read) || !Array.isArray(read.data['listed'])) return undefined;
  return read.data['listed'].map((item) => (isObject(item) && typeof item['name'] === 'string' ? item['name'] : '?'));
}

/** Writes a new Markdown agent file. Without keys it is only the prompt, unless that would be parsed as frontmatter. */
export function markdownAgentText(data: Data, body: string, isTight: boolean): string {
  if (Object.keys(data).length === 0 && !body.startsWith('---') && !body.startsWith('\uFEFF')) return body;
  // A key without a value may have a meaning for the tool, so it is written too.
  const text = `---\n${Object.entries(data)
    .map(([key, value]) => emitPair(key, value, '', '\n'))
    .join('')}---\n\n${body}`;
  // The blank line after the frontmatter can be omitted unless the prompt itself starts with one.
  return isTight && !/^\r?\n/.test(body) ? text.slice(0, text.length - body.length - 1) + body : text;
}

/**
 * Edits the keys and the prompt of `agent`. All bytes that are not part of the change are preserved. Returns undefined
 * when the text cannot be edited.
 */
export function editedMarkdownAgent(agent: MarkdownAgent, data: Data, body: string): string | undefined {
  const removed = Object.keys(agent.data).filter((key) => !Object.hasOwn(data, key));
  const changed = Object.entries(data).filter(
    ([key, value]) => !Object.hasOwn(agent.data, key) || !isDeepStrictEqual(agent.data[key], value),
  );
  const changes = Object.fromEntries([...removed.map((key) => [key, null] as const), ...changed]);
  const edited = editMarkdown(agent.text, changes, body);
  return isProblem(edited) ? undefined : edited;
}
