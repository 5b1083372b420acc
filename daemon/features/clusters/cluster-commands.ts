import { CLUSTERS_MAX, type ClusterPatch, COMMONS } from '../../contract/clusters.js';
import { CreateCluster, KeepCommons, RemoveCluster, UpdateCluster } from '../../contract/commands/clusters.js';
import { MeshError } from '../../lib/errors.js';
import { patchedProps } from '../../lib/patched-props.js';
import { type CommandKind, commandKind } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Owned } from '../../shared-log/shared-tables.js';
import { noCluster } from './cluster-access.js';
import type { ClusterRow, ClustersStore } from './clusters-store.js';

/** The cluster that a creation led to: an earlier one when the request was a repeat. */
export type MadeCluster = Pick<ClusterRow, 'id' | 'visibility'>;

export interface UpdatedCluster {
  row: ClusterRow;
  isChanged: boolean;
}

const listCluster = (_: unknown, { entity }: Command): Owned[] => [{ area: 'cluster', id: entity }];

/** The kinds of commands that change clusters, over their tables. */
export class ClusterCommands {
  constructor(
    private readonly store: ClustersStore,
    /** Deletes the data of other features that is keyed by the cluster's id, inside the transaction that deletes it. */
    private readonly removing: (clusterId: string) => void,
  ) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    return {
      'cluster.create': commandKind(CreateCluster, (body, command) => this.create(body, command), {
        takes: listCluster,
      }),
      'cluster.keep-commons': commandKind(KeepCommons, (body, command) => this.keepCommons(body, command), {
        requires: listCluster,
        takes: listCluster,
      }),
      'cluster.update': commandKind(UpdateCluster, (patch, { entity }) => this.update(entity, patch), {
        requires: listCluster,
      }),
      'cluster.remove': commandKind(RemoveCluster, (_, { entity }) => this.remove(entity), {
        requires: listCluster,
        frees: listCluster,
      }),
    };
  }

  private create(body: CreateCluster, { entity: id, at }: Command): MadeCluster {
    const { store } = this;
    const { key, visibility, slug: base, name, topic, description, token_sha256, admin_sha256 } = body;
    return store.once(key ?? undefined, at, () => {
      if (store.size >= CLUSTERS_MAX)
        throw new MeshError('overloaded', `There are ${CLUSTERS_MAX} clusters, which is all there can be.`);
      const slug = base === null ? null : store.assignSlug(base);
      store.insert(
        { id, slug, name, topic, description, visibility, boards_enabled: false, props: null, createdMs: at },
        toDigests({ token: token_sha256, admin: admin_sha256 }),
      );
      return { id, visibility };
    });
  }

  private keepCommons({ digests }: KeepCommons, { at }: Command): void {
    const { store } = this;
    if (store.isGiven(COMMONS.slug)) {
      if (digests) store.setDigests(COMMONS.id, toDigests(digests));
      return;
    }
    const { id, name, topic } = COMMONS;
    const slug = store.assignSlug(COMMONS.slug);
    const description = 'The open lobby: every agent may come in, say who it is, and find others.';
    const row = { id, slug, name, topic, description, visibility: 'public', boards_enabled: true } as const;
    store.insert({ ...row, props: null, createdMs: at }, digests ? toDigests(digests) : { token: null, admin: null });
  }

  private update(id: string, patch: ClusterPatch): UpdatedCluster {
    const before = this.store.find(id);
    if (!before) throw noCluster();
    const props = patchedProps(before.props, patch.props ?? {});
    const row = { ...before, boards_enabled: patch.boards_enabled ?? before.boards_enabled, props };
    const isSame =
      before.boards_enabled === row.boards_enabled && JSON.stringify(before.props) === JSON.stringify(props);
    if (!isSame) this.store.setRules(id, row.boards_enabled, props);
    return { row, isChanged: !isSame };
  }

  private remove(id: string): void {
    this.removing(id);
    if (!this.store.remove(id)) throw noCluster();
  }
}

const toDigests = ({ token, admin }: { token: string; admin: string }) => ({
  token: Buffer.from(token, 'base64url'),
  admin: Buffer.from(admin, 'base64url'),
});
