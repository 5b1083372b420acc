import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from './fixtures.js';

const LIBRARY = fileURLToPath(new URL('../dist/client.js', import.meta.url));

test('the client library asks and sits on a Wall from a page of the daemon’s origin, which is not the daemon’s own', async ({
  page,
  project,
}) => {
  await page.route('**/client-library.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: readFileSync(LIBRARY, 'utf8') }),
  );
  await page.goto(project.address);
  const token = await project.token('consultant');
  const told = await page.evaluate(async (token) => {
    const library: typeof import('../client/client.js') = await import('/client-library.js' as string);
    const { ApiError, ask, call, Wall } = library;
    const here = { address: '', token };
    const { status } = await ask(here, 'consultant', 'On which port does Lamp listen?');
    const seat = await Wall.join(here, { cluster: 'the-commons', agent: 'ada' });
    const other = await Wall.join({ address: window.location.origin }, { cluster: 'the-commons', agent: 'ben' });
    const { delivered } = await seat.say('hello');
    let heard: unknown;
    for await (const frame of other) {
      if (frame.kind !== 'message') continue;
      heard = frame.payload;
      break;
    }
    seat.leave();
    other.leave();
    const refusal = await call(here, '/team', { method: 'POST', body: { nothing: 1 } }).catch(
      (error: unknown) => error,
    );
    return { status, delivered, heard, refusal: refusal instanceof ApiError && refusal.status };
  }, token);
  expect(told).toEqual({ status: 'done', delivered: 1, heard: 'hello', refusal: 403 });
});
