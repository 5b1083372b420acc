const FIN_TEXT = 0x81;
const MAX_7_BITS = 125;
const MAX_16_BITS = 65_535;

/**
 * A complete unmasked WebSocket text frame, header and payload in one buffer, as a server sends it. It is built once
 * and can be written to any number of sockets without extensions, and joined with others into one write. RFC 6455, 5.2.
 * Implemented here because `ws` documents no way to build a frame once for many sockets: its `send` frames and writes
 * the message for each socket.
 */
export function textFrame(text: string): Buffer {
  const length = Buffer.byteLength(text);
  const head = length <= MAX_7_BITS ? 2 : length <= MAX_16_BITS ? 4 : 10;
  const frame = Buffer.allocUnsafe(head + length);
  frame[0] = FIN_TEXT;
  if (head === 2) frame[1] = length;
  else if (head === 4) {
    frame[1] = 126;
    frame.writeUInt16BE(length, 2);
  } else {
    frame[1] = 127;
    frame.writeBigUInt64BE(BigInt(length), 2);
  }
  frame.write(text, head, 'utf8');
  return frame;
}
