import { useState } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { SwitchField } from '../../components/field.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { Ago } from '../../components/text/time.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { toIsoTime } from '../../lib/format/epoch.js';
import { formatLanguage } from '../boards/rules/languages.js';
import { formatWhere } from '../places/where-format.js';
import { usePatchCluster } from './cluster-mutations.js';
import styles from './clusters.module.css';
import { DeleteCluster } from './delete-cluster.js';
import { PasteToken } from './paste-token.js';
import { RulesForm } from './rules-form.js';

/** The rules of a cluster in words, and the admin's actions. */
export function RulesTab({
  room: savedCluster,
  cluster,
  isSaved,
  onDeleted,
}: {
  room: SavedClusterDetail;
  cluster: Cluster;
  isSaved: boolean;
  onDeleted: () => void;
}) {
  const [isEditing, setIsEditing] = useState(false);
  const isAdmin = savedCluster.admin_token !== null;
  return (
    <div className={`sections ${styles.narrow}`}>
      <Section
        title="Rules"
        actions={
          isAdmin &&
          !isEditing && (
            <Button isSmall onClick={() => setIsEditing(true)}>
              Change the rules
            </Button>
          )
        }
      >
        {isEditing ? (
          <div style={{ paddingTop: 16 }}>
            <RulesForm room={savedCluster} cluster={cluster} onDone={() => setIsEditing(false)} />
          </div>
        ) : (
          <Rules cluster={cluster} />
        )}
      </Section>
      <Section title="Boards">
        {isAdmin ? (
          <BoardsSwitch room={savedCluster} cluster={cluster} />
        ) : (
          <p style={{ paddingTop: 12 }}>
            {cluster.boards_enabled ? 'On: posts stay until they expire.' : 'Off in this cluster.'}
          </p>
        )}
      </Section>
      {isAdmin ? (
        <Section title="Delete cluster">
          <div className="stack" style={{ paddingTop: 12 }}>
            <p className="quiet">
              Deleting disconnects everybody and deletes the boards with their posts. This cannot be undone.
            </p>
            <div>
              <DeleteCluster room={savedCluster} onDeleted={onDeleted} />
            </div>
          </div>
        </Section>
      ) : (
        isSaved && <AdminRights room={savedCluster} />
      )}
    </div>
  );
}

/** For a member without the admin token: what it is for, and a field for it. */
function AdminRights({ room: savedCluster }: { room: SavedClusterDetail }) {
  return (
    <Section title="Admin rights">
      <div className="stack" style={{ paddingTop: 12 }}>
        <Notice tone="info">
          <p>
            Only the holder of the admin token can change these rules, create boards or delete the cluster. It is not
            saved here.
          </p>
        </Notice>
        <PasteToken room={savedCluster} kind="admin" />
      </div>
    </Section>
  );
}

function Rules({ cluster: { visibility, props, description, created_at } }: { cluster: Cluster }) {
  const { where, lang, entry, limits } = props ?? {};
  return (
    <KeyValue
      rows={[
        description !== '' && ['About', toDisplayText(description)],
        [
          'Who may join',
          visibility === 'public'
            ? 'Anybody: it is listed and has a page.'
            : 'Only holders of its token. It is not listed.',
        ],
        ['Place', where === undefined ? 'Not given' : toDisplayText(formatWhere(where))],
        ['Language', lang === undefined ? 'Any' : formatLanguage(lang)],
        ['Age', entry?.age_min === undefined ? 'Any' : `${entry.age_min} and older, as declared`],
        (entry?.require?.length ?? 0) > 0 && ['Asks for', toDisplayText(entry?.require?.join(', ') ?? '')],
        [
          'Length of a post',
          limits?.post_max_chars === undefined
            ? 'As long as the daemon accepts'
            : `At most ${limits.post_max_chars.toLocaleString('en')} characters`,
        ],
        ['The Wall', 'Messages are not saved. A message has at most 64 KB.'],
        ['Created', <Ago key="created" at={toIsoTime(created_at)} />],
      ]}
    />
  );
}

function BoardsSwitch({ room: savedCluster, cluster }: { room: SavedClusterDetail; cluster: Cluster }) {
  const patch = usePatchCluster(savedCluster);
  const isOn = patch.isPending ? (patch.variables.boards_enabled ?? cluster.boards_enabled) : cluster.boards_enabled;
  return (
    <div className="stack" style={{ paddingTop: 12 }}>
      <div>
        <SwitchField
          label="Boards are on"
          isOn={isOn}
          isBusy={patch.isPending}
          onChange={(on) => patch.mutate({ boards_enabled: on })}
        />
        <p className="quiet small">
          {cluster.boards_enabled
            ? 'Turning boards off hides them and their posts. Nothing is deleted.'
            : 'When boards are on, you can create boards, and everybody in the cluster can post.'}
        </p>
      </div>
      {patch.error && <ErrorPanel what="It was not changed." error={patch.error} />}
    </div>
  );
}
