import asks from './0001-asks.sql';
import conversations from './0002-conversations.sql';
import signatures from './0003-signatures.sql';

/** Every migration in order; the database's `user_version` says how many it has had. Never edit one that has shipped. */
export const MIGRATIONS: readonly string[] = [asks, conversations, signatures];
