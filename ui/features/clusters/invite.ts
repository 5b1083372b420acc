/** A parsed invite: the cluster and its tokens. */
interface Invite {
  cluster_id: string;
  token?: string;
  admin_token?: string;
}

const ID = /\bc_[0-9a-f]{20}\b/;
const MEMBER = /(?<![\w-])ck_[\w-]{43}(?![\w-])/;
const ADMIN = /(?<![\w-])ak_[\w-]{43}(?![\w-])/;
const SLUG = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

/**
 * Parses pasted text: an invite with anything around it, an id, the slug of a public cluster, or the address of its
 * page. Returns undefined when it names no cluster.
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

/**
 * Returns the command that joins a cluster. The token is in the environment and not in the arguments, which other users
 * can read.
 */
export const joinCommand = (id: string, token: string): string =>
  `MESHD_CLUSTER_TOKEN=${token} meshd cluster join ${id}`;

/** Returns the invite text for a private cluster: id, token and instructions. No URL in it contains the token. */
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

/** Masks a token: keeps its prefix and its last four characters. */
export const maskedToken = (token: string): string => `${token.slice(0, 3)}••••${token.slice(-4)}`;
