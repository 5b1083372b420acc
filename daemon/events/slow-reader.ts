import type { EventPayloads, EventType, MeshEvent } from '../contract/events.js';

const byId = ({ id }: { id: string }) => id;
const byRequest = ({ request_id }: { request_id: string }) => request_id;
const byConversation = ({ conv }: { conv: string }) => conv;
const byTurn = ({ turn }: { turn: string }) => turn;
const byAgent = ({ agent_id, surface }: { agent_id: string; surface: string }) => `${agent_id} ${surface}`;
const byCluster = ({ cluster }: { cluster: string }) => cluster;
const byScope = ({ scope }: { scope: string }) => scope;
const isOnlyOne = () => '';

/** The entity of each kind of event. Of two events of a kind and entity only the newer is kept. */
const ENTITIES: { readonly [T in EventType]: (payload: EventPayloads[T]) => string } = {
  'team.created': byId,
  'team.updated': byId,
  'team.deleted': byId,
  'team.broken': byId,
  'team.exposed': byId,
  'team.hidden': byId,
  'team.token_rotated': byId,
  'team.drifted': byId,
  'team.tests.started': byId,
  'team.tests.progress': byId,
  'team.tests.ended': byId,
  'team.tests.changed': byId,
  'team.instance.started': byConversation,
  'team.instance.ended': byConversation,
  'team.request.created': byRequest,
  'team.request.started': byRequest,
  'team.request.needs_input': byRequest,
  'team.request.done': byRequest,
  'team.request.error': byRequest,
  'team.request.polled': byRequest,
  'team.request.rated': byRequest,
  'conversation.created': byConversation,
  'conversation.updated': byConversation,
  'conversation.archived': byConversation,
  'conversation.deleted': byConversation,
  'message.added': ({ message }) => message.id,
  'turn.tool': ({ turn, call }) => `${turn} ${call.id}`,
  'turn.permission': ({ permission }) => permission.pid,
  'turn.delta': byTurn,
  'turn.ended': byTurn,
  'checkpoint.made': ({ conv, checkpoint }) => `${conv} ${checkpoint}`,
  'agent.registered': byAgent,
  'agent.updated': byAgent,
  'agent.online': byAgent,
  'agent.offline': byAgent,
  'agent.deregistered': byAgent,
  'cluster.created': byCluster,
  'cluster.updated': byCluster,
  'cluster.deleted': byCluster,
  'board.changed': ({ cluster, board }) => `${cluster} ${board}`,
  'room.changed': byCluster,
  'payment.changed': ({ id, side }) => `${side} ${id}`,
  'payment.balance': ({ agent }) => agent ?? '',
  'call.changed': ({ call_id }) => call_id,
  'reputation.filed': ({ agent_id, report }) => `${agent_id} ${report}`,
  'knowledge.progress': isOnlyOne,
  'roadmap.updated': isOnlyOne,
  'schedules.updated': isOnlyOne,
  'preferences.updated': isOnlyOne,
  'budget.warned': byScope,
  'budget.reached': byScope,
  'budget.changed': byScope,
  'clients.updated': isOnlyOne,
};

/**
 * Reduces the events that a slow reader missed to those it still needs: the newest of each kind per entity, with the
 * `turn.delta` events of one turn joined. The result is ordered by the newest event of each key, so its last `seq` is
 * that of the stream.
 */
export function coalesce(events: readonly MeshEvent[]): MeshEvent[] {
  const kept = new Map<string, MeshEvent>();
  for (const event of events) {
    const key = createKey(event);
    const earlier = kept.get(key);
    kept.delete(key);
    if (event.type === 'turn.delta' && earlier?.type === 'turn.delta') {
      kept.set(key, { ...event, index: earlier.index, text: earlier.text + event.text });
    } else kept.set(key, event);
  }
  return [...kept.values()];
}

function createKey(event: MeshEvent): string {
  const getEntity = ENTITIES[event.type] as (payload: MeshEvent) => string;
  return `${event.type} ${getEntity(event)}`;
}
