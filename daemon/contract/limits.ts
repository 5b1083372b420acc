// Limits that callers can reach. Sizes are bytes unless the name says otherwise.

/**
 * Maximum size of a frame that a client sends on any socket. A message of the hub with the largest payload fits, also
 * when its writer escapes what is not ASCII, which triples its size. The Wall has a lower limit of its own.
 */
export const SOCKET_FRAME_LIMIT = 256 * 1024;
export const BODY_LIMIT = 1024 * 1024;
/**
 * Maximum number of values (texts, numbers, lists, objects) in the JSON body of a caller other than the operator. The
 * time to parse a body is proportional to it.
 */
export const BODY_VALUES_MAX = 10_000;
/** Body limits of the local network's JSON-RPC and of `POST /receipts/verify`. */
export const CHAIN_BODY_LIMIT = 64 * 1024;
export const RECEIPT_BODY_LIMIT = 8 * 1024;
/** Maximum number of characters of the responses to one JSON-RPC batch. Calls beyond it get an error response. */
export const BATCH_ANSWER_MAX_CHARS = 1024 * 1024;
export const MEMBER_FILE_LIMIT = 256 * 1024;
export const ASK_TEXT_MAX_CHARS = 16_384;
export const ASK_DOCS_MAX = 8;
export const ASK_DOC_MAX_CHARS = 65_536;
/** Maximum size of a context document of an ask as UTF-8. */
export const ASK_DOC_MAX_BYTES = 65_536;
/** Maximum number of citations of one answer, and of those that one read looks at again. */
export const CITATIONS_MAX = 200;
/** Maximum number of running and queued asks of one member. */
export const ASK_CAP = 6;
export const POLL_WAIT_MAX_SECONDS = 60;
/** How long a hosted skill waits for its answer before `deadline`. */
export const SKILL_DEADLINE_SECONDS = 120;
export const REQUEST_RETENTION_DAYS = 30;
export const IDEMPOTENCY_RETENTION_HOURS = 24;
export const WRONG_CREDENTIALS_PER_MINUTE = 20;
export const LIST_LIMIT_DEFAULT = 50;
export const LIST_LIMIT_MAX = 200;
export const DEFAULT_PORT = 4747;
export const DEFAULT_HOST = '127.0.0.1';
export const EVENT_RING = 10_000;
export const EVENT_HEARTBEAT_SECONDS = 10;
/**
 * Rate limit for all programs of one other user of this machine together: requests and frames that may store something,
 * and opened sockets. The operator's are not counted.
 */
export const PEER_WRITES_PER_SECOND = 10;
export const PEER_WRITES_BURST = 20;
/** Maximum store size caused by one other user, and by all other users together. */
export const PEER_STORE_BYTES = 32 * 1024 * 1024;
export const PEERS_STORE_BYTES = 128 * 1024 * 1024;
/** Days until a used-up budget is fully restored. Space that a user's own requests delete is restored at once. */
export const PEER_STORE_REFILL_DAYS = 7;
/**
 * Other users cannot store anything while the store is larger than this, whatever the cause, or while the disk has less
 * free space than the reserve.
 */
export const PEERS_STORE_CEILING_BYTES = 2 * 1024 * 1024 * 1024;
export const PEERS_DISK_RESERVE_BYTES = 512 * 1024 * 1024;
/**
 * Maximum number of open challenges of one agent, and of one key among them. Callers of other users of this machine may
 * have half of an agent's.
 */
export const OPEN_CHALLENGES_MAX = 20_000;
export const OPEN_CHALLENGES_PER_KEY_MAX = 100;
/**
 * Maximum number of deposit keys of one agent that received no money. Callers of other users of this machine may have
 * half of them.
 */
export const WAITING_DEPOSIT_KEYS_MAX = 10_000;
/** How long a call over MCP waits for the answer of a member. Then it fails with the id of the request. */
export const MCP_ASK_SECONDS = 900;
/** How long a client of MCP should wait for a call, where it takes a limit: longer than any ask, which says why it ends. */
export const MCP_CLIENT_SECONDS = 960;
