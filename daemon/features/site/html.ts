/** A piece of a page in which everything that came from outside is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | readonly Part[];

/** Control characters, which no page shows and some tools act on, and those that turn the direction of what follows. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is replaced.
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text as it stands, in an element or in a quoted attribute. */
function escapeText(text: string): string {
  return text
    .replace(CONTROL, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

function rendered(part: Part): string {
  if (part === undefined) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escapeText(String(part));
  return part.map(rendered).join('');
}

/** A page's markup: what is written in the template stays, every value in it is escaped unless it is Html itself. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((text, i) => text + rendered(values[i])).join(''));
}
