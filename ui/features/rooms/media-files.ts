import type { Media } from './wall-payload.js';

/** A file of a message: its content is here, or elsewhere, or cannot be read. */
export type WallFile =
  | { kind: 'here'; mime: string; bytes: Uint8Array<ArrayBuffer>; isPicture: boolean }
  | { kind: 'elsewhere'; mime: string; url: string }
  | { kind: 'unreadable'; mime: string };

/** Pictures that hold no code. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const DATA = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/is;

/** What the files of a message are. Only a `data:` address has its content in itself; whatever else an address says stays an address. */
export function filesIn(media: readonly Media[]): WallFile[] {
  return media.map((file): WallFile => {
    if ('b64' in file) return fileOf(file.mime, file.b64);
    const [, mime, b64] = DATA.exec(file.url) ?? [];
    // What the data says it is counts, not what the message says.
    return mime !== undefined && b64 !== undefined
      ? fileOf(mime.toLowerCase(), b64)
      : { kind: 'elsewhere', mime: file.mime, url: file.url };
  });
}

function fileOf(mime: string, b64: string): WallFile {
  try {
    const bytes = Uint8Array.from(atob(b64), (letter) => letter.charCodeAt(0));
    return { kind: 'here', mime, bytes, isPicture: PICTURES.has(mime) };
  } catch {
    return { kind: 'unreadable', mime };
  }
}
