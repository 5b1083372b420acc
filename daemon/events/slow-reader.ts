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

function keyOf(event: MeshEvent): string {
  const { seq: _seq, ts: _ts, ...rest } = event as unknown as Record<string, unknown>;
  const subject = rest['request_id'] ?? rest['turn'] ?? rest['conv'] ?? rest['id'] ?? '';
  return `${event.type} ${String(subject)}`;
}
