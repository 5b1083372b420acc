import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ConversationList, MessageAccepted } from '../../contract/conversations.js';
import type { ErrorBody } from '../../contract/errors.js';
import type { Review, ReviewComment } from '../../contract/work/reviews.js';
import { begin, ended, events, get, held, postMessage, read } from '../../testing/apps/conversing.js';
import { type TestApp, testApp } from '../../testing/apps/test-app.js';
import { answers, ScriptedAgent } from '../../testing/processes/scripted-agent.js';
import { git } from '../../testing/temporary-folder.js';

const view = async (app: TestApp, conv: string) =>
  (await app.call('GET', `/conversations/${conv}/review`)).body as Review;
const comment = async (app: TestApp, conv: string, body: object) => {
  const reply = await app.call('POST', `/conversations/${conv}/review/comments`, body);
  expect(reply.status, reply.text).toBe(201);
  return reply.body as ReviewComment;
};

describe('Review comments', () => {
  it('are drafts that can be changed and deleted, and are sent together as one message with file, lines and quote', async () => {
    const agent = held();
    const app = await testApp({ clients: [agent] });
    const { conv } = await begin(app);
    const first = await comment(app, conv, {
      ...{ path: 'src/dusk.ts', side: 'new', start_line: 1, end_line: 2 },
      ...{ quote: '+const a = 1;\n+```', text: 'Name the unit.' },
    });
    expect(first).toMatchObject({ state: 'draft', author: null, turn: null, start_line: 1, end_line: 2 });
    const second = await comment(app, conv, { path: 'README.md', text: 'Too long.' });
    const third = await comment(app, conv, { path: 'README.md', start_line: 3, text: 'x' });
    expect([second.side, second.start_line, third.side, third.end_line]).toEqual([null, null, 'new', 3]);
    const at = `/conversations/${conv}/review/comments`;
    expect((await app.call('PATCH', `${at}/${second.comment}`, { text: 'Shorter.' })).body).toMatchObject({
      text: 'Shorter.',
    });
    expect((await app.call('DELETE', `${at}/${third.comment}`)).body).toEqual(third);
    expect((await app.call('DELETE', `${at}/${third.comment}`)).status).toBe(404);
    expect((await view(app, conv)).drafts).toBe(2);

    const sent = await app.call('POST', `/conversations/${conv}/review/send`, { text: 'Please.' });
    const { turn, queued } = sent.body as MessageAccepted;
    expect([sent.status, queued]).toEqual([202, false]);
    const { messages } = await read(app, conv);
    expect(messages).toHaveLength(1);
    expect(messages[0]).toMatchObject({ turn, role: 'user' });
    expect(messages[0]?.text).toMatch(/^Please\.\n\n/);
    expect(messages[0]?.text).toContain(
      '1. `src/dusk.ts`, lines 1–2\n\n````diff\n+const a = 1;\n+```\n````\n\nName the unit.\n\n2. `README.md`, the whole file\n\nShorter.',
    );
    const after = await view(app, conv);
    expect([after.drafts, after.comments.map((one) => [one.state, one.turn])]).toEqual([
      0,
      [
        ['sent', turn],
        ['sent', turn],
      ],
    ]);
    expect((await app.call('PATCH', `${at}/${first.comment}`, { text: 'y' })).body).toMatchObject({
      error: 'not_waiting',
    });
    expect((await app.call('POST', `/conversations/${conv}/review/send`)).body).toMatchObject({ error: 'bad_request' });
    agent.finishAll();
  });

  it('are refused with what was wrong, and go with their conversation', async () => {
    const app = await testApp();
    const { conv } = await begin(app);
    const wrong = async (body: object) =>
      (await app.call('POST', `/conversations/${conv}/review/comments`, { path: 'a.ts', text: 'x', ...body })).body;
    expect(await wrong({ path: '../a.ts' })).toMatchObject({ error: 'bad_request', path: 'path' });
    expect(await wrong({ path: '/etc/passwd' })).toMatchObject({ path: 'path' });
    expect(await wrong({ end_line: 3 })).toMatchObject({ path: 'start_line' });
    expect(await wrong({ start_line: 4, end_line: 3 })).toMatchObject({ path: 'end_line' });
    expect(await wrong({ text: '' })).toMatchObject({ path: 'text' });
    expect((await app.call('GET', '/conversations/conv-none/review')).status).toBe(404);
    for (let at = 0; at < 100; at += 1) await comment(app, conv, { path: 'a.ts', text: `${at}` });
    expect(await wrong({})).toMatchObject({ error: 'limit_reached' });
    await app.call('DELETE', `/conversations/${conv}`);
    expect((await app.call('GET', `/conversations/${conv}/review`)).status).toBe(404);
  });
});

const CHANGED = 'export const DUSK_ANGLE_DEGREES = -7;\n\n/** Whether it is dark. */\n';

