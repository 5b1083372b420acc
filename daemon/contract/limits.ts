/** Limits that callers meet. Sizes are bytes unless the name says otherwise. */
export const BODY_LIMIT = 1024 * 1024;
/**
 * Values (texts, numbers, lists, objects) that the JSON body of a caller other than the operator holds: parsing takes
 * as long as there are values.
 */
export const BODY_VALUES_MAX = 10_000;
/** Bodies of the local network's JSON-RPC, and of `POST /receipts/verify`. */
export const CHAIN_BODY_LIMIT = 64 * 1024;
export const RECEIPT_BODY_LIMIT = 8 * 1024;
/** Characters of the answers to one JSON-RPC batch; calls beyond that are answered with an error. */
export const BATCH_ANSWER_MAX_CHARS = 1024 * 1024;
export const MEMBER_FILE_LIMIT = 256 * 1024;
export const ASK_TEXT_MAX_CHARS = 16_384;
export const ASK_DOCS_MAX = 8;
export const ASK_DOC_MAX_CHARS = 65_536;
/** Asks of one member that may be running or queued at once. */
export const ASK_CAP = 6;
export const POLL_WAIT_MAX_SECONDS = 60;
/** How long a hosted skill waits for its answer before `deadline`. */
export const SKILL_DEADLINE_SECONDS = 120;
export const REQUEST_KEPT_DAYS = 30;
export const IDEMPOTENCY_KEPT_HOURS = 24;
export const WRONG_CREDENTIALS_PER_MINUTE = 20;
export const LIST_LIMIT_DEFAULT = 50;
export const LIST_LIMIT_MAX = 200;
export const DEFAULT_PORT = 4747;
export const DEFAULT_HOST = '127.0.0.1';
export const EVENT_RING = 10_000;
export const EVENT_HEARTBEAT_SECONDS = 10;
/** Requests and frames that may store something, and sockets that are opened, of all programs of one other user of this machine; the operator's are not counted. */
export const PEER_WRITES_PER_SECOND = 10;
export const PEER_WRITES_BURST = 20;
/** How much of the store what one other user has caused may take up, and what all of them together may. */
export const PEER_STORE_BYTES = 32 * 1024 * 1024;
export const PEERS_STORE_BYTES = 128 * 1024 * 1024;
/** A budget that was used up is whole again after so many days; what a user's own requests delete comes back at once. */
export const PEER_STORE_REFILL_DAYS = 7;
/** Other users store nothing more while the store is larger than this, whoever filled it, or the disk has less left. */
export const PEERS_STORE_CEILING_BYTES = 2 * 1024 * 1024 * 1024;
export const PEERS_DISK_RESERVE_BYTES = 512 * 1024 * 1024;
/** Challenges of one agent that stand at once, and of these the ones of one key. Callers of other users of this machine may have half of an agent's. */
export const STANDING_CHALLENGES_MAX = 20_000;
export const STANDING_CHALLENGES_OF_KEY_MAX = 100;
/** Deposit keys of one agent for which no money has come. Callers of other users of this machine may have half of them. */
export const WAITING_DEPOSIT_KEYS_MAX = 10_000;
