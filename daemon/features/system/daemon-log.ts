import {
  LOG_AREAS,
  LOG_LEVELS,
  type LogArea,
  type LogLevel,
  type LogLine,
  type LogLines,
  type LogLinesQuery,
} from '../../contract/system.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import { isoTime } from '../../lib/time/clock.js';
import { parseQueryTime } from '../../lib/time/query-time.js';

/** Maximum length of a line's text and, separately, of its details. */
const SHOWN_CHARS = 4_000;
const LINES_DEFAULT = 200;

interface WrittenLine {
  level?: unknown;
  time?: unknown;
  msg?: unknown;
  area?: unknown;
  /** The id that the server gives to the request that the line is about. */
  reqId?: unknown;
  err?: { message?: unknown; stack?: unknown };
  [further: string]: unknown;
}

function parsed(raw: string): WrittenLine | undefined {
  try {
    const line: unknown = JSON.parse(raw);
    return typeof line === 'object' && line !== null && !Array.isArray(line) ? (line as WrittenLine) : undefined;
  } catch {
    return undefined;
  }
}

const isString = (value: unknown): value is string => typeof value === 'string' && value !== '';

/** Parses one line of the log and scrubs secrets. A line in another format becomes the text itself. */
export function parseLogLine(raw: string): LogLine {
  const text = scrubSecrets(raw);
  const line = parsed(text);
  if (!line) return { at: null, level: 'info', area: 'daemon', text: text.slice(0, SHOWN_CHARS) };
  const { level, time, msg, err, area, ...further } = line;
  const details = [
    isString(err?.stack) ? err.stack : undefined,
    Object.keys(further).length > 0 ? JSON.stringify(further) : undefined,
  ].filter(isString);
  return {
    at: typeof time === 'number' && Math.abs(time) < 8.64e15 ? isoTime(time) : null,
    // pino levels are multiples of ten, beginning with trace at 10.
    level: LOG_LEVELS[Math.min(LOG_LEVELS.length, Math.max(1, Math.round(Number(level) / 10) || 3)) - 1] as LogLevel,
    area: toArea(area, line.reqId),
    text: (isString(msg) ? msg : isString(err?.message) ? err.message : 'no words').slice(0, SHOWN_CHARS),
    ...(details.length > 0 && { details: details.join('\n').slice(0, SHOWN_CHARS) }),
  };
}

const toArea = (area: unknown, requestId: unknown): LogArea =>
  LOG_AREAS.find((known) => known === area) ?? (requestId === undefined ? 'daemon' : 'http');

/** Returns the function that selects the lines of a query. Throws `bad_request` for an invalid time. */
function matching({ level = 'trace', area, q, since, until }: LogLinesQuery): (line: LogLine) => boolean {
  const from = LOG_LEVELS.indexOf(level);
  const words = q?.trim().toLowerCase() ?? '';
  const [sinceMs, untilMs] = [parseQueryTime('since', since), parseQueryTime('until', until)];
  return ({ at, ...line }) => {
    if (LOG_LEVELS.indexOf(line.level) < from || (area !== undefined && line.area !== area)) return false;
    const ms = at === null ? Number.NaN : Date.parse(at);
    if ((sinceMs !== undefined && !(ms >= sinceMs)) || (untilMs !== undefined && !(ms < untilMs))) return false;
    return `${line.text}\n${line.details ?? ''}`.toLowerCase().includes(words);
  };
}

/** The end of the daemon's log. `readTail` returns whole lines, the newest last. */
export class DaemonLog {
  constructor(
    private readonly path: string,
    private readonly readTail: () => Promise<string[]>,
  ) {}

  /** Returns the newest lines that match. Throws `bad_request` for an invalid time. */
  async read({ limit = LINES_DEFAULT, ...query }: LogLinesQuery): Promise<LogLines> {
    const isMatch = matching(query);
    const lines: LogLine[] = [];
    for (const raw of (await this.readTail()).reverse()) {
      if (lines.length === limit) break;
      const line = parseLogLine(raw);
      if (isMatch(line)) lines.push(line);
    }
    return { path: this.path, lines: lines.reverse() };
  }
}
