import { isDeepStrictEqual } from 'node:util';
import { EFFORTS, TOOLS } from '../../contract/team.js';
import { isObject } from '../../lib/is-object.js';
import type { Data, SharedKey } from './foreign-agent.js';
import { findToolWord, isWord, type ToolWord, toolNames, toToolWords } from './tool-words.js';

const DESCRIPTION_MAX_CHARS = 400;
const NAME_MAX_CHARS = 80;
const MODEL_MAX_CHARS = 200;
const COLOR_MAX_CHARS = 40;
const TOOLS_MAX = 64;
const TOOL_MAX_CHARS = 80;

/** The value that a rule reads from a file, with a note for the operator. Undefined: the file has no usable value. */
interface ReadValue {
  value: unknown;
  note?: string;
}

/** The mapping between one key of a member and the keys of another tool's file. Pure: `data` is never changed. */
export interface KeyRule {
  member: SharedKey;
  /** The keys of the file that the rule reads. */
  foreign: readonly string[];
  read(data: Data): ReadValue;
  /** Returns the changes to `data` that express `value`. null removes a key, as does an undefined value. */
  write(value: unknown, data: Data): Data;
}

const NOTHING: ReadValue = { value: undefined };

/** Shortens `text` to at most `max` characters, at a word boundary if possible. */
export function shortened(text: string, max: number): string {
  if (text.length <= max) return text;
  const cut = text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '');
  const space = cut.search(/\s\S*$/);
  return `${(space > max / 2 ? cut.slice(0, space) : cut).trimEnd()}…`;
}

/**
 * A text with the same meaning on both sides. Text beyond a member's limit is shortened, and kept in full for export.
 */
function textRule(member: SharedKey, foreign: string, max: number): KeyRule {
  return {
    member,
    foreign: [foreign],
    read: (data) => {
      const text = data[foreign];
      if (typeof text !== 'string' || text.trim() === '') return NOTHING;
      if (text.length <= max) return { value: text };
      return { value: shortened(text, max), note: `Cut to ${max} characters here; the whole text is kept for export.` };
    },
    write: (value) => ({ [foreign]: value ?? null }),
  };
}

export const descriptionRule = (foreign = 'description') => textRule('description', foreign, DESCRIPTION_MAX_CHARS);
export const nameRule = (foreign: string) => textRule('name', foreign, NAME_MAX_CHARS);

/**
 * A colour. `isKnown` accepts those that the tool supports; others are left out. `aliases` maps names to colours of the
 * tool.
 */
export function colorRule(
  isKnown: (color: string) => boolean = () => true,
  aliases: Readonly<Record<string, string>> = {},
): KeyRule {
  return {
    ...textRule('color', 'color', COLOR_MAX_CHARS),
    write: (value) => {
      const name = String(value);
      const color = Object.hasOwn(aliases, name) ? aliases[name] : value;
      return { color: typeof color === 'string' && isKnown(color) ? color : null };
    },
  };
}

/** A whole number under one of several spellings. A new file uses the first. */
export function numberRule(member: SharedKey, foreign: readonly [string, ...string[]], max: number): KeyRule {
  const spelling = (data: Data) => foreign.find((key) => data[key] !== undefined && data[key] !== null);
  return {
    member,
    foreign,
    read: (data) => {
      const value = data[spelling(data) ?? foreign[0]];
      return Number.isInteger(value) && (value as number) >= 1 && (value as number) <= max ? { value } : NOTHING;
    },
    write: (value, data) => ({ [spelling(data) ?? foreign[0]]: value ?? null }),
  };
}

/**
 * A model name. `isKnown` accepts the names that the tool supports; others are left out. A name in `inherits` leaves
 * the choice to the tool.
 */
export function modelRule(isKnown: (model: string) => boolean, inherits: readonly string[] = []): KeyRule {
  return {
    member: 'model',
    foreign: ['model'],
    read: ({ model }) => {
      const [first] = Array.isArray(model) ? model : [model];
      if (typeof first !== 'string' || first.trim() === '' || first.length > MODEL_MAX_CHARS) return NOTHING;
      if (inherits.includes(first))
        return {
          value: 'strongest',
          note: `\`${first}\` has no meaning here: \`strongest\` instead. It is kept for export.`,
        };
      if (Array.isArray(model) && model.length > 1)
        return { value: first, note: 'The first of the list; the others are kept for export.' };
      return { value: first };
    },
    write: (value, { model }) => {
      if (typeof value !== 'string' || !isKnown(value)) return { model: null };
      return { model: Array.isArray(model) ? [value, ...model.filter((name) => name !== value)] : value };
    },
  };
}

