import { EventEmitter, once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
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

  it('are closed once each when one of them had become the response in progress', async () => {
    const { answers, client } = await pipelined(3);
    const closes = [0, 0, 0];
    for (const [number, answer] of answers.entries()) answer.on('close', () => ((closes[number] as number) += 1));
    const [first, second, third] = answers as [ServerResponse, ServerResponse, ServerResponse];
    first.end('one');
    await closed(first);
    expect(second.socket).not.toBeNull();
    const all = Promise.all([second, third].map(closed));
    client.destroy();
    await all;
    expect(closes).toEqual([1, 1, 1]);
  });

  it('are watched together, and a response that does not wait is not watched', () => {
    const server = new EventEmitter();
    closeWaitingAnswers(server as Server);
    const socket = new EventEmitter();
    const ask = (has: object | null) => {
      const answer = Object.assign(new EventEmitter(), { socket: has });
      server.emit('request', { socket }, answer);
      return answer.listenerCount('close') + socket.listenerCount('close');
    };
    expect([ask(socket), ask(null), ask(null)]).toEqual([0, 2, 2]);
  });

  it('are watched before the handler of their request runs', () => {
    const server = new EventEmitter();
    const socket = new EventEmitter();
    const watching: number[] = [];
    server.on('request', () => watching.push(socket.listenerCount('close')));
    closeWaitingAnswers(server as Server);
    server.emit('request', { socket }, Object.assign(new EventEmitter(), { socket: null }));
    expect(watching).toEqual([1]);
  });

  it('are closed by the connection unless they are closed already or Node.js closes them', () => {
    const server = new EventEmitter();
    closeWaitingAnswers(server as Server);
    const socket = new EventEmitter();
    const closes = { waiting: 0, sent: 0, inProgress: 0 };
    const ask = (name: keyof typeof closes) => {
      const answer = Object.assign(new EventEmitter(), { socket: null as object | null });
      answer.on('close', () => (closes[name] += 1));
      server.emit('request', { socket }, answer);
      return answer;
    };
    ask('waiting');
    ask('sent').emit('close');
    ask('inProgress').socket = socket;
    socket.emit('close');
    expect(closes).toEqual({ waiting: 1, sent: 1, inProgress: 0 });
  });
});
