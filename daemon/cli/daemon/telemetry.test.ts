import { describe, expect, it } from 'vitest';
import type { Telemetry } from '../../contract/telemetry.js';
import { daemon, meshd } from '../../testing/processes/command-line.js';
import { OtlpCollector } from '../../testing/stand-ins/otlp-collector.js';
import { temporaryFolder } from '../../testing/temporary-folder.js';

const KEY = 'collector-key-8Hq3xW';

describe('meshd telemetry', () => {
  it('is off, is set with headers of a file, tests the collector, and is turned off', async () => {
    const { root } = await daemon();
    const collector = await OtlpCollector.start();
    const folder = temporaryFolder({ 'headers.txt': `\nAuthorization: Bearer ${KEY}\nX-Tenant: harbour\n` });
    expect((await meshd(root, 'telemetry', 'show')).out).toBe('Telemetry is off: nothing is sent.\n');
    expect(await meshd(root, 'telemetry', 'test')).toMatchObject({ exit: 4 });

    const headers = ['--header-file', `${folder}/headers.txt`];
    const set = await meshd(root, 'telemetry', 'set', collector.address, ...headers, '--content');
    expect(set.out).toBe(
      `Address       ${collector.address}\nSends         traces and metrics, with texts\n` +
        'Headers       Authorization, X-Tenant\nSpans         0 sent, 0 waiting, 0 dropped\n' +
        'Last success  none yet\n',
    );
    const passed = await meshd(root, 'telemetry', 'test');
    expect([passed.exit, passed.out]).toEqual([
      0,
      expect.stringMatching(/^The collector answered 200\. Trace [0-9a-f]{32}, \d+ ms\.\n$/),
    ]);
    expect(collector.requests[0]?.headers).toMatchObject({ authorization: `Bearer ${KEY}`, 'x-tenant': 'harbour' });
    collector.reply = { status: 503 };
    const failed = await meshd(root, 'telemetry', 'test', '--json');
    expect([failed.exit, JSON.parse(failed.out)]).toEqual([1, expect.objectContaining({ ok: false, status: 503 })]);
    const told = await meshd(root, 'telemetry', 'test');
    expect(told).toEqual({ exit: 1, out: '', err: expect.stringMatching(/^The collector answered 503/) });
    const shown = await meshd(root, 'telemetry', 'show');
    const { last_success_at } = JSON.parse((await meshd(root, 'telemetry', 'show', '--json')).out) as Telemetry;
    expect(shown.out).toContain(`\nLast success  ${last_success_at?.slice(0, 19).replace('T', ' ')} UTC\n`);
    expect(shown.out).toMatch(/\nLast error {4}\S+ \S+ UTC: Traces: The collector answered 503\.\n$/);
    expect(shown.out).not.toContain(KEY);
    const bare = await meshd(root, 'telemetry', 'set', 'http://127.0.0.1:9');
    expect(bare.out).toMatch(
      /^Address +http:\/\/127\.0\.0\.1:9\nSends +traces and metrics, without texts\nHeaders +none\n/,
    );
    const off = await meshd(root, 'telemetry', 'off', '--json');
    expect(JSON.parse(off.out)).toMatchObject({ address: null, header_names: [] });
  });

  it('names the line of a header file that is none, and no part of it', async () => {
    const { root } = await daemon();
    const folder = temporaryFolder({ 'headers.txt': `X-Tenant: harbour\n${KEY}\n` });
    const file = `${folder}/headers.txt`;
    const wrong = await meshd(root, 'telemetry', 'set', 'http://127.0.0.1:4318', '--header-file', file);
    expect([wrong.exit, wrong.err]).toEqual([2, expect.stringContaining(`Line 2 of ${file} is not a header`)]);
    expect(wrong.err).not.toContain(KEY);
    const lost = await meshd(root, 'telemetry', 'set', 'http://127.0.0.1:4318', '--header-file', `${folder}/none`);
    expect(lost.exit).toBe(4);
    const address = await meshd(root, 'telemetry', 'set', 'collector.example:4318');
    expect([address.exit, address.err]).toEqual([2, expect.stringContaining('"collector.example:4318"')]);
  });
});
