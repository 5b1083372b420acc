import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { finished, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeWaitingAnswers } from './waiting-answers.js';

/**
 * Starts a server that responds when the test calls for it, and sends `count` pipelined requests over one connection.
 */
async function pipelined(count: number) {
  const answers: ServerResponse[] = [];
  const server = createServer((_request, answer) => {
    answers.push(answer);
    server.emit('taken');
  });
  closeWaitingAnswers(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  onTestFinished(() => {
    client.destroy();
    server.close();
  });
  client.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(count));
  while (answers.length < count) await once(server, 'taken');
  return { answers, client };
}

const closed = (answer: ServerResponse) => new Promise<void>((resolve) => answer.once('close', resolve));

describe('responses that wait behind another on their connection', () => {
  it('are closed when the connection closes, together with their source', async () => {
    const { answers, client } = await pipelined(30);
    const held = Readable.from(['never read']);
    const last = answers[29] as ServerResponse;
    last.once('close', () => held.destroy());
    const all = Promise.all(answers.map(closed));
    let closes = 0;
    for (const answer of answers) answer.on('close', () => (closes += 1));
    client.destroy();
    await all;
    expect([last.destroyed, held.destroyed]).toEqual([true, true]);
    // `finished` also reports the close to a caller that attaches afterwards.
    await new Promise((resolve) => finished(last, resolve));
    expect(closes).toBe(30);
  });

  it('are sent in order and closed once each when the connection stays open', async () => {
    const { answers, client } = await pipelined(3);
    let closes = 0;
    for (const answer of answers) answer.on('close', () => (closes += 1));
    const all = Promise.all(answers.map(closed));
    for (const [number, answer] of [...answers.entries()].reverse()) answer.end(`answer ${number}.`);
    let text = '';
    client.on('data', (chunk) => (text += String(chunk)));
    await all;
    while (!text.includes('answer 2.')) await once(client, 'data');
    expect(text.match(/answer \d/g)).toEqual(['answer 0', 'answer 1', 'answer 2']);
    client.destroy();
    await once(client, 'close');
    expect(closes).toBe(3);
  });
});
