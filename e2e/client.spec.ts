import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from './fixtures.js';

const LIBRARY = fileURLToPath(new URL('../dist/client.js', import.meta.url));

test('the client library asks, verifies, hears what happens and sits on a Wall from a page of the daemon’s origin', async ({
  page,
  project,
}) => {
  await page.route('**/client-library.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: readFileSync(LIBRARY, 'utf8') }),
  );
  await page.goto(project.address);
  const token = await project.token('consultant');
  const told = await page.evaluate(async (token) => {
    const library: typeof import('../daemon/client/client.js') = await import('/client-library.js' as string);
    const { ApiError, ask, call, events, verifyReceiptSignature, Wall } = library;
    const here = { address: '', token };
    const frames: string[] = [];
    let status = '';
    const verdicts: boolean[] = [];
    for await (const frame of events(here)) {
      frames.push(frame.type);
      if (frame.type === 'hello') {
        const record = await ask(here, 'consultant', 'On which port does Lamp listen?');
        status = record.status;
        for (const given of [record, { ...record, result_text: 'On none.' }])
          verdicts.push((await verifyReceiptSignature(record.receipt, given)).valid);
      }
      if (frame.type === 'team.request.done') break;
    }
    const connection = await Wall.join(here, { cluster: 'the-commons', agent: 'ada' });
    const other = await Wall.join({ address: window.location.origin }, { cluster: 'the-commons', agent: 'ben' });
    const { delivered } = await connection.say('hello');
    let received: unknown;
    for await (const frame of other) {
      if (frame.kind !== 'message') continue;
      received = frame.payload;
      break;
    }
    connection.leave();
    other.leave();
    const refusal = await call(here, '/team', { method: 'POST', body: { nothing: 1 } }).catch(
      (error: unknown) => error,
    );
    return {
      first: frames[0],
      status,
      verdicts,
      delivered,
      heard: received,
      refusal: refusal instanceof ApiError && refusal.status,
    };
  }, token);
  expect(told).toEqual({
    first: 'hello',
    status: 'done',
    verdicts: [true, false],
    delivered: 1,
    heard: 'hello',
    refusal: 400,
  });
});
