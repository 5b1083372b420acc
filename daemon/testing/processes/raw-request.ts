import { connect } from 'node:net';

/** The header lines of a valid WebSocket handshake, besides the host. */
export const UPGRADE = [
  'Connection: Upgrade',
  'Upgrade: websocket',
  'Sec-WebSocket-Version: 13',
  'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
];

/**
 * Sends `head` (request line and header lines) unchanged and returns the response when it is complete or the connection
 * closes.
 */
export function rawRequest(
  port: number,
  head: readonly string[],
  body = '',
  address = '127.0.0.1',
): Promise<{ status: number; head: string; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, address);
    let text = '';
    const finish = () => {
      socket.destroy();
      const end = text.indexOf('\r\n\r\n');
      resolve({
        status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0),
        head: text.slice(0, end),
        body: text.slice(end + 4),
      });
    };
    socket.setEncoding('latin1');
    socket.on('data', (chunk) => {
      text += chunk;
      const end = text.indexOf('\r\n\r\n');
      const length = /^content-length: (\d+)/im.exec(text)?.[1];
      const isUpgraded = text.startsWith('HTTP/1.1 101');
      if (end !== -1 && (isUpgraded || (length !== undefined && text.length - end - 4 >= Number(length)))) finish();
    });
    socket.on('close', finish);
    socket.on('error', (error) => (text === '' ? reject(error) : finish()));
    socket.write(`${head.join('\r\n')}\r\n\r\n${body}`, 'latin1');
  });
}
