import type { Conversation } from '../../contract/conversations.js';
import { isoTime } from '../../lib/time/clock.js';
import { isAgentType } from './agent-types.js';
import type { AskedTurnsStore } from './asked-turns-store.js';
import { formatTitle } from './conversation-title.js';
import type { ConversationRow, ConversationsStore } from './conversations-store.js';
import type { Permissions } from './permissions.js';
import type { Runnable, TurnPlaces } from './turn-change.js';
import type { TurnRuns } from './turn-runs.js';
import type { TurnsStore } from './turns-store.js';

const PREVIEW_CHARS = 160;

export interface ConversationFacts {
  store: ConversationsStore;
  asked: AskedTurnsStore;
  turns: TurnsStore;
  runs: TurnRuns;
  permissions: Permissions;
  places: Pick<TurnPlaces, 'describe' | 'forget'>;
  resolve: (conversation: ConversationRow) => (Runnable & { note?: string | undefined }) | undefined;
}

/** Builds the API representation of a conversation: the row, what it currently resolves to, and its state. */
export function conversationView(
  row: ConversationRow,
  { store, asked, turns, runs, permissions, places, resolve }: ConversationFacts,
): Conversation {
  const { conv, member, agent_type, client, model, effort } = row;
  const runnable = resolve(row);
  const open = turns.countOpen(conv);
  const running = runs.live(conv)?.turn ?? null;
  const place = places.describe(row, { tools: runnable?.member.tools ?? [], isolation: runnable?.isolation });
  return {
    conv,
    member,
    agent_type: isAgentType(agent_type) ? agent_type : 'custom',
    title: formatTitle(row),
    client: client as Conversation['client'],
    model,
    effort: effort as Conversation['effort'],
    client_resolved: runnable?.client_resolved ?? '',
    model_resolved: runnable?.model_resolved ?? '',
    effort_resolved: runnable?.effort_resolved ?? '',
    isolation: place.isolation,
    folder: place.folder,
    problem: runnable ? (runnable.problem ?? runnable.note ?? null) : 'The member is gone.',
    blocked: runnable === undefined || runnable.problem !== undefined,
    pinned: row.pinned === 1,
    archived: row.archived === 1,
    member_gone: member !== null && !runnable,
    from_outside: row.from_outside === 1,
    parent: asked.findParent(conv) ?? null,
    schedule: row.schedule_id === null ? null : { id: row.schedule_id, title: row.schedule_title ?? '' },
    running,
    queued: running === null ? open : open - 1,
    permissions: permissions.waiting(conv),
    last_outcome: turns.lastOutcome(conv),
    messages: store.countMessages(conv),
    // Answers to other programs do not count as unread for the operator.
    unread: row.from_outside === 1 ? 0 : store.countUnread(conv, row.read_seq),
    preview: store.preview(conv, PREVIEW_CHARS),
    created_at: isoTime(row.created_ms),
    updated_at: isoTime(row.updated_ms),
  };
}
