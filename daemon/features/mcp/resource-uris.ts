/** The resource that a URI identifies. */
type ResourcePlace =
  | { kind: 'card'; member: string }
  | { kind: 'request'; request: string }
  | { kind: 'board'; cluster: string; board: string }
  | { kind: 'post'; cluster: string; board: string; post: string };

/** The URI templates that are announced to clients. */
export const TEMPLATES = {
  card: 'mesh://members/{member}/card',
  request: 'mesh://requests/{request_id}',
  board: 'mesh://clusters/{cluster}/boards/{board}',
  post: 'mesh://clusters/{cluster}/boards/{board}/posts/{post}',
} as const;

const SEGMENT = '([A-Za-z0-9_-]{1,100})';
const CARD = new RegExp(`^mesh://members/${SEGMENT}/card$`);
const REQUEST = new RegExp(`^mesh://requests/${SEGMENT}$`);
const BOARD = new RegExp(`^mesh://clusters/${SEGMENT}/boards/${SEGMENT}$`);
const POST = new RegExp(`^mesh://clusters/${SEGMENT}/boards/${SEGMENT}/posts/${SEGMENT}$`);

export const cardUri = (member: string) => `mesh://members/${member}/card`;
export const requestUri = (request: string) => `mesh://requests/${request}`;
export const boardUri = (cluster: string, board: string) => `mesh://clusters/${cluster}/boards/${board}`;
export const postUri = (cluster: string, board: string, post: string) => `${boardUri(cluster, board)}/posts/${post}`;

/** Parses a resource URI. Undefined for an unknown one. Ids and slugs contain no characters that need escaping. */
export function parseResourceUri(uri: string): ResourcePlace | undefined {
  const groups = (form: RegExp) => form.exec(uri)?.slice(1) as [string, string, string] | undefined;
  const card = groups(CARD);
  if (card) return { kind: 'card', member: card[0] };
  const request = groups(REQUEST);
  if (request) return { kind: 'request', request: request[0] };
  const board = groups(BOARD);
  if (board) return { kind: 'board', cluster: board[0], board: board[1] };
  const post = groups(POST);
  return post && { kind: 'post', cluster: post[0], board: post[1], post: post[2] };
}
