import { sanitizeDisplayText } from '../../lib/text/display-text.js';

/** A fragment of HTML in which all external text is escaped. */
export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | undefined | readonly Part[];

/** Escapes text for use in an element or a quoted attribute. */
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

/** Template tag for HTML: the literal parts are kept, and every value is escaped unless it is an `Html`. */
export function html(strings: TemplateStringsArray, ...values: readonly Part[]): Html {
  return new Html(strings.map((text, i) => text + rendered(values[i])).join(''));
}