/** An app whose developer has said something, with a changed file, whose reviewers answer with `answer`. */
async function changedApp(answer: string) {
  const agent = new ScriptedAgent('acp', (turn) => answers(turn.member.id === 'developer' ? 'Done.' : answer));
  const app = await testApp({ clients: [agent] });
  const { conv } = await begin(app);
  const line = await events(app);
  const { turn } = await postMessage(app, conv, 'Change the angle');
  await ended(line, turn);
  writeFileSync(join(app.root, 'src/dusk.ts'), CHANGED);
  writeFileSync(join(app.root, 'src/new file.ts'), 'export const isNew = true;\n');
  writeFileSync(join(app.root, '.env'), 'KEY=do-not-show\n');
  const ask = async (member: string) => app.call('POST', `/conversations/${conv}/review/ask`, { member });
  /** Asks a member and waits until it has answered. */
  const reviewBy = async (member: string) => {
    const reply = await ask(member);
    expect(reply.status, reply.text).toBe(202);
    const [asked] = (reply.body as Review).asked;
    await line.until((frame) => frame.type === 'turn.ended' && frame.conv === asked?.conv);
    return asked?.conv ?? '';
  };
  return { app, conv, agent, ask, reviewBy };
}

describe('A review that is asked of a member', () => {
  it('runs in a conversation below this one with the diff, and its comments arrive as drafts on lines', async () => {
    const { app, conv, agent, reviewBy } = await changedApp(
      `I looked.\n\n\`\`\`json\n${JSON.stringify([
        { path: 'src/dusk.ts', line: 1, text: 'Why -7?' },
        { path: 'src/dusk.ts', line: 1, side: 'old', text: 'It was right.' },
        { path: 'src/new file.ts', line: 900, text: 'Not a line of it.' },
        { path: 'src/new file.ts', text: 'No test.' },
        { path: '../../etc/passwd', line: 1, text: 'Elsewhere.' },
        { path: 'README.md', line: 1, text: 'Unchanged.' },
        { path: 'src/dusk.ts', line: 'one', text: 'No number.' },
      ])}\n\`\`\`\n`,
    );
    expect((await view(app, conv)).reviewers.map(({ id }) => id)).toEqual(['commit-pr-reviewer', 'ui-reviewer']);
    const asked = await reviewBy('commit-pr-reviewer');
    const review = await view(app, conv);
    expect(review.asked).toEqual([
      {
        conv: asked,
        member: 'commit-pr-reviewer',
        state: 'done',
        reason: '3 of its comments named no file of the changes and were left out.',
      },
    ]);
    const places = review.comments.map(({ path, side, start_line, quote, text }) => [
      path,
      side,
      start_line,
      quote,
      text,
    ]);
    expect(places).toEqual([
      ['src/dusk.ts', 'new', 1, '+export const DUSK_ANGLE_DEGREES = -7;', 'Why -7?'],
      ['src/dusk.ts', 'old', 1, '-export const DUSK_ANGLE_DEGREES = -6;', 'It was right.'],
      ['src/new file.ts', null, null, '', '(line 900) Not a line of it.'],
      ['src/new file.ts', null, null, '', 'No test.'],
    ]);
    expect(review.comments.every(({ state, author }) => state === 'draft' && author === 'commit-pr-reviewer')).toBe(
      true,
    );
    expect((await get(app, asked)).parent).toMatchObject({ conv });
    const text = agent.turns.at(-1)?.text ?? '';
    expect(text).toContain('-export const DUSK_ANGLE_DEGREES = -6;\n+export const DUSK_ANGLE_DEGREES = -7;');
    expect(text).not.toContain('do-not-show');
    expect(text).not.toContain('mesh.db');
  });

  it('has failed when the answer has another form, and names the reason of a turn that failed', async () => {
    const { app, conv, reviewBy } = await changedApp('Looks good to me.');
    await reviewBy('ui-reviewer');
    expect((await view(app, conv)).asked).toMatchObject([{ state: 'failed', reason: expect.stringContaining('form') }]);
    expect((await view(app, conv)).drafts).toBe(0);
  });

  it('is refused without a model, for an unknown member and for its own, and nothing is made', async () => {
    const app = await testApp();
    const { conv } = await begin(app);
    writeFileSync(join(app.root, 'src/dusk.ts'), CHANGED);
    const ask = async (member: string) =>
      ((await app.call('POST', `/conversations/${conv}/review/ask`, { member })).body as ErrorBody).error;
    expect(await ask('commit-pr-reviewer')).toBe('no_working_client');
    expect(await ask('nobody')).toBe('not_found');
    expect(await ask('developer')).toBe('bad_request');
    const { conversations } = (await app.call('GET', '/conversations')).body as ConversationList;
    expect(conversations.map((one) => one.conv)).toEqual([conv]);
    expect((await view(app, conv)).asked).toEqual([]);
  });

  it('is refused when nothing changed', async () => {
    const { app, ask } = await changedApp('');
    rmSync(join(app.root, 'src/new file.ts'));
    git(app.root, 'checkout', '-q', '--', 'src/dusk.ts');
    expect((await ask('ui-reviewer')).body).toMatchObject({
      error: 'bad_request',
      message: expect.stringContaining('no file'),
    });
  });
});
