import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { RegistryList } from '../../contract/network/registry.js';
import { ENTRY, fetchRecord } from '../../testing/apps/registering.js';
import { daemon, meshd, Session } from '../../testing/processes/command-line.js';
import { putFiles } from '../../testing/temporary-folder.js';

const line = (index: number, more: object = {}) => JSON.stringify({ ...ENTRY, agent_id: `agent-${index}`, ...more });

describe('meshd catalog import', () => {
  it('imports a file in batches, with progress on stderr and the totals on stdout', async () => {
    const app = await daemon();
    putFiles(app.root, { 'all.jsonl': `${Array.from({ length: 2500 }, (_, index) => line(index)).join('\n')}\n` });
    const path = join(app.root, 'all.jsonl');
    const { exit, out, err } = await meshd(app.root, 'catalog', 'import', path);
    expect([exit, out]).toEqual([0, '2500 added, 0 updated, 0 refused.\n']);
    expect(err).toBe('1001 lines read.\n2001 lines read.\n2500 lines read.\n');
    expect(await fetchRecord(app, 'agent-2499')).toMatchObject({
      registered: false,
      catalog: { agent_id: 'agent-2499' },
    });
    expect(await meshd(app.root, 'catalog', 'import', path, '--json')).toEqual({
      exit: 0,
      out: `${JSON.stringify({ added: 0, updated: 2500, refused: [] }, null, 2)}\n`,
      err: '',
    });
  });

  it('reports refused lines with number and reason, imports the others, and exits 1', async () => {
    const app = await daemon();
    const lines = [
      line(1),
      '',
      'not JSON',
      line(4, { mood: 'fine' }),
      line(5),
      `{"agent_id": "${'x'.repeat(70_000)}"}`,
      line(7, { url: 'ftp://x' }),
    ];
    putFiles(app.root, { 'some.jsonl': lines.join('\r\n') });
    const path = join(app.root, 'some.jsonl');
    const { exit, out, err } = await meshd(app.root, 'catalog', 'import', path);
    expect([exit, out]).toEqual([1, '2 added, 0 updated, 4 refused.\n']);
    expect(err.split('\n')).toEqual([
      `${path}:3: The line is not JSON.`,
      `${path}:4: agent-4: "mood" is no key of a catalog entry.`,
      `${path}:6: The line is longer than 65536 characters.`,
      `${path}:7: agent-7: "url" must be an http: or https: URL.`,
      '7 lines read.',
      '',
    ]);
    const told = await meshd(app.root, 'catalog', 'import', path, '--json');
    expect([told.exit, told.err]).toEqual([1, '']);
    expect((JSON.parse(told.out) as { refused: { line: number }[] }).refused.map((row) => row.line)).toEqual([
      3, 4, 6, 7,
    ]);
  });

  it('sends no batch above the body limit', async () => {
    const app = await daemon();
    const description = 'x'.repeat(3900);
    putFiles(app.root, {
      'large.jsonl': Array.from({ length: 600 }, (_, index) => line(index, { description })).join('\n'),
    });
    const { exit, out, err } = await meshd(app.root, 'catalog', 'import', join(app.root, 'large.jsonl'));
    expect([exit, out]).toEqual([0, '600 added, 0 updated, 0 refused.\n']);
    // Each batch is as large as may be.
    expect(err.match(/lines read/g)).toHaveLength(3);
    expect(((await app.call('GET', '/v1/agents?registered=false&limit=200')).body as RegistryList).count).toBe(200);
  });

  it('reads a line whole that has line separators and lone carriage returns in it', async () => {
    const app = await daemon();
    const entry = line(1, { description: 'One\u2028two\u2029three.' }).replaceAll(',"', ',\r"');
    putFiles(app.root, { 'separators.jsonl': entry });
    const { exit, out } = await meshd(app.root, 'catalog', 'import', join(app.root, 'separators.jsonl'));
    expect([exit, out]).toEqual([0, '1 added, 0 updated, 0 refused.\n']);
  });

  it('reads stdin for -', async () => {
    const app = await daemon();
    const session = new Session(app.root, true).start(['catalog', 'import', '-']);
    session.stdin.end(`${line(1)}\n`);
    expect([await session.exit, session.out]).toEqual([0, '1 added, 0 updated, 0 refused.\n']);
  });

  it('exits 4 for a missing file, and 3 without a daemon', async () => {
    const app = await daemon();
    expect(await meshd(app.root, 'catalog', 'import', join(app.root, 'none.jsonl'))).toMatchObject({
      exit: 4,
      out: '',
    });
    await app.stop();
    expect(await meshd(app.root, 'catalog', 'import', 'none.jsonl')).toMatchObject({ exit: 3, out: '' });
  });
});
