import { putHeading } from './headings.js';
import { PASSAGE_MIN_LINES, type Passage, splitIntoWindows } from './passage-windows.js';

interface Section {
  startLine: number;
  endLine: number;
  level: number;
  headings: string[];
}

/** Returns the text of a heading line without its markup. */
function headingText(line: string): string {
  return line
    .slice(0, 400)
    .replace(/^ {0,3}#+\s*/, '')
    .replace(/\s#+\s*$/, '')
    .replace(/<[^<>]*>/g, '')
    .replace(/!\[[^\][]*\]\((?:[^()]|\([^()]*\))*\)/g, '')
    .replace(/\[([^\][]*)\]\((?:[^()]|\([^()]*\))*\)/g, '$1')
    .replace(/[`*]/g, '')
    .trim()
    .slice(0, 120);
}

/** Returns a passage per section, titled by its heading path. Merges tiny sections with the next; cuts long ones. */
export function markdownPassages(lines: readonly string[]): Passage[] {
  return joined(sections(lines)).flatMap((section) =>
    splitIntoWindows(lines, section.startLine, section.endLine).map(([startLine, endLine]) => ({
      startLine,
      endLine,
      kind: isInFence(lines.slice(section.startLine - 1, startLine - 1)) ? ('fenced' as const) : ('section' as const),
      title: section.headings.join(' > '),
    })),
  );
}

/** Whether the line after `above` is inside a fenced block that starts there. */
export function isInFence(above: readonly string[]): boolean {
  return above.filter((line) => /^\s*(?:```|~~~)/.test(line)).length % 2 === 1;
}

function sections(lines: readonly string[]): Section[] {
  const found: Section[] = [];
  const path: string[] = [];
  let current: Section = { startLine: 1, endLine: 0, level: 0, headings: [] };
  let fence = '';
  const begin = (line: number, level: number, text: string) => {
    if (current.endLine >= current.startLine) found.push(current);
    current = { startLine: line, endLine: line, level, headings: putHeading(path, level, text) };
  };
  for (let index = 0; index < lines.length; index += 1) {
    const line = lines[index] as string;
    const mark = /^\s{0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== '') {
      if (mark?.startsWith(fence) && /^\s*[`~]+\s*$/.test(line)) fence = '';
    } else if (mark !== undefined) {
      fence = mark;
    } else {
      const level = /^ {0,3}(#{1,6})\s+\S/.exec(line)?.[1]?.length;
      const under = /^ {0,3}(=+|-{3,})\s*$/.exec(lines[index + 1] ?? '')?.[1];
      if (level !== undefined) begin(index + 1, level, headingText(line));
      else if (under !== undefined && /^ {0,3}[^\s>|#*+-]/.test(line) && !/\S/.test(lines[index - 1] ?? ''))
        begin(index + 1, under[0] === '=' ? 1 : 2, headingText(line));
    }
    current.endLine = index + 1;
  }
  found.push(current);
  return found;
}

function joined(all: readonly Section[]): Section[] {
  const result: Section[] = [];
  for (const section of all) {
    const last = result.at(-1);
    const isTiny = last !== undefined && last.endLine - last.startLine + 1 < PASSAGE_MIN_LINES;
    if (last && isTiny && section.level >= last.level && section.endLine - last.startLine < 40) {
      last.endLine = section.endLine;
      last.headings =
        section.level > last.level
          ? section.headings
          : [...last.headings.slice(0, -1), [last.headings.at(-1), section.headings.at(-1)].join(' / ')];
    } else {
      result.push(section);
    }
  }
  return result;
}
