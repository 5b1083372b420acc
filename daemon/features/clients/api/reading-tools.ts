import { MeshError } from '../../../lib/errors.js';
import { pathFilter } from './path-glob.js';
import { type ApiTool, type Fields, fitting, OUTPUT_MAX_BYTES } from './tool.js';

/** The part of the project that the reading tools use. Implemented in `storage/project-tools`. */
export interface ReadableProject {
  paths(): Promise<readonly string[]>;
  lines(path: string): Promise<readonly string[]>;
  linesHolding(
    search: {
      texts: readonly string[];
      isWholeWord: boolean;
      matchesCase: boolean;
      accepts: (path: string) => boolean;
      max: number;
    },
    signal: AbortSignal,
  ): Promise<{ matches: readonly { path: string; line: number; text: string }[]; hasMore: boolean }>;
}

const PATH_MAX_CHARS = 1_024;
const TEXT_MAX_CHARS = 500;
const LINE_MAX_CHARS = 1_000;
const READ_LINES_DEFAULT = 400;
const MATCHES_MAX = 100;
const LIST_MAX = 500;
/** Leaves 512 bytes for the text around a tool's lines. */
const LINES_MAX_BYTES = OUTPUT_MAX_BYTES - 512;

const shortened = (line: string) =>
  line.length > LINE_MAX_CHARS ? `${line.slice(0, LINE_MAX_CHARS)} [line cut]` : line;

/** Returns the tools that read the project and change nothing. */
export function readingTools(project: ReadableProject): ApiTool[] {
  return [readTool(project), searchTool(project), listTool(project)];
}

function readTool(project: ReadableProject): ApiTool {
  return {
    name: 'read',
    description: `Lines of a file of the project, numbered. Without end_line: up to ${READ_LINES_DEFAULT} lines.`,
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'As `list` and `search` give it.' },
        start_line: { type: 'integer', minimum: 1 },
        end_line: { type: 'integer', minimum: 1 },
      },
      required: ['path'],
      additionalProperties: false,
    },
    target: (input) => {
      const [path, start, end] = ['path', 'start_line', 'end_line'].map((name) => input.shown(name));
      return start || end ? `${path}:${start || 1}${end ? `-${end}` : ''}` : (path ?? '');
    },
    async run(input) {
      const path = plainPath(input.text('path', PATH_MAX_CHARS));
      const start = input.line('start_line') ?? 1;
      const end = input.line('end_line') ?? start + READ_LINES_DEFAULT - 1;
      if (end < start) throw new MeshError('bad_request', '`end_line` is before `start_line`.');
      const all = await project.lines(path);
      if (start > all.length) throw new MeshError('bad_request', `The file has ${all.length} lines.`);
      const wanted = all.slice(start - 1, end).map((line, index) => `${start + index}\t${shortened(line)}`);
      const { text, count } = fitting(wanted, LINES_MAX_BYTES);
      const last = start + count - 1;
      return (
        `${path}, lines ${start}-${last} of ` +
        `${all.length}${last < all.length ? `; go on with start_line ${last + 1}` : ''}\n${text}`
      );
    },
  };
}

function searchTool(project: ReadableProject): ApiTool {
  return {
    name: 'search',
    description:
      'Lines of the project in which a text stands, as path:line. The text is taken literally, not as a ' +
      'pattern; `a|b` looks for either when the whole is nowhere. Case counts only when the text has capitals.',
    schema: {
      type: 'object',
      properties: {
        text: { type: 'string' },
        path: { type: 'string', description: 'Only under this folder, or where this glob fits, such as src/**/*.ts.' },
        whole_word: { type: 'boolean' },
      },
      required: ['text'],
      additionalProperties: false,
    },
    target: (input) => [input.shown('text'), input.shown('path')].filter((part) => part !== '').join(' in '),
    async run(input, signal) {
      const text = input.text('text', TEXT_MAX_CHARS);
      if (!/\S/.test(text)) throw new MeshError('bad_request', '`text` is only blanks.');
      const either = [...new Set(text.split('|').map((part) => part.trim()))].filter((part) => part !== '');
      const whole = await linesWith(project, input, [text], signal);
      const found =
        whole.matches.length === 0 && either.length > 1 ? await linesWith(project, input, either, signal) : whole;
      if (found.matches.length === 0)
        return 'No line holds this text. It is taken literally: try a single word, or another one for the same thing.';
      const lines = found.matches.map(
        ({ path, line, text: content }) => `${path}:${line}: ${shortened(content.trim())}`,
      );
      const { text: shown, count } = fitting(lines, LINES_MAX_BYTES);
      return found.hasMore || count < lines.length ? `${shown}\n[there are more: narrow the text or the path]` : shown;
    },
  };
}

function linesWith(project: ReadableProject, input: Fields, texts: readonly string[], signal: AbortSignal) {
  const accepts = pathFilter(input.optionalText('path', PATH_MAX_CHARS) ?? '');
  const matchesCase = texts.some((text) => text !== text.toLowerCase());
  return project.linesHolding(
    { texts, isWholeWord: input.flag('whole_word'), matchesCase, accepts, max: MATCHES_MAX },
    signal,
  );
}

function listTool(project: ReadableProject): ApiTool {
  return {
    name: 'list',
    description: 'Paths of the project’s text files, under a folder or where a glob fits.',
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', description: 'A folder, or a glob such as docs/**/*.md. Empty: the whole project.' },
      },
      required: [],
      additionalProperties: false,
    },
    target: (input) => input.shown('path'),
    async run(input) {
      const accepts = pathFilter(input.optionalText('path', PATH_MAX_CHARS) ?? '');
      const paths = (await project.paths()).filter(accepts);
      if (paths.length === 0) return 'No file that may be read is there.';
      const { text, count } = fitting(paths.slice(0, LIST_MAX), LINES_MAX_BYTES);
      return count < paths.length ? `${text}\n[${paths.length - count} more: name a folder or a glob]` : text;
    },
  };
}

/** Removes a leading `./` and white space, which models write. The project checks whether the path may be read. */
export function plainPath(path: string): string {
  return path.trim().replace(/^(?:\.\/)+/, '');
}
