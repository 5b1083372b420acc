import type { AskRecord } from '../../contract/asks.js';
import { TERMINAL_STATUSES } from '../../contract/asks.js';
import { MCP_ASK_SECONDS } from '../../contract/limits.js';
import { MeshError } from '../../lib/errors.js';
import type { McpPorts } from './mcp-ports.js';
import type { McpCall } from './mcp-surface.js';

/** Interval of progress notifications for callers that request them. */
const PROGRESS_SECONDS = 1;
const UNHEARD_SECONDS = 60;

/**
 * Waits for a request to end and returns its record. A cancelled call cancels the request. Throws `deadline` after
 * fifteen minutes, and `overloaded` when the daemon stops or the token is revoked. Both carry `request_id`, and the
 * request continues.
 */
export async function followAsk(
  { asks, clock, lastTool }: Pick<McpPorts, 'asks' | 'clock' | 'lastTool'>,
  member: string,
  requestId: string,
  { signal, ended, progress }: Pick<McpCall, 'signal' | 'ended' | 'progress'>,
): Promise<AskRecord> {
  const begun = clock.elapsed();
  const gone = AbortSignal.any([signal, ended]);
  const details = { request_id: requestId };
  let told = -1;
  for (;;) {
    const seconds = (clock.elapsed() - begun) / 1000;
    const record = await asks.read(member, requestId);
    if (TERMINAL_STATUSES.includes(record.status)) return record;
    // Checked before the caller's own signal, which aborts together with it.
    if (ended.aborted)
      throw new MeshError('overloaded', 'The daemon lets go of its callers: read the request later.', { details });
    if (signal.aborted) return asks.cancelAsk(member, requestId);
    if (seconds >= MCP_ASK_SECONDS) {
      throw new MeshError('deadline', `No answer within ${MCP_ASK_SECONDS} s: the request goes on, read it later.`, {
        details,
      });
    }
    if (progress && seconds > told) {
      told = seconds;
      // A failed notification is ignored, since the signals report a disconnected caller.
      await progress(seconds, formatProgress(record, seconds, lastTool(record.conv))).catch(() => undefined);
    }
    await asks.wait(requestId, progress ? PROGRESS_SECONDS : UNHEARD_SECONDS, gone);
  }
}

/** The state of a request in one sentence. */
function formatProgress(
  { status, queue_position, progress }: AskRecord,
  seconds: number,
  lastTool: string | undefined,
): string {
  if (status === 'queued') return queue_position === undefined ? 'Queued.' : `Queued, place ${queue_position}.`;
  if (status === 'needs_input') return 'Waits for a person to decide.';
  const stage =
    progress && (progress.total > 0 ? `${progress.stage}, ${progress.done} of ${progress.total}` : progress.stage);
  const last = lastTool ?? stage;
  return `Running for ${Math.floor(seconds)} s${last === undefined ? '' : `: ${last.slice(0, 120)}`}.`;
}
