import { pattern } from '../../../lib/text/pattern.js';
import { PASSAGE_MAX_LINES, PASSAGE_MIN_LINES, type Passage, splitIntoWindows } from './passage-windows.js';

const NAME = '([A-Za-z_$][\\w$]*)';
const MODIFIERS =
  '(?:(?:export|default|declare|public|private|protected|internal|static|final|abstract|async|virtual|override' +
  '|inline|extern|const|pub(?:\\([^)]*\\))?|unsafe|sealed|partial|open|data|suspend|readonly|get|set)\\s+)*';

/** Patterns for definitions in common languages. The first match supplies the name. */
const DEFINITIONS: readonly RegExp[] = [
  new RegExp(
    `^\\s*${MODIFIERS}(?:function\\s*\\*?|class|interface|enum|namespace|module|struct|trait|impl(?:<[^>]*>)?` +
      '|union|protocol|extension|object|record|def|fn|func|fun|sub|defmodule|defp?|macro_rules!|package|type' +
      `|message|service)\\s+(?:\\([^)]*\\)\\s*)?(?:self\\.)?${NAME}`,
  ),
  new RegExp(
    `^(?:export\\s+)?(?:default\\s+)?(?:const|let|var|val|static|final)\\s+(?:[\\w<>,\\s]+\\s)?${NAME}\\s*[:=]`,
  ),
  new RegExp(`^\\s{0,4}(?:[\\w$]+\\.)*(?:prototype|exports)\\.${NAME}\\s*=`),
  new RegExp(`^#\\s*define\\s+${NAME}`),
  new RegExp(
    '^\\s*(?:CREATE|create)\\s+(?:\\w+\\s+)*?(?:TABLE|VIEW|INDEX|FUNCTION|TRIGGER|TYPE|table|view|index' +
      `|function)\\s+(?:IF NOT EXISTS\\s+|if not exists\\s+)?["\`\\w.]*?${NAME}["\`]?\\s*[(\\s]`,
  ),
  // A function of a C-like language: a type, a name, an opening parenthesis, and no semicolon after it.
  new RegExp(`^(?:[A-Za-z_][\\w:<>,&*\\s~]*[\\s*&])?(?:[\\w]+::)*~?${NAME}\\s*\\([^;]*$`),
  /^([A-Z][A-Z0-9_]{2,})\s*(?::[^=]*)?=/,
  /^\[+"?([\w.-]+)"?\]+\s*$/,
  /^([A-Za-z_][\w.-]*)\s*:(?!=|:)/,
  /^ {2}"([\w./@-]+)"\s*:\s*[{[]/,
];
/** The patterns that can match an indented line. */
const INDENTED = DEFINITIONS.filter(({ source }) => /^\^(?:\\s| )/.test(source));
/** A member of a class or object: a name with parameters and an opening brace, indented by one level. */
const MEMBER = new RegExp(
  `^(?: {2,4}|\\t)${MODIFIERS}(?:[\\w<>\\[\\],.?*&:]+\\s+)?[*#~]?${NAME}\\s*(?:<[^>]*>)?\\(.*\\)?[^;]*\\{\\s*$`,
);
const NOT_A_NAME = new Set([
  'if',
  'for',
  'while',
  'switch',
  'catch',
  'return',
  'else',
  'do',
  'try',
  'new',
  'await',
  'typeof',
  'throw',
  'case',
  'with',
  'using',
  'elif',
  'except',
  'describe',
  'it',
  'test',
  'default',
  'public',
  'private',
  'protected',
  'http',
  'https',
]);
const STATEMENT = /^\s*(?:return|await|throw|else|elif|case|yield|if|for|while|switch|catch|do|try|finally|with)\b/;
const LEADING = pattern`
    ^\s*(?:\/\/|\/\*|\*|#(?!\s*(?:define|include|if|ifdef|ifndef|else|endif|pragma|undef)\b)|--|"""|'''|@\w
      |\[\w+[\](]|;;|%|<!--)
  `;

/** Blank lines, and lines indented too deeply to define something that questions are about. */
const PASSED_OVER = /^(?:\s*$| {5}|\t{2})/;

interface Start {
  line: number;
  name: string;
}

/** Returns the name that `line` defines, or undefined. `isMember` includes members of a class. */
export function definedName(line: string, isMember = true): string | undefined {
  if (line.length > 400 || STATEMENT.test(line)) return undefined;
  for (const pattern of /^\s/.test(line) ? INDENTED : DEFINITIONS) {
    const name = pattern.exec(line)?.[1];
    if (name !== undefined && !NOT_A_NAME.has(name)) return behindMacro(line, name);
  }
  if (!isMember || !line.includes('{')) return undefined;
  const name = MEMBER.exec(line)?.[1];
  return name !== undefined && !NOT_A_NAME.has(name) ? name : undefined;
}

/**
 * In `SOME_MACRO(name)` at the start of a line, the macro creates the definition, so the name is its first argument.
 */
function behindMacro(line: string, name: string): string {
  return new RegExp(`^[A-Z][A-Z0-9_]*\\(\\s*${NAME}`).exec(line)?.[1] ?? name;
}

/**
 * Returns a passage for each definition with its comment. Merges small neighbours; cuts long passages at blank lines.
 */
export function codePassages(lines: readonly string[]): Passage[] {
  const starts = definitionStarts(lines);
  const blocks: { startLine: number; endLine: number; names: string[] }[] = [];
  const add = (startLine: number, endLine: number, names: string[]) => {
    const last = blocks.at(-1);
    const length = last ? last.endLine - last.startLine + 1 : 0;
    const own = endLine - startLine + 1;
    const isSmall = length < PASSAGE_MIN_LINES || own < PASSAGE_MIN_LINES;
    if (last && isSmall && length + own <= PASSAGE_MAX_LINES / 2) {
      last.endLine = endLine;
      last.names.push(...names);
    } else {
      blocks.push({ startLine, endLine, names: [...names] });
    }
  };
  const first = starts[0]?.line ?? lines.length + 1;
  if (first > 1) add(1, first - 1, []);
  starts.forEach((start, index) => {
    add(start.line, (starts[index + 1]?.line ?? lines.length + 1) - 1, [start.name]);
  });
  return blocks.flatMap((block) => {
    const title = [...new Set(block.names)].slice(0, 12).join(', ');
    return splitIntoWindows(lines, block.startLine, block.endLine).map(([startLine, endLine]) => ({
      startLine,
      endLine,
      kind: 'code' as const,
      title,
    }));
  });
}

/** Finds the lines where definitions start, including the comments and decorators directly above them. */
function definitionStarts(lines: readonly string[]): Start[] {
  const found: Start[] = [];
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    if (PASSED_OVER.test(line)) continue;
    const name = definedName(line);
    if (name === undefined) continue;
    let start = index;
    const floor = found.at(-1)?.line ?? 0;
    while (start > floor && LEADING.test(lines[start - 1] ?? '')) start -= 1;
    found.push({ line: start + 1, name });
  }
  return found;
}
