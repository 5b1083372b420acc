/**
 * The hostile side of `foreign-sockets`: a program of another user without a credential, which holds as many
 * connections as it can: silent ones, incomplete requests and WebSockets. A closed connection is reopened after about a
 * second. Plain JavaScript that is passed as text, since that user may not be able to read this folder. Takes one JSON
 * argument and prints its counts when its standard input ends.
 */
import { connect } from 'node:net';

const { port, wanted, path } = JSON.parse(process.argv.at(-1));
const againAfterMs = (slot) => 500 + ((slot * 7_919) % 1_000);
const HEAD = `GET /health HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nX-Slow: `;
const upgrade = (slot) =>
  `GET ${path}?agent=crowd-${slot} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
  'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n';
const got = { opened: 0, upgraded: 0 };

function hold(slot) {
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => {
    got.opened += 1;
    if (slot % 3 === 1) socket.write(HEAD);
    if (slot % 3 === 2) socket.write(upgrade(slot));
  });
  socket.once('data', (text) => {
    if (String(text).startsWith('HTTP/1.1 101')) got.upgraded += 1;
  });
  socket.on('error', () => undefined);
  socket.once('close', () => setTimeout(() => hold(slot), againAfterMs(slot)));
}

for (let slot = 0; slot < wanted; slot += 1) hold(slot);
process.stdin.resume().once('end', () => {
  console.log(JSON.stringify(got));
  process.exit();
});
