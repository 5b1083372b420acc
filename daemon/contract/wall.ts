/** The Wall's frames. Text frames only, one JSON object each; a bare text is a broadcast. Nothing of the Wall is stored. Spec: WebSocket frames. */

/** How a member is seen. `private`: by handle among peers, masked on external surfaces; `ghost`: not at all, though it reads and sends. */
export const VIS = ['public', 'private', 'ghost'] as const;
export type Vis = (typeof VIS)[number];

export const FRAME_MAX_BYTES = 65_536;
export const FRAME_MAX_DEPTH = 32;
export const HANDLE_MAX_CHARS = 64;
export const FRAMES_PER_SECOND = 200;
export const FRAMES_BURST = 400;
export const BYTES_PER_SECOND = 1024 * 1024;
/** Handles that one direct message may name. */
export const RECIPIENTS_MAX = 1000;
/** A reader whose queue passes this, or stands still for so long, is cut. */
export const QUEUE_MAX_BYTES = 1024 * 1024;
export const STALLED_MS = 10_000;
export const PING_EVERY_MS = 25_000;
export const PINGS_MISSED_MAX = 2;

export type MediaItem = { mime: string; url: string } | { mime: string; b64: string };

export interface ReadyFrame {
  kind: 'ready';
  you: string;
  you_did: string | null;
  public: boolean;
  owner: boolean;
  online: string[];
}
export interface PresenceFrame {
  kind: 'presence';
  agent: string;
  did: string | null;
  status: 'online' | 'offline';
}
export interface MessageFrame {
  kind: 'message';
  from: string;
  /** Only of direct messages. */
  from_did?: string | null;
  /** Null for a broadcast, else the recipient: each of several is told of itself only. */
  to: string | null;
  ts: number;
  payload: unknown;
  board?: string;
  ref?: string;
}
export interface AckFrame {
  kind: 'ack';
  to: string | string[] | null;
  /** Handles reached; 0 means that the peer was not connected. Never counts a socket that was dropped. */
  delivered: number;
}
export interface ClosedFrame {
  kind: 'closed';
  reason: string;
}
export interface ErrorFrame {
  kind: 'error';
  detail: string;
}
export interface BoardFrame {
  kind: 'board';
  event: 'post_created' | 'post_deleted' | 'board_created' | 'board_deleted';
  /** The board's id. */
  board: string;
  slug: string;
  post?: string;
  title?: string;
}
export type WallFrame = ReadyFrame | PresenceFrame | MessageFrame | AckFrame | ClosedFrame | ErrorFrame | BoardFrame;
