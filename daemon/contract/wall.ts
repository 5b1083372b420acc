/**
 * The frames of the Wall. Text frames only, one JSON object each; text that does not begin a JSON object is a
 * broadcast. No message of the Wall is stored. Spec: WebSocket frames.
 */

/**
 * The visibility of a member. `private`: peers see its handle, external surfaces mask it. `ghost`: invisible, though it
 * reads and sends.
 */
export const VIS = ['public', 'private', 'ghost'] as const;
export type Vis = (typeof VIS)[number];

export const FRAME_MAX_BYTES = 65_536;
export const FRAME_MAX_DEPTH = 32;
export const HANDLE_MAX_CHARS = 64;
export const FRAMES_PER_SECOND = 200;
export const FRAMES_BURST = 400;
/** Of what a socket sends; above it nothing is read until the second is over, and no frame is lost. */
export const BYTES_PER_SECOND = 1024 * 1024;
/** Maximum number of handles in one direct message. */
export const RECIPIENTS_MAX = 1000;
/** A reader is disconnected when its queue exceeds this size or does not move for this long. */
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
  /** Only in direct messages. */
  from_did?: string | null;
  /** Null for a broadcast, else the recipient. Each of several recipients sees only its own handle. */
  to: string | null;
  ts: number;
  payload: unknown;
  board?: string;
  ref?: string;
}
export interface AckFrame {
  kind: 'ack';
  to: string | string[] | null;
  /**
   * The number of handles reached; 0 means that the peer was not connected. A socket that was dropped is never counted.
   */
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
