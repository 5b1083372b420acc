/** A pattern that is written over several lines: a line break and the spaces around it are no part of it. */
export const pattern = (lines: TemplateStringsArray): RegExp => patternWith('')(lines);

/** The same with flags. */
export const patternWith =
  (flags: string) =>
  (lines: TemplateStringsArray): RegExp =>
    new RegExp(lines.raw.join('').replaceAll(/\s*\n\s*/g, ''), flags);
