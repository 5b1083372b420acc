import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { AskStore } from './features/asks/ask-store.js';
import { TurnsStore } from './features/conversations/turns-store.js';
import { CallsStore } from './features/spending/calls-store.js';
import { SpentStore } from './features/spending/spent-store.js';
import { Database } from './storage/database/database.js';
import { temporaryFolder } from './testing/temporary-folder.js';

it('work in progress is found by an index, however many records exist', () => {
  const database = new Database(join(temporaryFolder(), 'mesh.db'));
  onTestFinished(() => database.close());
  const asked = vi.spyOn(database, 'sql');
  const asks = new AskStore(database);
  const turns = new TurnsStore(database);
  const calls = new CallsStore(database);
  asks.listLive();
  asks.countLive('consultant');
  asks.countAllLive();
  turns.listOpen();
  turns.listOpen('conv');
  turns.countOpen('conv');
  calls.listLive('running');
  calls.listLive('waiting');
  calls.countRunning();
  new SpentStore(database).listOwed();
  const texts = asked.mock.calls.map(([text]) => text);
  expect(texts).toHaveLength(10);
  for (const text of texts) {
    const plan = database.sql(`EXPLAIN QUERY PLAN ${text}`);
    const steps = plan.all(...Array.from(text.matchAll(/\?/g), () => 'x')) as { detail: string }[];
    const [first] = steps.map(({ detail }) => detail);
    expect(first, text).toMatch(/USING (COVERING )?INDEX \w+(_live|_open|_owed)/);
  }
});
