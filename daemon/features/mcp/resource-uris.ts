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
  const [, member] = CARD.exec(uri) ?? [];
  if (member !== undefined) return { kind: 'card', member };
  const [, request] = REQUEST.exec(uri) ?? [];
  if (request !== undefined) return { kind: 'request', request };
  const [, cluster, board] = BOARD.exec(uri) ?? [];
  if (cluster !== undefined && board !== undefined) return { kind: 'board', cluster, board };
  const [, ofCluster, ofBoard, post] = POST.exec(uri) ?? [];
  if (ofCluster !== undefined && ofBoard !== undefined && post !== undefined)
    return { kind: 'post', cluster: ofCluster, board: ofBoard, post };
  return undefined;
}
