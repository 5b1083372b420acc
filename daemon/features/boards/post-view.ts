import type { Post } from '../../contract/boards.js';
import type { PostRow } from './posts-store.js';

/** The record of a post for callers. `board` is the board's id. */
export function toPost(
  { id, title, body, ttl, author, created_at, expires_at, file, props }: PostRow,
  board: string,
): Post {
  return { id, board, title, body, ttl, author, created_at, expires_at, file, props };
}
