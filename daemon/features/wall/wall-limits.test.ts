import { describe, expect, it } from 'vitest';
import { sendFrame } from '../../testing/apps/clusters-app.js';
import { isOffline, listMessages, nextAck, nextMessage, threeMembers } from '../../testing/apps/wall-talk.js';

describe('Wall limits', () => {
  const FULL = (extra: number) => `{"payload":"${'x'.repeat(65_536 - 14 + extra)}"}`;

  it('accept a frame of 65,536 bytes and close with 1009 on a larger one, without affecting peers', async () => {
    const { ada, ben, cay } = await threeMembers();
    sendFrame(ada, FULL(0));
    expect(String((await nextMessage(ben)).payload)).toHaveLength(65_522);
    sendFrame(ada, FULL(1));
    expect((await ada.closed).code).toBe(1009);
    await ben.until(isOffline('ada'));
    sendFrame(ben, 'still here');
    await cay.until((frame) => frame.kind === 'message' && frame.payload === 'still here');
  });

  it.each([
    ['in one message', (text: string) => `{"payload":"${text}"}`, 14],
    ['bare', (text: string) => text, 0],
  ])('count 64 KiB as bytes of the frame as sent, with text that is not ASCII: %s', async (_how, frameOf, around) => {
    const { ada, ben, cay } = await threeMembers();
    const fits = `é€😀${'é'.repeat((65_536 - around - 10) / 2)}x`;
    expect(Buffer.byteLength(frameOf(fits))).toBe(65_536);
    sendFrame(ada, frameOf(fits));
    expect((await nextMessage(ben)).payload).toBe(fits);
    const exceeds = fits.replace(/x$/, 'é');
    expect([exceeds.length, Buffer.byteLength(frameOf(exceeds))]).toEqual([fits.length, 65_537]);
    sendFrame(ada, frameOf(exceeds));
    expect((await ada.closed).code).toBe(1009);
    await cay.until(isOffline('ada'));
    expect(listMessages(cay)).toHaveLength(1);
  });

  it('close with 1008 after one error frame above 200 frames a second beyond a burst of 400', async () => {
    const { app, ada, ben } = await threeMembers();
    for (let n = 0; n < 400; n += 1) sendFrame(ada, { to: 'nobody', payload: n });
    for (let n = 0; n < 400; n += 1) expect((await ada.next()).kind).toBe('ack');
    app.clock.advance(100);
    for (let n = 0; n < 30; n += 1) sendFrame(ada, { to: 'nobody', payload: n });
    for (let n = 0; n < 20; n += 1) expect((await ada.next()).kind).toBe('ack');
    expect(await ada.next()).toEqual({ kind: 'error', detail: expect.stringContaining('200 frames') });
    await ben.until(isOffline('ada'));
    app.clock.advance(1_000);
    expect((await ada.closed).code).toBe(1008);
    expect(ada.frames.filter(({ kind }) => kind === 'error')).toHaveLength(1);
  });

  it('slow a sender down above 1 MiB a second, and lose none of its pieces', async () => {
    const { app, ada, ben } = await threeMembers();
    for (let seq = 0; seq < 40; seq += 1) sendFrame(ada, { payload: { stream: 's', seq, delta: 'x'.repeat(60_000) } });
    for (let seq = 0; seq < 40; seq += 1) {
      // What has come without a wait is 18 pieces: the last of them exceeds the limit.
      if (seq >= 18) app.clock.advance(100);
      expect([(await nextAck(ada)).delivered, (await nextMessage(ben)).payload]).toMatchObject([2, { seq }]);
    }
  });

  it('count pings as frames', async () => {
    const { app, ada, ben } = await threeMembers();
    for (let round = 0; round < 8; round += 1) {
      const last = new Promise<void>((resolve) => {
        ada.socket.on('pong', (data) => (String(data) === `${round} 49` ? resolve() : undefined));
      });
      for (let n = 0; n < 50; n += 1) ada.socket.ping(`${round} ${n}`);
      await last;
    }
    ada.socket.ping('one more');
    expect(await ada.next()).toMatchObject({ kind: 'error' });
    await ben.until(isOffline('ada'));
    app.clock.advance(1_000);
    expect((await ada.closed).code).toBe(1008);
  });

  it('count unsolicited pongs as frames', async () => {
    const { app, ada, ben } = await threeMembers();
    for (let n = 0; n < 401; n += 1) ada.socket.pong();
    expect(await ada.next()).toMatchObject({ kind: 'error' });
    await ben.until(isOffline('ada'));
    app.clock.advance(1_000);
    expect((await ada.closed).code).toBe(1008);
  });

  it('accept a message in 32 fragments and close with 1008 on more', async () => {
    const { ada, ben } = await threeMembers();
    const fragments = (count: number) => {
      for (let n = 1; n < count; n += 1) ada.socket.send('x', { fin: false });
      ada.socket.send('x', { fin: true });
    };
    fragments(32);
    expect((await nextMessage(ben)).payload).toBe('x'.repeat(32));
    fragments(33);
    expect((await ada.closed).code).toBe(1008);
    await ben.until(isOffline('ada'));
  });

  it('close with 1003 on a binary frame', async () => {
    const { ada } = await threeMembers();
    ada.socket.send(Buffer.from('{"payload":1}'), { binary: true });
    expect(await ada.next()).toMatchObject({ kind: 'error' });
    expect((await ada.closed).code).toBe(1003);
  });

  it('drop a reader whose queue exceeds 1 MiB without delaying others, and count it in no ack', async () => {
    const { app, cluster, ada, ben, cay } = await threeMembers();
    cay.socket.pause();
    const frame = { payload: 'x'.repeat(64_000) };
    const acks: number[] = [];
    let received = 0;
    while (acks.at(-1) !== 1) {
      app.clock.advance(100);
      sendFrame(ada, frame);
      acks.push((await nextAck(ada)).delivered);
      received += (await nextMessage(ben)) ? 1 : 0;
    }
    expect(received).toBe(acks.length);
    expect(acks.slice(0, -1).every((delivered) => delivered === 2)).toBe(true);
    await ben.until(isOffline('cay'));
    expect(app.hub.count(cluster.id)).toBe(2);
    app.clock.advance(25_000);
    cay.socket.resume();
    expect(await cay.closed).toEqual({ code: 4408, reason: 'too slow' });
  });

  it('close a reader that has stalled for ten seconds with 4408, which it reads once it reads again', async () => {
    const { app, ada, ben, cay } = await threeMembers();
    cay.socket.pause();
    const frame = { to: 'cay', payload: 'x'.repeat(60_000) };
    // Data in the system's socket buffers does not count as stalled, so those must be filled first.
    while (app.hub.queuedBytes === 0) {
      app.clock.advance(100);
      sendFrame(ada, frame);
      expect((await nextAck(ada)).delivered).toBe(1);
    }
    app.clock.advance(12_000);
    await ben.until(isOffline('cay'));
    sendFrame(ada, frame);
    expect((await nextAck(ada)).delivered).toBe(0);
    app.clock.advance(15_000);
    cay.socket.resume();
    expect(await cay.closed).toEqual({ code: 4408, reason: 'too slow' });
  });

  it('end with 1006 for a stalled reader that has not read the close frame for 30 seconds', async () => {
    const { app, ada, ben, cay } = await threeMembers();
    cay.socket.pause();
    while (app.hub.queuedBytes === 0) {
      app.clock.advance(100);
      sendFrame(ada, { to: 'cay', payload: 'x'.repeat(60_000) });
      await nextAck(ada);
    }
    app.clock.advance(12_000);
    await ben.until(isOffline('cay'));
    app.clock.advance(30_000);
    cay.socket.resume();
    expect((await cay.closed).code).toBe(1006);
  });
});
