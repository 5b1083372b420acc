import { describe, expect, it } from 'vitest';
import { sendFrame } from '../../testing/apps/clusters-app.js';
import { listMessages, nextAck, threeMembers } from '../../testing/apps/wall-talk.js';

/**
 * A deleted cluster in which the member cay has not read its messages, which exceed the socket buffers of the system.
 */
async function deletedBehindCay() {
  const { app, cluster, ada, cay } = await threeMembers();
  cay.socket.pause();
  const frame = { to: 'cay', payload: 'x'.repeat(60_000) };
  let sent = 0;
  while (app.hub.queuedBytes < 500_000) {
    app.clock.advance(100);
    sendFrame(ada, frame);
    expect((await nextAck(ada)).delivered).toBe(1);
    sent += 1;
  }
  expect(
    (await app.call('DELETE', `/v1/clusters/${cluster.id}`, undefined, { 'x-cluster-token': cluster.admin })).status,
  ).toBe(200);
  return { app, cay, sent };
}

describe('Deleting a cluster while a member is a slow reader', () => {
  it('delivers the queued messages, then closed, then close code 4000', async () => {
    const { app, cay, sent } = await deletedBehindCay();
    app.clock.advance(1_900);
    cay.socket.resume();
    expect((await cay.closed).code).toBe(4000);
    expect(cay.frames.at(-1)).toMatchObject({ kind: 'closed' });
    expect(listMessages(cay)).toHaveLength(sent);
  });

  it('terminates a member that has not caught up within two seconds', async () => {
    const { app, cay, sent } = await deletedBehindCay();
    app.clock.advance(2_000);
    cay.socket.resume();
    expect((await cay.closed).code).toBe(1006);
    expect(listMessages(cay).length).toBeLessThan(sent);
  });
});
