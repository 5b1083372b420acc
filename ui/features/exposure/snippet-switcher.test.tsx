// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { SNIPPET_FAMILIES } from './snippet-kinds.js';
import { SnippetSwitcher } from './snippet-switcher.js';

removeAfterEach();

const [FIRST] = SNIPPET_FAMILIES;
const LAST = SNIPPET_FAMILIES[SNIPPET_FAMILIES.length - 1];

it.each([
  ['ArrowLeft', FIRST, LAST],
  ['ArrowRight', LAST, FIRST],
])('goes around the ends of the languages by %s', async (key, from, to) => {
  stubDaemon(() => ({ status: 503, body: {} }));
  const kinds: string[] = [];
  const page = await drawPart(
    <SnippetSwitcher
      target={{ origin: 'http://127.0.0.1:4400', member: 'consultant' } as never}
      token="mk_1"
      kind={from?.kinds[0] ?? 'curl'}
      onKind={(kind) => kinds.push(kind)}
    />,
  );
  await page.send(page.button(from?.name ?? ''), 'keydown', { key });
  expect(kinds).toEqual([to?.kinds[0]]);
});
