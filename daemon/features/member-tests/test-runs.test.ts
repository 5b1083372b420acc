import { join } from 'node:path';
import { expect, it } from 'vitest';
import { JsonFile } from '../../storage/files/json-file.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type StoredRun, TestRuns } from './test-runs.js';

const RUN: StoredRun = {
  at: '2026-01-01T00:00:00Z',
  member_revision: 'r',
  member_sha256: 'm',
  tests_sha256: 't',
  outcome: 'running',
  results: [],
};

it('forgets a run that is under way, so that no later daemon takes it for interrupted', async () => {
  const path = join(temporaryFolder(), 'member-tests.json');
  const open = async () => {
    const runs = new TestRuns(new JsonFile(path, 0o600), () => undefined);
    await runs.load();
    return runs;
  };
  const runs = await open();
  await runs.begin('keeper', RUN);
  await runs.begin('painter', RUN);
  await runs.forget('keeper');
  const later = await open();
  expect([later.find('keeper'), later.find('painter')]).toEqual([undefined, { ...RUN, outcome: 'interrupted' }]);
});
