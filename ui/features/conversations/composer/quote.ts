/** The most characters of a message that are quoted: the member has the rest in its conversation. */
const QUOTE_MAX_CHARS = 4_000;

/** Formats a message as a quotation in Markdown, with an empty line below it. A long one is cut. */
export function formatQuote(text: string): string {
  const whole = text.trim();
  const shown = whole.length > QUOTE_MAX_CHARS ? `${whole.slice(0, QUOTE_MAX_CHARS).trimEnd()} …` : whole;
  const lines = shown.split(/\r?\n/).map((line) => `> ${line}`.trimEnd());
  return `${lines.join('\n')}\n\n`;
}
