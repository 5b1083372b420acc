/**
 * One server of the fan-out bench in a separate process: `ours` (the daemon's own Wall without its rate limits), `ws`
 * (`client.send` for each socket), `socket.io` (a broadcast), or `blast`, which relays nothing and sends as fast as
 * possible, to find the limit of the load itself. Reports its port to the parent process.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import type { ClustersArea } from '../../../daemon/app/compose-clusters.js';
import { importSqlAsText } from '../sql-as-text.js';

importSqlAsText();

type Port = number;

async function ours(): Promise<{ port: Port; path: string }> {
  const { composeClusters } = await import('../../../daemon/app/compose-clusters.js');
  const { addSchemas } = await import('../../../daemon/http/openapi.js');
  const { Bus } = await import('../../../daemon/events/bus.js');
  const { createServer } = await import('../../../daemon/http/create-server.js');
  const { Guard } = await import('../../../daemon/http/guard.js');
  const { WrongCredentials } = await import('../../../daemon/http/callers/bearer.js');
  const { systemClock: clock } = await import('../../../daemon/lib/time/clock.js');
  const { Database } = await import('../../../daemon/storage/database/database.js');
  const { createChanges } = await import('../../../daemon/shared-log/embedded-log.js');
  const folder = mkdtempSync(join(tmpdir(), 'meshd-bench-fanout-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const guard = new Guard();
  const app = await createServer({ guard, isForeignPeer: () => false, log: false });
  addSchemas(
    app,
    await Promise.all(
      ['errors', 'clusters', 'boards', 'saved-clusters'].map(
        (name) => import(`../../../daemon/contract/${name}.js`) as Promise<Record<string, unknown>>,
      ),
    ),
  );
  let port = 0;
  const database = new Database(join(folder, 'mesh.db'));
  const surface: ClustersArea = await composeClusters({
    app,
    database,
    shared: createChanges({ database, clock, pubkey: '' }),
    bus: new Bus(clock),
    clock,
    wrong: new WrongCredentials(clock),
    address: () => `http://127.0.0.1:${port}`,
    commonsFile: { read: async () => null, write: async () => undefined },
    roomsFile: { path: '', read: async () => null, write: async () => undefined },
    mayWriteSecrets: async () => false,
    limits: { framesPerSecond: 1e9, burst: 1e9, bytesPerSecond: 1e12 },
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  port = (app.server.address() as AddressInfo).port;
  guard.listeningOn(port);
  // Timers are not started: the load only counts bytes, so it would count pings as messages and not answer them.
  const { cluster_id } = await surface.clusters.create({ visibility: 'public' });
  return { port, path: `/v1/clusters/${cluster_id}/ws?agent=` };
}

function plainWs(): Promise<{ port: Port; path: string }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  const members = new Map<string, WebSocket>();
  server.on('connection', (socket, request: IncomingMessage) => {
    const handle = (request.url as string).slice(1);
    members.set(handle, socket);
    socket.on('message', (data) => {
      const text = String(data);
      // A direct message is parsed and acknowledged as the Wall does; a broadcast is only relayed.
      if (text.startsWith('{"to"')) {
        const { to, payload } = JSON.parse(text) as { to: string; payload: unknown };
        const ts = Math.floor(Date.now() / 1000);
        members.get(to)?.send(JSON.stringify({ kind: 'message', from: handle, from_did: null, to, ts, payload }));
        socket.send(JSON.stringify({ kind: 'ack', to, delivered: members.has(to) ? 1 : 0 }));
        return;
      }
      for (const client of server.clients) if (client !== socket) client.send(text);
    });
  });
  return new Promise((resolve) =>
    server.once('listening', () => resolve({ port: (server.address() as AddressInfo).port, path: '/' })),
  );
}

async function socketIo(): Promise<{ port: Port; path: string }> {
  const name = new URL('../node_modules/socket.io/wrapper.mjs', import.meta.url).href;
  const { Server } = (await import(name)) as {
    Server: new (
      http: object,
      options: object,
    ) => {
      on(
        event: 'connection',
        run: (socket: {
          on(name: string, run: (data: string) => void): void;
          broadcast: { emit(name: string, data: string): void };
        }) => void,
      ): void;
    };
  };
  const http = createHttpServer();
  const io = new Server(http, {
    transports: ['websocket'],
    perMessageDeflate: false,
    pingInterval: 3_600_000,
    serveClient: false,
  });
  io.on('connection', (socket) => socket.on('m', (data) => socket.broadcast.emit('m', data)));
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { port: (http.address() as AddressInfo).port, path: '/socket.io/?EIO=4&transport=websocket&n=' };
}

/** After the first message, fills every connection as fast as it accepts data. */
function blast(): Promise<{ port: Port; path: string }> {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false });
  const chunk = Buffer.alloc(256 * 1024);
  let isOn = false;
  server.on('connection', (socket, { socket: connection }: IncomingMessage) => {
    const fill = () => {
      while (isOn && connection.write(chunk));
    };
    connection.on('drain', fill);
    socket.on('message', () => {
      isOn = !isOn;
      if (isOn) for (const client of server.clients) client.emit('blast');
    });
    socket.on('blast', fill);
  });
  return new Promise((resolve) =>
    server.once('listening', () => resolve({ port: (server.address() as AddressInfo).port, path: '/' })),
  );
}

const kinds = { ours, ws: plainWs, 'socket.io': socketIo, blast };
const { port, path } = await kinds[process.argv[2] as keyof typeof kinds]();
process.once('SIGTERM', () => process.exit(0));
process.once('disconnect', () => process.exit(0));
process.on('message', (word) => {
  if (word === 'collect') (globalThis as { gc?: () => void }).gc?.();
  process.send?.({
    cpuMs: (process.cpuUsage().user + process.cpuUsage().system) / 1_000,
    rssKb: process.memoryUsage.rss() / 1_024,
  });
});
process.send?.({ port, path });
