/**
 * The hostile side of `foreign-budget`: a program of another user without a credential, which repeats the same requests
 * for the given number of seconds. Plain JavaScript that is passed as text, since that user may not be able to read
 * this folder. Takes one JSON argument and prints how often each route returned each status.
 */
import { Agent, request } from 'node:http';

const { port, seconds, lines, routes } = JSON.parse(process.argv.at(-1));
const agent = new Agent({ keepAlive: true, maxSockets: lines });
const endMs = performance.now() + seconds * 1000;
const found = {};
const words = {};
let number = 0;

function send({ method, path, body, headers, fill }, isKept) {
  number += 1;
  const text = body.replaceAll('{{n}}', `${process.pid}-${number}`).replaceAll('{{fill}}', '\u{1F600}'.repeat(fill));
  return new Promise((resolve) => {
    const outgoing = request({
      port,
      host: '127.0.0.1',
      method,
      path,
      agent: isKept && agent,
      headers: { 'content-type': 'application/json', ...headers },
    });
    outgoing.once('response', (answer) => {
      let said = '';
      answer.setEncoding('utf8').on('data', (part) => {
        said += said.length < 1000 ? part : '';
      });
      answer.once('end', () => resolve({ status: answer.statusCode, said }));
      answer.once('error', () => resolve({ status: 0, said: '' }));
    });
    outgoing.once('error', () => resolve({ status: 0, said: '' }));
    outgoing.end(text);
  });
}

async function flood(line) {
  // Every second line sends only the largest request; the others send all requests in rotation. Half of each use a new
  // connection per request.
  for (let turn = line; performance.now() < endMs; turn += 1) {
    const route = line % 2 === 0 ? routes[0] : routes[turn % routes.length];
    const { status, said } = await send(route, line % 4 < 2);
    found[route.name] ??= {};
    const counts = found[route.name];
    counts[status] = (counts[status] ?? 0) + 1;
    words[status] ??= said;
  }
}

await Promise.all(Array.from({ length: lines }, (_, line) => flood(line)));
console.log(JSON.stringify({ found, words }));
process.exit();
