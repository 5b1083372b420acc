import { type Static, Type } from 'typebox';
import { ClusterPatch, VISIBILITIES } from '../clusters.js';
import { oneOf, orNull } from '../one-of.js';
import { Digest, RequestKey } from './keys.js';

/** The bodies of the commands that change clusters. The entity is the cluster's id. */

/**
 * `cluster.create`: `slug` is the base of a public cluster's slug. The sender derives it from the name, since replicas
 * may have different data about characters.
 */
export const CreateCluster = Type.Object(
  {
    token_sha256: Digest,
    admin_sha256: Digest,
    visibility: oneOf(VISIBILITIES),
    slug: orNull(Type.String({ pattern: '^[a-z0-9-]{1,48}$' })),
    name: Type.String({ minLength: 1, maxLength: 80 }),
    topic: Type.String({ maxLength: 80 }),
    description: Type.String({ maxLength: 1000 }),
    key: RequestKey,
  },
  { additionalProperties: false },
);
export type CreateCluster = Static<typeof CreateCluster>;

/** `cluster.keep-commons`: without digests nobody administers the lobby. */
export const KeepCommons = Type.Object(
  { digests: orNull(Type.Object({ token: Digest, admin: Digest }, { additionalProperties: false })) },
  { additionalProperties: false },
);
export type KeepCommons = Static<typeof KeepCommons>;

/** `cluster.update`: the sender has admitted the admin. */
export const UpdateCluster = ClusterPatch;

/** `cluster.remove`: the sender has admitted the admin. */
export const RemoveCluster = Type.Object({}, { additionalProperties: false });
