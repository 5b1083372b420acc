import { expect, it } from 'vitest';
import { INVISIBLE_CHARS } from '../lib/text/display-text.js';
import { openServer } from '../testing/open-server.js';

const EVIL = 'a\u0007\u001b[2J\u009b1m\u202eb\u200bc\u007f';

async function aServer() {
  const lines: string[] = [];
  const app = await openServer({ log: { level: 'info', stream: { write: (line) => void lines.push(line) } } });
  app.get('/answer', { config: { access: 'public' } }, async () => ({ name: EVIL }));
  app.get('/text', { config: { access: 'public' } }, (_request, reply) => reply.type('text/plain').send(EVIL));
  return { app, lines };
}

it('the log keeps every value but escapes characters that control a terminal', async () => {
  const { app, lines } = await aServer();
  app.log.info({ file: EVIL }, EVIL);
  const [line = ''] = lines.filter((one) => one.includes('file'));
  expect(line.trimEnd().match(INVISIBLE_CHARS)).toBeNull();
  expect(JSON.parse(line)).toMatchObject({ file: EVIL, msg: EVIL });
});

it('a JSON response keeps its value but is escaped, and any other response is sent unchanged', async () => {
  const { app } = await aServer();
  const answer = await app.inject('/answer');
  expect(answer.payload.match(INVISIBLE_CHARS)).toBeNull();
  expect(answer.json()).toEqual({ name: EVIL });
  expect(Number(answer.headers['content-length'])).toBe(Buffer.byteLength(answer.payload));
  expect((await app.inject('/text')).payload).toBe(EVIL);
});
