import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { Board } from '../../../daemon/contract/boards.js';
import type { Cluster, Props } from '../../../daemon/contract/clusters.js';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Badge } from '../../components/badge.js';
import { Button } from '../../components/button.js';
import { SelectField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { Icon } from '../../components/text/icon.js';
import { useToast } from '../../components/toasts.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { usePatchCluster } from '../clusters/cluster-mutations.js';
import { BOARD_KINDS, kindLabels } from './board-format.js';
import { type BoardVisit, createVisit } from './board-visit.js';
import styles from './boards.module.css';
import { boardsQuery } from './boards-queries.js';
import { DeleteBoard } from './delete-board.js';
import { EditBoardDialog } from './edit-board-dialog.js';
import { NewBoardDialog } from './new-board-dialog.js';
import { getBoardRules } from './rules/board-rules.js';
import { RulesList } from './rules/rules-list.js';

interface BoardsTabProps {
  room: SavedClusterDetail;
  cluster: Cluster;
  /** Filter by kind from the query. An unknown kind sets no constraint. */
  kind: string | undefined;
  onKind: (kind: string | undefined) => void;
}

/** The boards of a cluster with their purpose and rules. The admin can create, edit and delete them. */
export function BoardsTab({ room: savedCluster, cluster, ...shown }: BoardsTabProps) {
  const visit = createVisit(cluster, savedCluster);
  return cluster.boards_enabled ? (
    <Boards room={savedCluster} visit={visit} {...shown} />
  ) : (
    <BoardsOff room={savedCluster} />
  );
}

function BoardsOff({ room: savedCluster }: { room: SavedClusterDetail }) {
  const patch = usePatchCluster(savedCluster);
  return (
    <Section title="Boards">
      <EmptyState
        command={
          savedCluster.admin_token === null
            ? undefined
            : `meshd cluster set ${savedCluster.slug ?? savedCluster.cluster_id} --boards on`
        }
        action={
          savedCluster.admin_token !== null && (
            <Button look="primary" isBusy={patch.isPending} onClick={() => patch.mutate({ boards_enabled: true })}>
              Enable boards
            </Button>
          )
        }
      >
        This cluster has no boards. Members pin posts to a board, where they stay until they expire. Wall messages are
        never stored.{' '}
        {savedCluster.admin_token === null
          ? 'The holder of the admin token can enable them.'
          : 'Turning boards off later hides them and deletes nothing.'}
      </EmptyState>
      {patch.error && <ErrorPanel what="Boards were not enabled." error={patch.error} />}
    </Section>
  );
}

/** Turns the boards of a cluster off. A toast offers to turn them on again. */
function useTurnOff(savedCluster: SavedClusterDetail) {
  const patch = usePatchCluster(savedCluster);
  const say = useToast();
  const turnOff = () =>
    patch.mutate(
      { boards_enabled: false },
      {
        onSuccess: () =>
          say({
            text: 'Boards are off. Nothing of them is deleted.',
            action: { label: 'Turn on again', run: () => patch.mutate({ boards_enabled: true }) },
          }),
      },
    );
  return { turnOff, isTurningOff: patch.isPending, error: patch.error };
}

function Boards({ room: savedCluster, visit, kind, onKind }: Omit<BoardsTabProps, 'cluster'> & { visit: BoardVisit }) {
  const boards = useQuery(boardsQuery(visit));
  const { turnOff, isTurningOff, error } = useTurnOff(savedCluster);
  const [open, setOpen] = useState<'new' | Board>();
  const isAdmin = visit.adminToken !== undefined;
  return (
    <Section
      title="Boards"
      {...(boards.data && { count: boards.data.boards.length })}
      actions={
        isAdmin && (
          <div className="cluster">
            <Button look="quiet" isSmall isBusy={isTurningOff} onClick={turnOff}>
              Turn boards off
            </Button>
            <Button look="primary" isSmall onClick={() => setOpen('new')}>
              <Icon name="plus" />
              New board
            </Button>
          </div>
        )
      }
    >
      {error && <ErrorPanel what="Boards were not turned off." error={error} />}
      <Loaded query={boards} what="The boards could not be read." rows={4}>
        {(data) =>
          data.boards.length === 0 ? (
            <NoBoards room={savedCluster} isAdmin={isAdmin} onNew={() => setOpen('new')} />
          ) : (
            <OfKind boards={data.boards} kind={kind} onKind={onKind}>
              {(board) => (
                <BoardRow
                  key={board.id}
                  visit={visit}
                  board={board}
                  room={data.cluster_props}
                  onEdit={() => setOpen(board)}
                />
              )}
            </OfKind>
          )
        }
      </Loaded>
      {open && (
        <BoardDialog
          visit={visit}
          board={open === 'new' ? undefined : open}
          room={boards.data?.cluster_props ?? null}
          onClose={() => setOpen(undefined)}
        />
      )}
    </Section>
  );
}

interface BoardDialogProps {
  visit: BoardVisit;
  /** The board to edit. Without one, a board is created. */
  board: Board | undefined;
  room: Props | null;
  onClose: () => void;
}

function BoardDialog({ visit, board, room: clusterProps, onClose }: BoardDialogProps) {
  const say = useToast();
  if (board) return <EditBoardDialog visit={visit} board={board} room={clusterProps} onClose={onClose} />;
  return (
    <NewBoardDialog
      visit={visit}
      room={clusterProps}
      onClose={onClose}
      onCreated={({ slug }) => {
        onClose();
        say({ text: `#${slug} is there.` });
      }}
    />
  );
}

interface NoBoardsProps {
  room: SavedClusterDetail;
  isAdmin: boolean;
  onNew: () => void;
}

function NoBoards({ room: savedCluster, isAdmin, onNew }: NoBoardsProps) {
  return (
    <EmptyState
      command={
        isAdmin
          ? `meshd board create ${savedCluster.slug ?? savedCluster.cluster_id} flea-market --about "Things that work"`
          : undefined
      }
      action={
        isAdmin && (
          <Button look="primary" onClick={onNew}>
            New board
          </Button>
        )
      }
    >
      No boards yet.{' '}
      {isAdmin ? 'Create one and describe its purpose in its charter.' : 'The admin of the cluster creates them.'}
    </EmptyState>
  );
}

interface OfKindProps extends Pick<BoardsTabProps, 'kind' | 'onKind'> {
  boards: readonly Board[];
  children: (board: Board) => ReactNode;
}

/** The boards, or those of one kind. The filter is hidden for boards of a single kind unless one is chosen. */
function OfKind({ boards, kind, onKind, children }: OfKindProps) {
  const kinds = BOARD_KINDS.filter((one) => one === kind || boards.some((board) => board.kind === one));
  const chosen = kinds.find((one) => one === kind);
  const shown = chosen === undefined ? boards : boards.filter((board) => board.kind === chosen);
  return (
    <>
      {kinds.length > 1 && (
        <search className={styles.kinds}>
          <SelectField
            label="Kind"
            value={chosen ?? ''}
            options={[{ value: '', label: 'Any' }, ...kinds.map((value) => ({ value, label: kindLabels[value] }))]}
            onChange={(event) => onKind(event.target.value || undefined)}
          />
        </search>
      )}
      {shown.length === 0 && chosen !== undefined ? (
        <EmptyState action={<Button onClick={() => onKind(undefined)}>Show all boards</Button>}>
          No board here is for {kindLabels[chosen]}.
        </EmptyState>
      ) : (
        <ul className={rows.rows} aria-label="Boards">
          {shown.map(children)}
        </ul>
      )}
    </>
  );
}

function BoardRow({
  visit,
  board,
  room: clusterProps,
  onEdit,
}: {
  visit: BoardVisit;
  board: Board;
  room: Props | null;
  onEdit: () => void;
}) {
  const { slug, name, kind, about, posts } = board;
  return (
    <li className={styles.board}>
      <div className={styles.boardWords}>
        <p className="cluster">
          <Link to="/rooms/$id/b/$slug" params={{ id: visit.cluster.id, slug }} className={rows.main} data-row="">
            {toDisplayText(name)}
          </Link>
          <span className="mono small quiet">#{slug}</span>
          <Badge>{kindLabels[kind]}</Badge>
        </p>
        {about !== '' && <p className={styles.charter}>{toDisplayText(about)}</p>}
        <RulesList rules={getBoardRules(board.props, clusterProps)} />
      </div>
      <p className={styles.count}>{posts === 1 ? '1 post' : `${posts.toLocaleString('en')} posts`}</p>
      {visit.adminToken !== undefined && (
        <div className={styles.acts}>
          <Button isSmall onClick={onEdit}>
            Edit<span className="visually-hidden"> {toDisplayText(name)}</span>
          </Button>
          <DeleteBoard visit={visit} board={board} isSmall />
        </div>
      )}
    </li>
  );
}
