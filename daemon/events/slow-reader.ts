import type { MeshEvent } from '../contract/events.js';

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

/** The entity and kind of an event. Of two events with the same key only the newer is kept. */
function createKey(event: MeshEvent): string {
  switch (event.type) {
    case 'message.added':
      return `${event.type} ${event.message.id}`;
    case 'turn.tool':
      return `${event.type} ${event.turn} ${event.call.id}`;
    case 'turn.permission':
      return `${event.type} ${event.permission.pid}`;
  }
  const rest = event as unknown as Record<string, unknown>;
  const id = rest['request_id'] ?? rest['turn'] ?? rest['conv'] ?? rest['agent_id'] ?? rest['id'] ?? '';
  return `${event.type} ${String(id)} ${String(rest['surface'] ?? '')}`;
}
