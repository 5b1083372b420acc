/**
 * `meshd/client`: what a program or a page needs to talk to a daemon. Functions over plain data, so that a bundle
 * contains only what it calls; the types of the contract are exported with them under their names. Works with any
 * `fetch` and any `WebSocket`, keeps no state between calls and reads no environment variables. Signs and verifies
 * without Node.js: Ed25519 is tweetnacl's, SHA-256 that of the runtime's `crypto.subtle`.
 */
export { ApiError } from './api-error.js';
export {
  type AskOptions,
  ask,
  cancelRequest,
  type FollowOptions,
  follow,
  isOver,
  poll,
  type RequestOptions,
  submit,
} from './ask.js';
export { type CallOptions, call, callForText } from './call.js';
export type { Daemon, Fetch, FetchAnswer, FetchInit } from './daemon.js';
export { type EventsOptions, type EventsWatch, events, watchEvents } from './events.js';
export type { HeldLine, LineState, LineStatus } from './events-line.js';
export { pages, rows } from './pages.js';
export { type QueryValues, query } from './query.js';
export type { SignedFields } from './receipt-differences.js';
export { type SignatureCheck, verifyReceiptSignature } from './receipt-signature.js';
export { verifyReceipt } from './receipts.js';
export { createRequestSigner, type RequestSigner, type RequestToSign } from './request-signer.js';
export type { Socket, SocketConstructor, SocketInit } from './socket.js';
export { type GapFrame, Wall, type WallMembership, type WallOptions } from './wall.js';
export type { WallEnding, WallStatus } from './wall-line.js';
