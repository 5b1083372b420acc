import { describe, expect, it } from 'vitest';
import { DOCS_CSS, docsPage, escapeHtml } from './docs-page.js';

const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const headingsOf = (html: string) => [...html.matchAll(/<h2>(.*?)<\/h2>/g)].map(([, heading]) => heading);

/** Returns the HTML of the only operation, `PUT /lamps/{id}`. */
function operationHtml(operation: object): string {
  const html = docsPage({ paths: { '/lamps/{id}': { put: operation } } });
  return /<details>[\s\S]*?<\/details>/.exec(html)?.[0] ?? '';
}

it('text in HTML cannot be markup', () => {
  expect(escapeHtml(`<a href="x" id='y'>&amp;</a><b>&'"`)).toBe(
    '&lt;a href=&quot;x&quot; id=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;&lt;b&gt;&amp;&#39;&quot;',
  );
});

describe('the page of the API', () => {
  it('has the operations under their first tag, in the order in which they come, and the shapes last', () => {
    const html = docsPage({
      info: { version: '1.2<3' },
      paths: {
        '/lamps': { get: { tags: ['lamps', 'lights'] }, post: { tags: ['lamps'] } },
        '/boats': { get: { tags: ['<boats>'] } },
        '/other': { get: {}, delete: { tags: [] } },
        '/lamps/{id}': { get: { tags: ['lamps'] } },
      },
      components: { schemas: { 'Lamp"': { type: 'string' }, Boat: {} } },
    });
    expect(headingsOf(html)).toEqual(['lamps', '&lt;boats&gt;', 'other', 'Shapes']);
    const operations = [...html.matchAll(/<code class="method">(\w+)<\/code> <code>(.*?)<\/code>/g)];
    expect(operations.map(([, method, path]) => `${method} ${path}`)).toEqual([
      'GET /lamps',
      'POST /lamps',
      'GET /lamps/{id}',
      'GET /boats',
      'GET /other',
      'DELETE /other',
    ]);
    expect(html).toContain('<h1>meshd API <small>1.2&lt;3</small></h1>');
    expect(html).toContain('</details><details><summary><code class="method">POST</code>');
    expect(html).toMatch(
      new RegExp(
        '<h2>Shapes</h2><details id="Lamp&quot;"><summary><code>Lamp&quot;</code></summary>' +
          '<pre>\\{\n  &quot;type&quot;: &quot;string&quot;\n\\}</pre></details>' +
          '<details id="Boat"><summary><code>Boat</code></summary><pre>\\{\\}</pre></details></main></body></html>$',
      ),
    );
  });

  it('is whole without operations', () => {
    for (const openapi of [{}, { info: {}, paths: {}, components: {} }]) {
      const html = docsPage(openapi);
      expect(headingsOf(html)).toEqual(['Shapes']);
      expect(html).toContain('<h1>meshd API <small></small></h1>');
      expect(html).toMatch(/<h2>Shapes<\/h2><\/main><\/body><\/html>$/);
    }
  });

  it('has a style of its own for light and dark', () => {
    expect(docsPage({})).toContain('<link rel="stylesheet" href="/docs.css">');
    expect(DOCS_CSS).toContain('color-scheme:light dark');
  });
});

describe('an operation on the page', () => {
  it('is told with its parameters, its body and its answers', () => {
    const html = operationHtml({
      summary: 'Changes <lamp>',
      description: 'Lights & dims.',
      'x-access': 'bearer',
      parameters: [
        { name: 'id<', in: 'path<', required: true, description: 'Its <id>.' },
        { name: 'q', in: 'query' },
      ],
      requestBody: json({ type: 'object' }),
      responses: { 200: json({ type: 'null' }), '4XX<': { description: 'Refused.' }, 204: { content: {} } },
    });
    expect(html).toBe(
      '<details><summary><code class="method">PUT</code> <code>/lamps/{id}</code> ' +
        '<span>Changes &lt;lamp&gt;</span></summary>\n' +
        '<p>Lights &amp; dims. <em>Who may call it: any local program with the member token.</em></p>\n' +
        '<h4>Parameters</h4><ul><li><code>id&lt;</code> (path&lt;, required) Its &lt;id&gt;.</li>' +
        '<li><code>q</code> (query) </li></ul>' +
        '<h4>Body</h4><pre>{\n  &quot;type&quot;: &quot;object&quot;\n}</pre>' +
        '<h4>Answers</h4><ul><li><code>200</code> {&quot;type&quot;:&quot;null&quot;}</li>' +
        '<li><code>204</code> {}</li><li><code>4XX&lt;</code> {}</li></ul></details>',
    );
  });

  it('is told without what it does not have', () => {
    expect(operationHtml({})).toBe(
      '<details><summary><code class="method">PUT</code> <code>/lamps/{id}</code> <span></span></summary>\n' +
        '<p> <em>Who may call it: this machine’s user, no credential.</em></p>\n</details>',
    );
  });

  it('with a body that is no JSON has an empty schema', () => {
    expect(operationHtml({ requestBody: { content: { 'text/csv': {} } } })).toContain('<h4>Body</h4><pre>{}</pre>');
  });

  it.each([
    ['operator', 'this machine’s user, no credential'],
    ['bearer', 'any local program with the member token'],
    ['public', 'any local program'],
    ['page', 'a browser'],
    ['card', 'anyone local, any origin'],
  ])('for %s may be called by %s', (access, who) => {
    expect(operationHtml({ 'x-access': access })).toContain(`<em>Who may call it: ${who}.</em>`);
  });
});
