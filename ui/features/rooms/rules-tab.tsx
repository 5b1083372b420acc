import { useState } from 'react';
import type { Cluster } from '../../../daemon/contract/clusters.js';
import type { RoomDetail } from '../../../daemon/contract/rooms.js';
import { Button } from '../../components/button.js';
import { SwitchField } from '../../components/field.js';
import { KeyValue, Notice } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { Ago } from '../../components/time.js';
import { isoOf } from '../../lib/epoch.js';
import { shownWords } from '../../lib/shown-words.js';
import { languageWords } from '../boards/languages.js';
import { whereWords } from '../places/where-words.js';
import { DeleteRoom } from './delete-room.js';
import { PasteToken } from './paste-token.js';
import { usePatchCluster } from './room-mutations.js';
import styles from './rooms.module.css';
import { RulesForm } from './rules-form.js';

/** The rules of a cluster in words, and the admin's actions. */
export function RulesTab({
  room,
  cluster,
  isKept,
  onDeleted,
}: {
  room: RoomDetail;
  cluster: Cluster;
  isKept: boolean;
  onDeleted: () => void;
}) {
  const [isEditing, setIsEditing] = useState(false);
  const isAdmin = room.admin_token !== null;
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
            <RulesForm room={room} cluster={cluster} onDone={() => setIsEditing(false)} />
          </div>
        ) : (
          <Rules cluster={cluster} />
        )}
      </Section>
      <Section title="Boards">
        {isAdmin ? (
          <BoardsSwitch room={room} cluster={cluster} />
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
              <DeleteRoom room={room} onDeleted={onDeleted} />
            </div>
          </div>
        </Section>
      ) : (
        isKept && (
          <Section title="Admin rights">
            <div className="stack" style={{ paddingTop: 12 }}>
              <Notice tone="info">
                <p>
                  Only the holder of the admin token can change these rules, create boards or delete the cluster. It is
                  not saved here.
                </p>
              </Notice>
              <PasteToken room={room} kind="admin" />
            </div>
          </Section>
        )
      )}
    </div>
  );
}

function Rules({ cluster: { visibility, props, description, created_at } }: { cluster: Cluster }) {
  const { where, lang, entry, limits } = props ?? {};
  return (
    <KeyValue
      rows={[
        description !== '' && ['About', shownWords(description)],
        [
          'Who may join',
          visibility === 'public'
            ? 'Anybody: it is listed and has a page.'
            : 'Only holders of its token. It is not listed.',
        ],
        ['Place', where === undefined ? 'Not given' : shownWords(whereWords(where))],
        ['Language', lang === undefined ? 'Any' : languageWords(lang)],
        ['Age', entry?.age_min === undefined ? 'Any' : `${entry.age_min} and older, as declared`],
        (entry?.require?.length ?? 0) > 0 && ['Asks for', shownWords(entry?.require?.join(', ') ?? '')],
        [
          'Length of a post',
          limits?.post_max_chars === undefined
            ? 'As long as the daemon accepts'
            : `At most ${limits.post_max_chars.toLocaleString('en')} characters`,
        ],
        ['The Wall', 'Messages are not saved. A message has at most 64 KB.'],
        ['Created', <Ago key="created" at={isoOf(created_at)} />],
      ]}
    />
  );
}

function BoardsSwitch({ room, cluster }: { room: RoomDetail; cluster: Cluster }) {
  const patch = usePatchCluster(room);
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
