import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const page = readFileSync(new URL('./index.html', import.meta.url), 'utf8');

// A translation moves text nodes, which React then fails to remove, and sends code and logs to a service.
it('browsers do not translate the dashboard', () => {
  expect(page).toMatch(/<html [^>]*translate="no"/);
  expect(page).toContain('<meta name="google" content="notranslate" />');
});
