/** Limits that callers meet. Sizes are bytes unless the name says otherwise. */
export const BODY_LIMIT = 1024 * 1024;
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
