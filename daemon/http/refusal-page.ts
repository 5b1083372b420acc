import { createHash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { ErrorBody } from '../contract/errors.js';
import { escapeHtml } from './docs-page.js';
import { asksUpgrade } from './upgrades.js';

const STYLE = `:root{color-scheme:light dark}
body{margin:0;background:light-dark(#f4f2ec,#10171a);color:light-dark(#1d2423,#e6ece9);font:1rem/1.55 system-ui,sans-serif;overflow-wrap:anywhere}
main{max-width:44rem;margin:0 auto;padding:3rem 1.25rem}
h1{font-size:1.625rem;line-height:1.2;margin:0 0 .75rem}
dl{display:grid;grid-template-columns:max-content minmax(0,1fr);gap:.25rem 1.5rem;border-block:1px solid light-dark(#d5d0c3,#2a383b);padding:.75rem 0;margin:1.5rem 0}
dt{color:light-dark(#46504e,#b3c0bd)}dd{margin:0}
code{font-family:ui-monospace,monospace}
a{color:light-dark(#0f6b5c,#5cc2a8)}`;

/** Allows only the page's own style: the page may be shown under any host name. */
const POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Maximum number of characters shown of a received value. */
const SHOWN_CHARS = 200;

const TITLES: Readonly<Partial<Record<ErrorBody['error'], string>>> = {
  wrong_host: 'The daemon does not serve this host name',
  forbidden_origin: 'Pages of other sites may not call this daemon',
  forbidden: 'This is another user’s daemon',
  not_found: 'There is nothing here',
  internal: 'Something went wrong',
};

/** Whether a browser shows the response to a person: a navigation by address or link. */
export function isForPerson(request: IncomingMessage): boolean {
  const { method, headers } = request;
  const { accept = '' } = headers;
  const dest = headers['sec-fetch-dest'];
  return (
    method === 'GET' &&
    !asksUpgrade(request) &&
    accept.includes('text/html') &&
    (dest === undefined || dest === 'document')
  );
}

const shown = (value: string | string[] | undefined) => String(value ?? 'none').slice(0, SHOWN_CHARS);

/**
 * Lists what was checked, what arrived and what is accepted. It contains nothing of the project, since anybody may read
 * the page.
 */
function listFacts(code: ErrorBody['error'], { headers, socket }: IncomingMessage): [string, string][] {
  const port = socket.localPort ?? 0;
  if (code === 'wrong_host')
    return [
      ['Checked', 'the name in the address (Host)'],
      ['Arrived', shown(headers.host)],
      ['Accepted', `127.0.0.1:${port}`],
    ];
  if (code === 'forbidden_origin')
    return [
      ['Checked', 'which page asks (Origin, Sec-Fetch-Site)'],
      ['Arrived', `${shown(headers.origin)}, ${shown(headers['sec-fetch-site'])}`],
      ['Accepted', 'the dashboard’s own pages, and addresses that are typed'],
    ];
  return [];
}

/**
 * Renders a refusal as an HTML page: the content of the JSON error and a link to the dashboard. Returns the page with
 * its content security policy.
 */
export function refusalPage(body: ErrorBody, request: IncomingMessage): { html: string; policy: string } {
  const title = TITLES[body.error] ?? 'The daemon refused this';
  const facts = listFacts(body.error, request).map(
    ([name, value]) => `<dt>${name}</dt><dd><code>${escapeHtml(value)}</code></dd>`,
  );
  const dashboard = `http://127.0.0.1:${request.socket.localPort ?? 0}/app`;
  const html = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style></head>
<body><main>
<h1>${title}</h1>
${body.message === undefined ? '' : `<p>${escapeHtml(body.message)}</p>`}
${facts.length > 0 ? `<dl>${facts.join('')}</dl>` : ''}
<p><a href="${dashboard}">Open the dashboard</a>, or in a terminal of the project: <code>meshd open</code></p>
<p><code>${body.error}${typeof body.id === 'string' ? ` ${body.id}` : ''}</code></p>
</main></body>
</html>
`;
  return { html, policy: POLICY };
}
