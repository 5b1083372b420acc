import type { FastifyBaseLogger } from 'fastify';
import type { LineBudget } from '../lib/line-budget.js';

type Line = [what: object, message?: string];

/**
 * The log of one request: the server's, with the request's id in every line. Few requests write one, so the child of the server's log, which costs as much
 * as finding the route, is made by the first line. Warnings of the same words and code are told sparingly: callers can cause as many as they like.
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
    // Fastify's own are texts, which may hold a path.
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
