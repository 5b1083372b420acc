import Fastify from 'fastify';
import { expect, it } from 'vitest';
import { LineBudget } from '../lib/text/line-budget.js';
import { RequestLog } from './request-log.js';

it('limits warnings with the same text and code and writes every error', async () => {
  const lines: { msg: string; code?: string; left_out?: number }[] = [];
  let nowMs = 0;
  const warnings = new LineBudget(() => nowMs);
  const app = Fastify({
    childLoggerFactory: (server, bindings) => new RequestLog(server, bindings, warnings) as never,
    logger: { level: 'warn', stream: { write: (line: string) => void lines.push(JSON.parse(line)) } },
  });
  app.get('/', ({ log }) => {
    log.warn({ code: 'store_readonly' }, 'request refused');
    log.error({ code: 'internal' }, 'request failed');
    return '';
  });
  for (let times = 0; times < 30; times += 1) await app.inject('/');
  expect(lines.filter(({ code }) => code === 'store_readonly')).toHaveLength(10);
  expect(lines.filter(({ code }) => code === 'internal')).toHaveLength(30);
  nowMs = 1_000;
  await app.inject('/');
  expect(lines.filter(({ left_out }) => left_out === 20)).toHaveLength(1);
});

interface Written {
  level: number;
  lamp: string;
  msg?: string;
  code?: string;
  left_out?: number;
}

/** A log whose lines are kept, of a request of the lamp `a`. */
function aLog(level = 'trace') {
  const lines: Written[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Written) };
  const state = { nowMs: 0 };
  const server = Fastify({ logger: { level, stream } }).log;
  return { log: new RequestLog(server, { lamp: 'a' }, new LineBudget(() => state.nowMs)), lines, state, server };
}

it('writes lines of every level with the name of the request', () => {
  const { log, lines } = aLog();
  expect(log.level).toBe('trace');
  for (const level of ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const)
    log[level]({ code: level }, 'said');
  log.silent();
  expect(lines).toMatchObject(
    ['trace', 'debug', 'info', 'warn', 'error', 'fatal'].map((code, index) => ({
      level: 10 * (index + 1),
      lamp: 'a',
      code,
      msg: 'said',
    })),
  );
});

it('is created for its first line and used again', () => {
  const { log, server } = aLog();
  let created = 0;
  const child = server.child.bind(server);
  server.child = ((...given: Parameters<typeof child>) => {
    created += 1;
    return child(...given);
  }) as typeof server.child;
  expect(created).toBe(0);
  log.info({}, 'first');
  log.info({}, 'second');
  expect(created).toBe(1);
});

it('has children with its own names and theirs', () => {
  const { log, lines } = aLog();
  log.child({ code: 'b' }).info('said');
  expect(lines).toMatchObject([{ lamp: 'a', code: 'b', msg: 'said' }]);
});

it('limits warnings of another text or code on their own, and texts alone together', () => {
  const { log, lines, state } = aLog();
  const many = (warn: (number: number) => void) => {
    for (let number = 0; number < 11; number += 1) warn(number);
  };
  many(() => log.warn({ code: 'a' }, 'first'));
  many(() => log.warn({ code: 'b' }, 'first'));
  many(() => log.warn({ code: 'a' }, 'second'));
  many((number) => log.warn(`path ${number}` as never));
  many(() => log.warn({}));
  expect(lines).toHaveLength(50);
  expect(lines.filter(({ left_out }) => left_out !== undefined)).toEqual([]);
  state.nowMs = 1_000;
  log.warn('path' as never);
  log.warn({ code: 'a' }, 'first');
  expect(lines.slice(50)).toMatchObject([
    { msg: 'path', lamp: 'a' },
    { msg: 'first', code: 'a', left_out: 1 },
  ]);
  expect(Object.keys(lines[50] ?? {}).sort()).toEqual(Object.keys(lines[30] ?? {}).sort());
});
