/**
 * Sends bodies to a daemon as fast as it takes them, several at once: a program of its own, so that it can be run as
 * another user and its work is not taken for the daemon's.
 * Told by its parent `{port, path, method, headers, bodies, atOnce}`; answers `{statuses, limit}`, of which `limit` is
 * the largest body that a 413 names.
 */
import { request } from 'node:http';

const ANSWER_CHARS = 400;
/** Reading a body is over by then: what goes on (an ask, a stream) holds nothing. */
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
    // A body that is too large is refused while it is sent.
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
