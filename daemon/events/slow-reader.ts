import type { MeshEvent } from '../contract/events.js';

/**
 * What a reader that fell behind still needs: of each entity's events only the newest of a kind, pieces of one turn's text joined. Order is
 * that of the newest of each, so the last `seq` is the stream's.
 */
export function coalesce(events: readonly MeshEvent[]): MeshEvent[] {
  const kept = new Map<string, MeshEvent>();
  for (const event of events) {
    const key = keyOf(event);
    const earlier = kept.get(key);
    kept.delete(key);
    if (event.type === 'turn.delta' && earlier?.type === 'turn.delta') {
      kept.set(key, { ...event, index: earlier.index, text: earlier.text + event.text });
    } else kept.set(key, event);
  }
  return [...kept.values()];
}

/** What an event is about, so that of two about the same only the newer counts. */
function keyOf(event: MeshEvent): string {
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
