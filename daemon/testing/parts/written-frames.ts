import type { WallFrame } from '../../contract/wall.js';

/** Reads the Wall's frames in bytes of a WebSocket. Each is shorter than 64 KiB: its header has two or four bytes. */
export function readFrames(bytes: Buffer): WallFrame[] {
  const frames: WallFrame[] = [];
  for (let at = 0; at < bytes.length; ) {
    const short = (bytes[at + 1] as number) & 0x7f;
    const [begin, length] = short === 126 ? [at + 4, bytes.readUInt16BE(at + 2)] : [at + 2, short];
    frames.push(JSON.parse(bytes.toString('utf8', begin, begin + length)) as WallFrame);
    at = begin + length;
  }
  return frames;
}
