import { sanitizeDisplayText } from '../../lib/display-text.js';

/** A piece of a page in which everything that came from outside is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | readonly Part[];

/** Text as it stands, in an element or in a quoted attribute. */
function escapeText(text: string): string {
  return sanitizeDisplayText(text)
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
