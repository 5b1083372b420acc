import type { Access } from './callers/access.js';

interface Operation {
  summary?: string;
  description?: string;
  tags?: string[];
  'x-access'?: Access;
  requestBody?: unknown;
  parameters?: { name: string; in: string; required?: boolean; description?: string }[];
  responses?: Record<string, unknown>;
}

const ACCESS_WORDS: Readonly<Record<Access, string>> = {
  operator: 'this machine’s user, no credential',
  bearer: 'any local program with the member token',
  public: 'any local program',
  page: 'a browser',
  card: 'anyone local, any origin',
};

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

/** Renders the OpenAPI description as one HTML page that works offline and without scripts. */
export function docsPage(openapi: {
  info?: { title?: string; version?: string };
  paths?: Record<string, unknown>;
  components?: unknown;
}): string {
  const rows = Object.entries(openapi.paths ?? {}).flatMap(([path, operations]) =>
    Object.entries(operations as Record<string, Operation>).map(([method, operation]) => ({
      path,
      method: method.toUpperCase(),
      operation,
    })),
  );
  const byTag = new Map<string, typeof rows>();
  for (const row of rows) {
    const tag = row.operation.tags?.[0] ?? 'other';
    byTag.set(tag, [...(byTag.get(tag) ?? []), row]);
  }
  const sections = [...byTag]
    .map(([tag, list]) => `<h2>${escapeHtml(tag)}</h2>${list.map(operationHtml).join('')}`)
    .join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>meshd API</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/docs.css"></head><body><main><h1>meshd API <small>${escapeHtml(openapi.info?.version ?? '')}</small></h1>
<p>The same description for programs: <a href="/openapi.json">/openapi.json</a>. Back to the <a href="/app">dashboard</a>.</p>${sections}
<h2>Shapes</h2>${shapesHtml(openapi.components)}</main></body></html>`;
}

function operationHtml({ path, method, operation }: { path: string; method: string; operation: Operation }): string {
  const parameters = (operation.parameters ?? [])
    .map(
      (parameter) =>
        `<li><code>${escapeHtml(parameter.name)}</code> ` +
        `(${escapeHtml(parameter.in)}${parameter.required ? ', required' : ''}) ` +
        `${escapeHtml(parameter.description ?? '')}</li>`,
    )
    .join('');
  const body = operation.requestBody
    ? `<h4>Body</h4><pre>${escapeHtml(JSON.stringify(contentSchema(operation.requestBody), null, 2))}</pre>`
    : '';
  const responses = Object.entries(operation.responses ?? {})
    .map(
      ([status, response]) =>
        `<li><code>${escapeHtml(status)}</code> ${escapeHtml(JSON.stringify(contentSchema(response)))}</li>`,
    )
    .join('');
  return `<details><summary><code class="method">${method}</code> <code>${escapeHtml(path)}</code> <span>${escapeHtml(operation.summary ?? '')}</span></summary>
<p>${escapeHtml(operation.description ?? '')} <em>Who may call it: ${escapeHtml(ACCESS_WORDS[operation['x-access'] ?? 'operator'])}.</em></p>
${parameters ? `<h4>Parameters</h4><ul>${parameters}</ul>` : ''}${body}${responses ? `<h4>Answers</h4><ul>${responses}</ul>` : ''}</details>`;
}

/** Returns the schema of a body or a response; an empty one when it is no JSON. */
function contentSchema(holder: unknown): unknown {
  const content = (holder as { content?: Record<string, { schema?: unknown }> }).content;
  return content?.['application/json']?.schema ?? {};
}

function shapesHtml(components: unknown): string {
  const schemas = (components as { schemas?: Record<string, unknown> } | undefined)?.schemas ?? {};
  return Object.entries(schemas)
    .map(
      ([name, schema]) =>
        '<details ' +
        `id="${escapeHtml(name)}"><summary><code>${escapeHtml(name)}</code></summary><pre>${escapeHtml(JSON.stringify(schema, null, 2))}</pre></details>`,
    )
    .join('');
}

export const DOCS_CSS = `:root{color-scheme:light dark}
body{font:16px/1.6 system-ui,sans-serif;margin:0;background:light-dark(#F4F2EC,#10171A);color:light-dark(#1D2423,#E6ECE9)}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 4rem}h1{font-size:1.6rem}h1 small{font-weight:400;font-size:.9rem}
h2{font-size:1.15rem;margin:2rem 0 .5rem;border-bottom:1px solid light-dark(#D5D0C3,#2A383B)}h4{margin:.75rem 0 .25rem;font-size:.9rem}
a{color:light-dark(#25558A,#8DB8E8)}details{border-bottom:1px solid light-dark(#D5D0C3,#2A383B);padding:.35rem 0}
summary{cursor:pointer;overflow-wrap:anywhere}summary span{color:light-dark(#46504E,#B3C0BD)}code,pre{font:13px/1.5 ui-monospace,monospace}
.method{display:inline-block;min-width:4.5em;font-weight:700;color:light-dark(#0F6B5C,#5CC2A8)}
pre{overflow:auto;max-height:30rem;padding:.75rem;background:light-dark(#EAE7DE,#0B1113)}li{overflow-wrap:anywhere}
:focus-visible{outline:2px solid light-dark(#1B4FD8,#9DB7FF);outline-offset:2px}`;
