// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Drift } from '../../../daemon/contract/imports.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import DriftNotice from './drift-notice.js';

removeAfterEach();

const drift = (changed: Partial<Drift>) =>
  ({
    ...{ id: 'scribe', source: '.claude/agents/scribe.md', state: 'changed', format: 'claude', member_edited: false },
    ...{ fields: [{ key: 'body', shown: 'New words', fate: 'taken' }], ...changed },
  }) as Drift;
const drawNotice = (one: Drift) => drawPart(<DriftNotice id="scribe" />, { known: [[['imports', 'drift'], [one]]] });

it('offers no pull from a source that is gone or cannot be read', async () => {
  stubDaemon();
  const gone = await drawNotice(drift({ state: 'gone' }));
  expect(gone.words()).toContain('The source is gone.');
  expect(gone.buttons()).toEqual(['Ignore this change']);
  const unreadable = await drawNotice(drift({ fields: [{ key: 'file', note: 'No front matter.' }] as never }));
  expect(unreadable.buttons()).toEqual(['Ignore this change']);
});

it('undoes a pull only while the member is as the pull left it', async () => {
  let revision = 'r1';
  const calls = stubDaemon(({ method, path }) => {
    if (method === 'PUT') return { status: 412, body: { error: 'stale', message: 'It was changed.' } };
    if (path === '/team/scribe/file') return { body: { text: 'Before.', revision } };
    if (method !== 'POST') return { body: { drifted: [drift({})] } };
    revision = 'r2';
    return { body: {} };
  });
  const page = await drawNotice(drift({}));
  await page.press('Pull the change');
  await page.press('Undo');
  const undo = calls.find(({ method }) => method === 'PUT');
  expect(undo).toMatchObject({ path: '/team/scribe/file', body: { text: 'Before.' } });
  expect(Object.entries(undo?.headers ?? {}).find(([name]) => /^if-match$/i.test(name))?.[1]).toContain('r2');
  expect(page.words()).toContain('scribe was edited since and was not changed.');
});
