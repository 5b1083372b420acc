import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { MeshError } from '../../lib/errors.js';
import { type JsonAdapter, JsonFile, type JsonObject } from '../../storage/files/json-file.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';
import { type EndedRun, type StoredRun, TestRuns } from './test-runs.js';

const RUN: StoredRun = {
  at: '2026-01-01T00:00:00Z',
  member_revision: 'r',
  member_sha256: 'm',
  tests_sha256: 't',
  outcome: 'running',
  results: [
    { question: 'A?', passed: true, failures: [], request_id: 'req-1', latency_ms: 3, error_code: null },
    { question: 'B?', passed: false, failures: ['x'], request_id: null, latency_ms: null, error_code: 'deadline' },
  ],
};
const ENDED: EndedRun = { ...RUN, outcome: 'finished' };

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

/** Runs over a file in memory whose writes fail while `disk.isFull`. */
async function someRuns(content: JsonObject | null = null) {
  const disk = { content, isFull: false, writes: 0 };
  const warnings: string[] = [];
  const file: JsonAdapter = {
    read: async () => disk.content,
    write: async (data) => {
      if (disk.isFull) throw new MeshError('no_space', 'The disk is full.');
      disk.writes += 1;
      disk.content = structuredClone(data);
    },
  };
  const runs = new TestRuns(file, (message) => void warnings.push(message));
  await runs.load();
  return { runs, disk, warnings };
}

describe('the file of the runs', () => {
  it('holds of each member the run that is under way, else the last that ended', async () => {
    const { runs, disk } = await someRuns();
    await runs.end('ada', ENDED);
    await runs.end('bea', ENDED);
    await runs.begin('ada', RUN);
    expect(disk.content).toEqual({ ada: RUN, bea: ENDED });
    expect(runs.find('ada')).toEqual(ENDED);
    await runs.note('ada', { ...RUN, results: [] });
    expect(disk.content).toEqual({ ada: { ...RUN, results: [] }, bea: ENDED });
    await runs.end('ada', { ...ENDED, outcome: 'cancelled' });
    expect(disk.content).toEqual({ ada: { ...ENDED, outcome: 'cancelled' }, bea: ENDED });
    expect(runs.find('ada')?.outcome).toBe('cancelled');
  });

  it('is loaded but for what is no run: that one is left out', async () => {
    const { runs, warnings } = await someRuns({
      ...{ ada: ENDED, bea: { ...ENDED, outcome: 'won' }, cleo: { ...ENDED, at: 7 }, dan: null, eve: [] },
      ...{ fay: { ...ENDED, outcome: 'cancelled' }, gil: { ...ENDED, outcome: 'interrupted' }, hal: RUN },
      ...{ ida: { ...ENDED, results: [{}] }, jan: { ...ENDED, member_sha256: undefined } },
    });
    const ids = ['ada', 'bea', 'cleo', 'dan', 'eve', 'fay', 'gil', 'hal', 'ida', 'jan'];
    const loaded = Object.fromEntries(ids.map((id) => [id, runs.find(id)?.outcome]));
    expect(loaded).toEqual({ ada: 'finished', fay: 'cancelled', gil: 'interrupted', hal: 'interrupted' });
    expect(runs.find('ada')).toEqual(ENDED);
    expect(warnings).toEqual([]);
  });

  it.each(['member_revision', 'tests_sha256', 'outcome', 'results'])('of which %s is missing is none', async (key) => {
    const { runs } = await someRuns({ ada: { ...ENDED, [key]: undefined } });
    expect(runs.find('ada')).toBeUndefined();
  });

  it('that is damaged is a warning, and any other failure is one of the start', async () => {
    const warnings: string[] = [];
    const failing = (error: Error) =>
      new TestRuns({ read: () => Promise.reject(error), write: async () => undefined }, (message) => {
        warnings.push(message);
      });
    await failing(new MeshError('store_readonly', 'It is not JSON.')).load();
    expect(warnings).toEqual(['It is not JSON.']);
    await expect(failing(new TypeError('a fault')).load()).rejects.toThrow('a fault');
  });
});

describe('a full disk', () => {
  it('refuses the start of a run, of which nothing is left', async () => {
    const { runs, disk } = await someRuns();
    disk.isFull = true;
    await expect(runs.begin('ada', RUN)).rejects.toMatchObject({ code: 'no_space' });
    disk.isFull = false;
    await runs.end('bea', ENDED);
    expect(disk.content).toEqual({ bea: ENDED });
  });

  it('is a warning in the middle and at the end of a run, which goes on', async () => {
    const { runs, disk, warnings } = await someRuns();
    disk.isFull = true;
    await runs.note('ada', RUN);
    await runs.end('ada', ENDED);
    expect(warnings).toEqual([
      'How far the tests of ada are could not be written: The disk is full.',
      'The tests of ada could not be written: The disk is full.',
    ]);
    expect(runs.find('ada')).toEqual(ENDED);
  });
});

describe('forgetting', () => {
  it('removes what is kept of a member, and writes nothing when that is nothing', async () => {
    const { runs, disk } = await someRuns();
    await runs.end('ada', ENDED);
    await runs.begin('ada', RUN);
    await runs.begin('bea', RUN);
    await runs.end('cleo', ENDED);
    const { writes } = disk;
    await runs.forget('nobody');
    expect(disk.writes).toBe(writes);
    await runs.forget('ada');
    await runs.forget('bea');
    expect(disk.writes).toBe(writes + 2);
    expect([disk.content, runs.find('ada')]).toEqual([{ cleo: ENDED }, undefined]);
    await runs.forget('cleo');
    expect(disk.content).toEqual({});
  });
});
