/** Values of the contract, of which the dashboard may name only the types. A longer text is refused by the daemon. */
export const CHANGES_BASE = 'base';
export const CHECKPOINT_START = 'start';
export const WORKING_FILES = 'working';
export const COMMENT_MAX_CHARS = 10_000;
export const QUOTE_MAX_CHARS = 8_000;
