import { unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { verifyReceiptSignature } from '../../client/receipt-signature.js';
import type { AskRecord, RequestDetail } from '../../contract/asks.js';
import { openSqlite } from '../../storage/database/sqlite.js';
import { begin, events, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { putFiles } from '../../testing/temporary-folder.js';

const README =
  '# Lamp\n\nLamp switches the harbour lights on at dusk.\n\n## Run it\n\nStart it; it listens on port 8123.\n';
const DUSK = 'export const DUSK_ANGLE_DEGREES = -6;\n';
const ANSWER = 'The port is 8123 (README.md:7). Dusk is at -6 degrees (dusk.ts:1).';

/** An app whose member answers with two places, and the request of that answer. */
async function answered(): Promise<{ app: TestApp; rid: string; given: AskRecord }> {
  const agent = new ScriptedAgent('acp', () => answers(ANSWER));
  const app = await testApp({ clients: [agent], files: { 'README.md': README, 'dusk.ts': DUSK } });
  const { request_id: rid } = await app.ask('consultant', { text: 'On which port?' });
  return { app, rid, given: await app.poll('consultant', rid, 30) };
}

const places = ({ citations = [] }: Partial<AskRecord>) =>
  citations.map(({ path, start_line, status }) => [path, start_line, status]);
const detail = async (app: TestApp, rid: string) =>
  (await app.call('GET', `/requests/${rid}`)).body as unknown as RequestDetail;

describe('the citations of an answer that is read', () => {
  it('are as they were given while their quotes are at their lines', async () => {
    const { app, rid, given } = await answered();
    expect(places(given)).toEqual([
      ['README.md', 7, 'checked'],
      ['dusk.ts', 1, 'checked'],
    ]);
    putFiles(app.root, { 'other.md': 'Something else.\n' });
    await app.untilIndexed();
    expect(await app.poll('consultant', rid)).toEqual(given);
    expect((await detail(app, rid)).citations).toEqual(given.citations);
    expect(given).not.toHaveProperty('confidence');
  });

  it('are moved or changed with the working tree, keep what was given, and still fit the receipt', async () => {
    const { app, rid, given } = await answered();
    putFiles(app.root, { 'README.md': `A line before.\n\n${README}` });
    unlinkSync(join(app.root, 'dusk.ts'));
    await app.untilIndexed();
    const [readme, dusk] = given.citations ?? [];
    const was = { start_line: 7, end_line: 7, commit: readme?.commit, status: 'checked' };
    const now = [
      { ...readme, start_line: 9, end_line: 9, commit: null, status: 'moved', given: was },
      { ...dusk, status: 'changed', given: { ...was, start_line: 1, end_line: 1, commit: dusk?.commit } },
    ];
    const seen = await app.poll('consultant', rid);
    expect(seen.citations).toEqual(now);
    expect(seen.receipt).toEqual(given.receipt);
    expect((await detail(app, rid)).citations).toEqual(now);
    expect(await verifyReceiptSignature(seen.receipt, seen)).toEqual({ valid: true, reasons: [] });
    const forged = { ...seen, citations: [{ ...now[0], quote: 'on port 9999' }, now[1]] as AskRecord['citations'] };
    expect((await verifyReceiptSignature(seen.receipt, forged)).valid).toBe(false);

    // What is stored stays as it was given, and so what is read follows the tree back.
    putFiles(app.root, { 'README.md': README, 'dusk.ts': DUSK });
    await app.untilIndexed();
    expect(await app.poll('consultant', rid)).toEqual(given);
    await app.stop();
    const stored = openSqlite(join(app.root, '.mesh/state/mesh.db'), { readonly: true });
    expect(JSON.parse(stored.prepare('SELECT citations FROM asks').pluck().get() as string)).toEqual(given.citations);
    stored.close();
  });

  it('are looked at for a message of a conversation too, by what its reader may see', async () => {
    const agent = new ScriptedAgent('acp', () => answers('See notes.md:1 and dusk.ts:1.'));
    const app = await testApp({ clients: [agent], files: { 'README.md': README, 'dusk.ts': DUSK } });
    putFiles(app.root, { 'notes.md': 'The keeper paints the tower gold.\n' });
    await app.untilIndexed();
    const { conv } = await begin(app, { member: 'developer' });
    const client = await events(app);
    const { turn } = await postMessage(app, conv, 'Where?');
    await client.until((frame) => frame.type === 'turn.ended' && frame.turn === turn);
    const citations = async () => places((await read(app, conv)).messages.at(-1) ?? {});
    expect(await citations()).toEqual([
      ['notes.md', 1, 'checked'],
      ['dusk.ts', 1, 'checked'],
    ]);
    putFiles(app.root, { 'dusk.ts': `\n\n${DUSK}` });
    await app.untilIndexed();
    expect(await citations()).toEqual([
      ['notes.md', 1, 'checked'],
      ['dusk.ts', 3, 'moved'],
    ]);
  });
});

describe('an answer of the built-in search', () => {
  it.each([
    ['On which port does it listen?', 'likely'],
    ['What is this project?', 'found'],
    ['Which Kubernetes ingress controller terminates the payments webhook?', 'none'],
  ])('to "%s" is %s, in the record, the list and the message', async (text, confidence) => {
    const app = await testApp();
    const { request_id, conv } = await app.ask('consultant', { text });
    const record = await app.poll('consultant', request_id, 30);
    const total = record.citations?.length;
    expect(record).toMatchObject({ confidence, searched: { files: 2, left_out: 0 }, total });
    expect(await detail(app, request_id)).toMatchObject({ confidence, searched: { files: 2, left_out: 0 }, total });
    expect((await app.call('GET', '/requests')).body).toMatchObject({ requests: [{ confidence }] });
    expect((await app.call('GET', `/requests?kind=${confidence}`)).body).toMatchObject({ count: 1 });
    expect((await app.call('GET', '/requests?kind=answered')).body).toMatchObject({ count: 0 });
    expect((await read(app, conv)).messages.at(-1)).toMatchObject({ confidence, searched: { files: 2 }, total });
  });
});
