import type { Media } from '../../../../daemon/client/wall-messages/wall-payload.js';

/** A file of a message: its content is included, or at an address, or unreadable. */
type WallFile =
  | { kind: 'here'; mime: string; bytes: Uint8Array<ArrayBuffer>; isPicture: boolean }
  | { kind: 'elsewhere'; mime: string; url: string }
  | { kind: 'unreadable'; mime: string };

/** Picture types that contain no code. */
const PICTURES: ReadonlySet<string> = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif']);
const DATA = /^data:([\w.+-]+\/[\w.+-]+);base64,(.*)$/is;

/** Classifies the files of a message. Only a `data:` URL includes its content; every other URL is kept as a link. */
export function filesIn(media: readonly Media[]): WallFile[] {
  return media.map((file): WallFile => {
    if ('b64' in file) return decodeFile(file.mime, file.b64);
    const [, mime, b64] = DATA.exec(file.url) ?? [];
    // The type in the data URL counts, not the type that the message claims.
    return mime !== undefined && b64 !== undefined
      ? decodeFile(mime.toLowerCase(), b64)
      : { kind: 'elsewhere', mime: file.mime, url: file.url };
  });
}

function decodeFile(mime: string, b64: string): WallFile {
  try {
    const bytes = Uint8Array.from(atob(b64), (letter) => letter.charCodeAt(0));
    return { kind: 'here', mime, bytes, isPicture: PICTURES.has(mime) };
  } catch {
    return { kind: 'unreadable', mime };
  }
}
