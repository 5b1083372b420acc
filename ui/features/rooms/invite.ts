/** What an invite comes to: which room, and what opens it. */
export interface Invite {
  cluster_id: string;
  token?: string;
  admin_token?: string;
}

const ID = /\bc_[0-9a-f]{20}\b/;
const MEMBER = /(?<![\w-])ck_[\w-]{43}(?![\w-])/;
const ADMIN = /(?<![\w-])ak_[\w-]{43}(?![\w-])/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/**
 * Reads what was pasted: the text of an invite with anything around it, an id, the slug of a public room, or the address of its page; undefined when it
 * names no room.
 */
export function readInvite(pasted: string): Invite | undefined {
  const id = ID.exec(pasted)?.[0];
  const token = MEMBER.exec(pasted)?.[0];
  const admin = ADMIN.exec(pasted)?.[0];
  if (id !== undefined) return { cluster_id: id, ...(token && { token }), ...(admin && { admin_token: admin }) };
  const words = pasted.trim();
  const slug = /\/clusters\/([a-z0-9-]+)\/?$/.exec(words)?.[1] ?? words.replace(/^#/, '');
  return SLUG.test(slug) ? { cluster_id: slug } : undefined;
}

/** The one line with which a room is joined from a terminal. The token is in the environment, not among the arguments. */
export const joinCommand = (id: string, token: string): string =>
  `MESHD_CLUSTER_TOKEN=${token} meshd cluster join ${id}`;

/** What is handed to somebody who may join a private room: its id, its token and what to do with them. There is no address in it that holds the token. */
export function inviteText({
  id,
  name,
  token,
  origin,
}: {
  id: string;
  name: string;
  token: string;
  origin: string;
}): string {
  return [
    `Invitation to the cluster “${name.replaceAll(/\s+/g, ' ')}”`,
    `id      ${id}`,
    `token   ${token}`,
    `daemon  ${origin}`,
    `join    ${joinCommand(id, token)}`,
    'Whoever has the token can join. In the dashboard: Clusters, Join, paste this text.',
  ].join('\n');
}

/** A secret as it may be on screen: what it is, and its end. */
export const maskedToken = (token: string): string => `${token.slice(0, 3)}••••${token.slice(-4)}`;
