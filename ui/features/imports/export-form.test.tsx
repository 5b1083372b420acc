// @vitest-environment happy-dom
import { expect, it } from 'vitest';
import type { Exported, ExportedList } from '../../../daemon/contract/imports.js';
import { drawPart, removeAfterEach, stubDaemon } from '../../testing/drawn.js';
import { ExportForm } from './export-form.js';

removeAfterEach();

const file = (id: string): Exported => ({
  ...{ id, format: 'claude', path: `.claude/agents/${id}.md`, content: '', current: null, state: 'new' },
  ...{ written: false, losses: [] },
});
const list = (changed: Partial<ExportedList> = {}): ExportedList => ({
  ...{ files: ['builder', 'deployer'].map(file), count: 2, leftovers: [], ...changed },
});

it('leaves what was deselected deselected after the others were written', async () => {
  const calls = stubDaemon(({ body }) => ({
    body: list({ files: (body as { ids: string[] }).ids.map((id) => ({ ...file(id), written: true })) }),
  }));
  const page = await drawPart(<ExportForm tool="claude" list={list()} isOne={false} />);
  await page.tick(/deployer/);
  await page.press('Write 1 file');
  expect(calls[0]?.body).toEqual({ format: 'claude', ids: ['builder'], replace: [], write: true });
  expect((page.field(/deployer/) as HTMLInputElement).checked).toBe(false);
});

it('removes the files of members that are gone', async () => {
  const leftovers = [{ id: 'scribe', path: '.claude/agents/scribe.md' }] as ExportedList['leftovers'];
  const calls = stubDaemon(() => ({ body: list({ leftovers }) }));
  const page = await drawPart(<ExportForm tool="claude" list={list({ leftovers })} isOne={false} />);
  await page.press('Remove 1 file');
  expect(calls[0]).toMatchObject({
    ...{ method: 'POST', path: '/exports', body: { format: 'claude', ids: [], prune: true, write: true } },
  });
  expect(page.words()).toContain('1 file removed.');
});
