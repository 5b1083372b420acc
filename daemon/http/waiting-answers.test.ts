import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { finished, Readable } from 'node:stream';
import { describe, expect, it, onTestFinished } from 'vitest';
import { closeWaitingAnswers } from './waiting-answers.js';

/** A server that answers when it is told to, and a connection with so many requests on it, one behind the other. */
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

describe('answers that wait behind another on their connection', () => {
  it('are closed when the connection has gone, and so is what they were to be read from', async () => {
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
    // Who begins to answer only now is told as well.
    await new Promise((resolve) => finished(last, resolve));
    expect(closes).toBe(30);
  });

  it('are sent in their order, and closed once each, when it stays', async () => {
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
