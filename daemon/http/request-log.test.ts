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
