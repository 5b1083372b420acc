import type { FastifyBaseLogger } from 'fastify';
import type { LineBudget } from '../lib/text/line-budget.js';

type Line = [what: object, message?: string];

/**
 * The log of one request: the server's log with the request's id in every line. A child logger costs as much as routing
 * a request and few requests write a line, so the first line creates it. Warnings with the same text and code are rate
 * limited, because callers can cause any number of them.
 */
export class RequestLog {
  private made: FastifyBaseLogger | undefined;

  constructor(
    private readonly server: FastifyBaseLogger,
    private readonly bindings: object,
    private readonly warnings: LineBudget,
  ) {}

  get level(): string {
    return this.server.level;
  }

  fatal(...line: Line): void {
    this.own.fatal(...line);
  }

  error(...line: Line): void {
    this.own.error(...line);
  }

  warn(...line: Line): void {
    const [what, message] = line;
    // Warnings of Fastify itself are plain texts, which may contain a path.
    const isText = typeof what === 'string';
    const leftOut = this.warnings.take(isText ? 'text' : `${message} ${(what as { code?: unknown }).code}`);
    if (leftOut === undefined) return;
    this.own.warn(isText || leftOut === 0 ? what : { ...what, left_out: leftOut }, message);
  }

  info(...line: Line): void {
    this.own.info(...line);
  }

  debug(...line: Line): void {
    this.own.debug(...line);
  }

  trace(...line: Line): void {
    this.own.trace(...line);
  }

  silent(): void {}

  child(...of: Parameters<FastifyBaseLogger['child']>): FastifyBaseLogger {
    return this.own.child(...of);
  }

  private get own(): FastifyBaseLogger {
    this.made ??= this.server.child(this.bindings);
    return this.made;
  }
}
