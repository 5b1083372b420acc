import { createHmac } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { AskRecord, CitationStatus } from '../../contract/asks.js';
import { recordedTerminal } from '../../testing/processes/recorded-terminal.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { ownState } from '../../testing/user-folders.js';
import { run } from '../program.js';

const TOKEN = `mk_${'t'.repeat(43)}`;
const RECORD: AskRecord = {
  request_id: 'req-1',
  member: 'sage',
  conv: 'conv-1',
  status: 'running',
  created_at: '',
  client: 'builtin',
  model: 'none',
};

/** Starts a daemon with one exposed member, `sage`, whose polls return `records` in order; the last one is repeated. */
async function scripted(records: readonly Partial<AskRecord>[]): Promise<{ root: string; seen: string[] }> {
  const seen: string[] = [];
  const left = [...records];
  const answers: Record<string, () => object> = {
    'GET /team/sage': () => ({ id: 'sage', token: TOKEN }),
    'GET /team/mute': () => ({ id: 'mute' }),
    'POST /team/sage/ask': () => ({
      request_id: 'req-1',
      conv: 'conv-1',
      status: 'queued',
      poll: '/team/requests/req-1',
    }),
    'GET /team/requests/req-1': () => ({ ...RECORD, ...(left.length > 1 ? left.shift() : left[0]) }),
  };
  const server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://daemon');
    const nonce = url.searchParams.get('nonce');
    if (nonce) return response.end(JSON.stringify({ proof: createHmac('sha256', 'hush').update(nonce).digest('hex') }));
    const call = `${request.method} ${url.pathname}`;
    seen.push(`${call}${request.headers.authorization === `Bearer ${TOKEN}` ? ' with token' : ''}`);
    const answer = answers[call];
    if (!answer) return response.writeHead(404).end('{"error":"not_found","message":"There is no such member."}');
    return response.end(JSON.stringify(answer()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const root = temporaryFolder();
  putFiles(root, {
    '.mesh/state/daemon.json': JSON.stringify({ pid: 1, port, address: `http://127.0.0.1:${port}`, secret: 'hush' }),
  });
  chmodSync(join(root, '.mesh/state/daemon.json'), 0o600);
  return { root: ownState(root), seen };
}

async function ask(root: string, ...args: string[]): Promise<{ exit: number; out: string; err: string }> {
  const { terminal, text } = recordedTerminal();
  return {
    exit: await run(['ask', ...args, '--root', root], terminal, new URL('../meshd.ts', import.meta.url).href),
    ...text,
  };
}

const cited = (status: CitationStatus, path: string) => ({
  path,
  start_line: 3,
  end_line: 9,
  commit: null,
  sha256: '',
  quote: '',
  status,
});

describe('an ask', () => {
  it('is sent with the member token, waits, and prints the answer with its citations', async () => {
    const { root, seen } = await scripted([
      { status: 'queued', queue_position: 2 },
      { status: 'running', progress: { stage: 'reading', done: 1, total: 2 } },
      {
        status: 'done',
        result_text: 'Because.\n',
        citations: [cited('checked', 'a.ts'), cited('moved', 'b.ts'), cited('dropped', 'c.ts')],
      },
    ]);
    const { exit, out, err } = await ask(root, 'sage', 'Why?');
    expect([exit, out]).toEqual([0, 'Because.\n\na.ts:3-9 ✓\nb.ts:3-9 → moved\n']);
    expect(err).toBe('queued, place 2\nworking: reading\n1 citation did not hold and was dropped.\n');
    expect(seen).toEqual([
      'GET /team/sage',
      'POST /team/sage/ask with token',
      ...Array(3).fill('GET /team/requests/req-1 with token'),
    ]);
  });

  it.each([
    ['found', '**Dusk\\_x** is here. [1]', '● Found: 1 quote verified, 12 files searched\n\nDusk_x is here. [1]\n'],
    ['likely', 'Probably here: `a.ts:3-9`.', '◐ Probably here: 1 quote verified, 12 files searched\n\n'],
  ] as const)('prints what is %s by a word, as plain text, with every source once', async (confidence, lead, head) => {
    const { root } = await scripted([
      {
        status: 'done',
        result_text: `${lead}\n\n[1] \`a.ts:3-9\` — lights\\_on\n\`\`\`ts\nlet a_b;\n\`\`\`\n`,
        citations: [cited('checked', 'a.ts')],
        confidence,
        searched: { files: 12, left_out: 0 },
        total: 1,
      },
    ]);
    const { exit, out } = await ask(root, 'sage', 'Why?');
    expect([exit, out]).toEqual([
      0,
      `${head}${head.endsWith(']\n') ? '\n' : ''}[1] lights_on\na.ts:3-9 ✓\n    let a_b;\n`,
    ]);
  });

  it('says what was searched when nothing was found, and exits 0', async () => {
    const { root } = await scripted([
      {
        status: 'done',
        result_text: 'Not found in this project.\n\nSearched 1 files for `x`.',
        citations: [],
        confidence: 'none',
        searched: { files: 1, left_out: 3, not_text: 2 },
        total: 0,
      },
    ]);
    const { exit, out } = await ask(root, 'sage', 'Why?');
    expect([exit, out]).toEqual([
      0,
      '○ Not found: 1 file searched, 3 left out, 2 not text\n\nSearched 1 files for x.\n',
    ]);
  });

  it('shows where a quote has gone, and which have changed', async () => {
    const given = { start_line: 3, end_line: 9, commit: null, status: 'checked' as const };
    const moved = { ...cited('moved', 'a.ts'), start_line: 13, end_line: 19, given };
    const changed = { ...cited('changed', 'b.ts'), given };
    const { root } = await scripted([
      {
        status: 'done',
        result_text: '[1] `a.ts:3-9`\n> a\n\n[2] `b.ts:3-9`\n> b',
        citations: [moved, changed, { ...moved, path: 'c.ts' }],
      },
    ]);
    expect((await ask(root, 'sage', 'Why?')).out).toBe(
      '[1]\na.ts:3-9 → moved to 13-19\n    a\n\n[2]\nb.ts:3-9 ≠ changed\n    b\n\nc.ts:13-19 → moved from 3-9\n',
    );
  });

  it.each([
    ['a member that fails', 7, { code: 'client_failed', message: 'it broke' }],
    ['a request that was stopped', 7, { code: 'cancelled', message: 'by its caller' }],
    ['a member that ran out of time', 8, { code: 'deadline', message: 'after 10 minutes' }],
    ['a permission that nobody gave', 9, { code: 'needs_permission', message: 'to run a command' }],
  ] as const)('ends %s with exit %i and the reason', async (_, exit, error) => {
    const { root } = await scripted([{ status: 'error', error }]);
    const outcome = await ask(root, 'sage', 'Why?');
    expect(outcome).toMatchObject({ exit, out: '' });
    expect(outcome.err).toContain(
      `req-1 ${error.code === 'cancelled' ? 'stopped' : 'failed'}: ${error.message} (${error.code})`,
    );
  });

  it.each([
    ['running', 8, 'still working after 0 s and goes on'],
    ['needs_input', 9, 'needs your decision'],
  ] as const)('that is %s at the deadline exits %i with its id', async (status, exit, words) => {
    const { root } = await scripted([{ status }]);
    const outcome = await ask(root, 'sage', 'Why?', '--wait', '0');
    expect(outcome.exit).toBe(exit);
    expect(outcome.err).toContain('meshd requests show req-1');
    expect(outcome.err).toContain(words);
  });

  it('prints one object with --json whatever the outcome, with the reason, and no prose', async () => {
    const { root } = await scripted([{ status: 'error', error: { code: 'client_failed', message: 'it broke' } }]);
    const { exit, out, err } = await ask(root, 'sage', 'Why?', '--json');
    expect(exit).toBe(7);
    expect(JSON.parse(out)).toMatchObject({ request_id: 'req-1', status: 'error', error: { message: 'it broke' } });
    expect(err).toBe('');
  });

  it('never prints an escape sequence of an answer', async () => {
    const { root } = await scripted([
      {
        status: 'done',
        result_text: 'a\u001b]0;title\u0007b',
        citations: [cited('checked', 'x\u001b[2J\nmeshd: done.ts')],
      },
    ]);
    const { out } = await ask(root, 'sage', 'Why?');
    expect(out).toContain('title');
    // A file name cannot start a new line either.
    expect(out).toContain('x\\x1b[2J\\x0ameshd: done.ts:');
    expect(out).not.toContain('\u001b');
    expect(out).not.toContain('\u0007');
  });

  it('is not sent for an internal member, an unknown one or an empty question', async () => {
    const { root, seen } = await scripted([{ status: 'done' }]);
    expect(await ask(root, 'mute', 'Why?')).toMatchObject({
      exit: 5,
      err: expect.stringContaining('meshd team expose mute'),
    });
    expect(await ask(root, 'nobody', 'Why?')).toMatchObject({
      exit: 4,
      err: expect.stringContaining('There is no such member.'),
    });
    expect(await ask(root, 'sage', '')).toMatchObject({ exit: 2 });
    expect(seen.some((call) => call.startsWith('POST'))).toBe(false);
  });
});
