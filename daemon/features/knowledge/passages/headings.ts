/** A heading: the line (from 0) at which its section starts, its level from 1, and its text. */
export interface Heading {
  line: number;
  level: number;
  text: string;
}

/** Puts a heading at its level into `trail`, the headings above a line, and returns those that have a text. */
export function putHeading(trail: string[], level: number, text: string): string[] {
  trail.length = Math.min(trail.length, level - 1);
  while (trail.length < level - 1) trail.push('');
  trail.push(text);
  return trail.filter((heading) => heading !== '');
}

/** Finds the headings of a document by its format, in order. */
type FindHeadings = (lines: readonly string[]) => Heading[];

const clean = (text: string) => text.replace(/\s+/g, ' ').trim().slice(0, 120);

/** Builds a finder for formats in which one line is a heading: `read` returns its level and text. */
const byLine =
  (read: (line: string) => [level: number, text: string] | undefined): FindHeadings =>
  (lines) =>
    lines.flatMap((line, index) => {
      const found = line.length > 400 ? undefined : read(line);
      return found && clean(found[1]) !== '' ? [{ line: index, level: found[0], text: clean(found[1]) }] : [];
    });

const UNDERLINE = /^([=\-~^*#"'`+.:_])\1{2,}\s*$/;

/**
 * reStructuredText and plain text: a line underlined with marks; the level is the order in which a mark first occurs.
 */
const underlined: FindHeadings = (lines) => {
  const marks: string[] = [];
  return lines.flatMap((line, index) => {
    const mark = UNDERLINE.exec(lines[index + 1] ?? '')?.[1];
    const isTitle = mark !== undefined && /^\S/.test(line) && !UNDERLINE.test(line) && line.length <= 120;
    if (!isTitle) return [];
    if (!marks.includes(mark)) marks.push(mark);
    return [{ line: index, level: Math.min(6, marks.indexOf(mark) + 1), text: clean(line) }];
  });
};

const LEVELS: Readonly<Record<string, number>> = {
  SH: 1,
  SS: 2,
  chapter: 1,
  section: 2,
  subsection: 3,
  subsubsection: 4,
};

const roff = byLine((line) => {
  const [, macro = '', text = ''] = /^\.(SH|SS)\s+"?([\s\S]*)/.exec(line) ?? [];
  return macro === ''
    ? undefined
    : [
        LEVELS[macro] ?? 1,
        text
          .trimEnd()
          .replace(/"$/, '')
          .replace(/\\f[BIRP]|\\/g, ''),
      ];
});

const asciidoc = byLine((line) => {
  const [, marks = '', text = ''] = /^(={1,6})\s+(\S.*)$/.exec(line) ?? [];
  return marks === '' ? undefined : [marks.length, text];
});

const texinfo = byLine((line) => {
  const [, name = '', text = ''] = /^@(chapter|section|subsection|subsubsection)\s+(\S.*)$/.exec(line) ?? [];
  return name === '' ? undefined : [LEVELS[name] ?? 1, text];
});

const pod = byLine((line) => {
  const [, level = '', text = ''] = /^=head([1-6])\s+(\S.*)$/.exec(line) ?? [];
  return level === '' ? undefined : [Number(level), text];
});

const org = byLine((line) => {
  const [, marks = '', text = ''] = /^(\*{1,6})\s+(\S.*)$/.exec(line) ?? [];
  return marks === '' ? undefined : [marks.length, text];
});

/** YAML: the titles and names of a list of parts, as manuals and workflows have them. */
const yaml = byLine((line) => {
  const [, indent = '', value = ''] = /^(\s*)-\s+(?:title|name|heading)\s*:([^\n]*)$/.exec(line) ?? [];
  const text = value.trim().replace(/^["'`]+|(?<!["'`])["'`]+$/g, '');
  return text === '' ? undefined : [Math.min(6, 1 + Math.floor(indent.length / 2)), text.replace(/`/g, '')];
});

const FORMATS: readonly (readonly [RegExp, FindHeadings])[] = [
  [/\.(?:rst|txt|rest)$|(?:^|\/)[A-Z]+$/, underlined],
  [/\.(?:[1-9]|man|mdoc|roff)(?:\.(?:in|prebuilt))?$/, roff],
  [/\.(?:adoc|asciidoc)$/i, asciidoc],
  [/\.(?:texi|texinfo)$/i, texinfo],
  [/\.pod$/i, pod],
  [/\.org$/i, org],
  [/\.ya?ml$/i, yaml],
];

/** Returns the finder of headings for a document of a known format other than Markdown; else undefined. */
export function getHeadingFinder(path: string): FindHeadings | undefined {
  return FORMATS.find(([pattern]) => pattern.test(path))?.[1];
}
