/**
 * Sends bodies to a daemon at full speed, several at once. Runs as a separate process, so that it can run as another
 * user and its work is not attributed to the daemon. The parent sends `{port, path, method, headers, bodies, atOnce}`
 * and gets `{statuses, limit, text}`, where `limit` is the largest body that a 413 names.
 */
import { request } from 'node:http';

const ANSWER_CHARS = 400;
/** The body is read by then. Work that continues (an ask, a stream) does not hold the event loop. */
const ANSWERED_WITHIN_MS = 1_000;

function send({ port, path, method, headers }, body) {
  return new Promise((resolve) => {
    const length = Buffer.byteLength(body);
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method,
        agent: false,
        headers: { 'content-type': 'application/json', ...headers, 'content-length': length },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8');
        answer.on('data', (chunk) => {
          if (text.length < ANSWER_CHARS) text += chunk;
        });
        answer.once('close', () => resolve({ status: answer.statusCode, text }));
      },
    );
    // A body that is too large is rejected while it is sent.
    asked.on('error', (error) => resolve({ status: 0, text: error.message }));
    const limit = setTimeout(() => asked.destroy(), ANSWERED_WITHIN_MS);
    asked.once('close', () => clearTimeout(limit));
    asked.end(body);
  });
}

process.on('message', async (plan) => {
  const answers = await Promise.all(
    Array.from({ length: plan.atOnce }, (_, index) => send(plan, plan.bodies[index % plan.bodies.length])),
  );
  const limit = answers.map(({ text }) => /larger than (\d+) bytes/.exec(text)?.[1]).find((found) => found);
  process.send({
    statuses: answers.map(({ status }) => status),
    limit: limit === undefined ? null : Number(limit),
    text: answers[0].text.slice(0, ANSWER_CHARS),
  });
});
process.once('disconnect', () => process.exit());
process.send('ready');