/**
 * The effort level. `aliases` maps words of the tool to levels; `lacks` replaces levels that the tool does not have.
 */
export function effortRule(
  foreign: string,
  aliases: Readonly<Record<string, string>>,
  lacks: Readonly<Record<string, string>>,
): KeyRule {
  return {
    member: 'effort',
    foreign: [foreign],
    read: (data) => parseEffort(data[foreign], aliases),
    write: (value) => ({
      [foreign]: value === undefined ? null : Object.hasOwn(lacks, String(value)) ? lacks[String(value)] : value,
    }),
  };
}

export function parseEffort(word: unknown, aliases: Readonly<Record<string, string>> = {}): ReadValue {
  if (typeof word !== 'string') return NOTHING;
  const alias = Object.hasOwn(aliases, word) ? aliases[word] : undefined;
  if (alias !== undefined) return { value: alias, note: `\`${word}\` is \`${alias}\` here; it is kept for export.` };
  return (EFFORTS as readonly string[]).includes(word) ? { value: word } : NOTHING;
}

interface ToolsRuleOptions {
  /** The key of the tools to exclude from the list. */
  without?: string;
  /** Names that mean all tools. */
  everything?: readonly string[];
  /** Returns the tool's own name for an entry that is no tool word; undefined leaves it out. Default: as it stands. */
  ownName?: (name: string) => string | undefined;
}

/** A list of allowed tools and, with `without`, a list of tools to exclude from it. */
export function toolsRule(
  spelling: 'text' | 'list',
  namesOf: Readonly<Record<ToolWord, readonly string[]>>,
  { without, everything = [], ownName = (name) => name }: ToolsRuleOptions = {},
): KeyRule {
  return {
    member: 'tools',
    foreign: without === undefined ? ['tools'] : ['tools', without],
    read: (data) => {
      const listed = toolNames(data['tools']);
      const removed = without === undefined ? [] : (toolNames(data[without]) ?? []);
      const all = listed === undefined || listed.some((name) => everything.includes(name));
      // An entry with a specifier, `Bash(git push *)`, takes away the whole tool.
      const takenAway = new Set(removed.flatMap((name) => [name, findToolWord(name.replace(/\(.*/s, '')) ?? name]));
      if (all && !TOOLS.some((word) => takenAway.has(word))) return NOTHING;
      const words = (all ? [...TOOLS] : toToolWords(listed)).filter((name) => !takenAway.has(name));
      return toolList(words);
    },
    write: (value, data) => {
      if (value === undefined) return { tools: null };
      const names = new Set(
        (value as string[]).flatMap((name) => (isWord(name) ? namesOf[name] : (ownName(name) ?? []))),
      );
      // Existing entries with the same meaning keep their own names.
      const standing =
        toolNames(data['tools'])?.filter((name) => (value as string[]).includes(findToolWord(name) ?? name)) ?? [];
      const kept = new Set(standing.map((name) => findToolWord(name) ?? name));
      const list = [...standing, ...[...names].filter((name) => !kept.has(findToolWord(name) ?? name))];
      return { tools: spelling === 'list' || Array.isArray(data['tools']) ? list : list.join(', ') };
    },
  };
}

/** Builds a member's tool list within its size limits, with a note about entries that have no effect here. */
function toolList(words: readonly string[]): ReadValue {
  const list = words.filter((name) => name.length <= TOOL_MAX_CHARS).slice(0, TOOLS_MAX);
  const strange = list.filter((name) => !isWord(name));
  const leftOut = words.length - list.length;
  const notes = [
    strange.length > 0 ? `Not used here: ${shortened(strange.join(', '), 160)}.` : '',
    list.length > 0 && strange.length === list.length
      ? 'No tool is left: the member answers from its prompt alone.'
      : '',
    leftOut > 0 ? `${leftOut} more are kept for export only.` : '',
  ].filter(Boolean);
  return { value: list, ...(notes.length > 0 && { note: notes.join(' ') }) };
}

/** A setting whose value `on` restricts a member to reading and searching. */
export function readOnlyRule(foreign: string, on: unknown): KeyRule {
  const READING = ['read', 'search'];
  return {
    member: 'tools',
    foreign: [foreign],
    read: (data) => (isDeepStrictEqual(data[foreign], on) ? { value: READING } : NOTHING),
    write: (value, data) => {
      if (isDeepStrictEqual(value, READING)) return { [foreign]: on };
      return isDeepStrictEqual(data[foreign], on) ? { [foreign]: null } : {};
    },
  };
}

/** Returns the object under `key`, or an empty one. */
export const objectAt = (data: Data, key: string): Data => (isObject(data[key]) ? (data[key] as Data) : {});
