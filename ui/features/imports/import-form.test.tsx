// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { ImportCandidate } from '../../../daemon/contract/imports.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { ImportForm } from './import-form.js';

removeAfterEach();

const found = (id: string, more: Partial<ImportCandidate> = {}): ImportCandidate => ({
  ...{ source: `.claude/agents/${id}.md`, entry: null, format: 'claude', scope: 'project', id, name: id },
  ...{ description: '', state: 'new', sha256: 'a', fields: [], notes: [], ...more },
});
const FOUND = [found('builder'), found('scribe', { state: 'conflict', suggested: 'scribe-2' })];
const drawForm = () => drawPart(<ImportForm found={FOUND} onImported={() => undefined} />);

it('selects none and all', async () => {
  const calls = stubDaemon();
  const page = await drawForm();
  await page.press('Clear');
  expect(page.buttons()).toContain('Import 0 members. Select at least one agent.');
  await page.press('Select all 2');
  await page.press('Import 2 members');
  expect(calls).toMatchObject([{ method: 'POST', path: '/imports' }]);
});

it('imports nothing while one id is not valid', async () => {
  const calls = stubDaemon();
  const page = await drawForm();
  await page.press('Select all 2');
  await page.type('Id of scribe', 'Lamp Builder');
  await page.press(/^Import 2 members. An id is a duplicate or not valid/);
  expect(calls).toEqual([]);
});
