import { accessSync, constants, readFileSync } from 'node:fs';
import type { Server, Socket } from 'node:net';
import { MeshError, systemCode } from '../lib/errors.js';

/** Established, or said to send no more (`FIN_WAIT1`, `FIN_WAIT2`), as a client does that half-closes after its request. */
const HELD_STATES: ReadonlySet<string | undefined> = new Set(['01', '04', '05']);
/** Of two ends as the table spells them. */
const ENDS_LENGTH = 27;
const TABLE = '/proc/net/tcp';

/** `127.0.0.1` and port 4747 as the kernel's table spells them: `0100007F:128B`. */
function spelled(address: string, port: number): string {
  const octets = address
    .replace(/^::ffff:/, '')
    .split('.')
    .reverse();
  const hex = octets.map((octet) => Number(octet).toString(16).padStart(2, '0')).join('');
  return `${hex}:${port.toString(16).padStart(4, '0')}`.toUpperCase();
}

/**
 * The uids that own those of the connections `wanted`, each from its own end to the other (`0100007F:9C40 0100007F:128B`), that stand in the text of
 * `/proc/net/tcp`. A row counts only while somebody may read from its socket and still has it (inode not 0): the kernel shows an abandoned one as root's.
 */
export function ownersOf(table: string, wanted: { has(ends: string): boolean }): Map<string, number> {
  const owners = new Map<string, number>();
  for (let at = table.indexOf('\n') + 1; at > 0; at = table.indexOf('\n', at) + 1) {
    const begin = table.indexOf(': ', at) + 2;
    const ends = table.slice(begin, begin + ENDS_LENGTH);
    if (begin < 2 || !wanted.has(ends)) continue;
    const end = table.indexOf('\n', begin);
    const fields = table
      .slice(begin, end === -1 ? undefined : end)
      .trim()
      .split(/\s+/);
    const [, , state, , , , uid, , inode] = fields;
    if (HELD_STATES.has(state) && inode !== '0' && uid !== undefined) owners.set(ends, Number(uid));
  }
  return owners;
}

/**
 * Knows which processes at the other end of loopback connections belong to a user other than `ownUid` and root. Each connection is looked up once, when it is
 * first asked about, and with it all that were accepted by then: the kernel takes milliseconds for its table, however little is in it. Where there is no
 * table (not Linux) nobody is foreign: the operating system's own rules are the perimeter there; while there is one that cannot be read, nobody gets in.
 */
export class Peers {
  private readonly verdicts = new WeakMap<Socket, boolean>();
  private readonly accepted = new Set<Socket>();

  constructor(
    private readonly ownUid: number | undefined,
    private readonly readTable: () => string | undefined = readKernelTable,
  ) {}

  /** Has connections that `server` accepts looked up together. */
  follow(server: Server): void {
    server.on('connection', (socket) => {
      this.accepted.add(socket);
      socket.once('close', () => this.accepted.delete(socket));
    });
  }

  /** Throws `overloaded` while the table cannot be read: a look-up that failed says nothing of who it is. */
  isForeign(socket: Socket): boolean {
    if (this.ownUid === undefined) return false;
    // One that is closed already has no row.
    if (socket.remotePort === undefined && !this.verdicts.has(socket)) return true;
    // The kernel's table is not read in one instant: a row can be missed while others come and go.
    let isRead = false;
    for (let reading = 0; reading < 2 && !this.verdicts.has(socket); reading += 1) {
      const table = this.readTable();
      if (table === undefined) return reading > 0;
      isRead ||= table !== '';
      this.settle(table, new Set([...this.accepted, socket]), this.ownUid);
    }
    const verdict = this.verdicts.get(socket);
    if (verdict === undefined && !isRead) {
      throw new MeshError(
        'overloaded',
        'The system does not tell at the moment who is connecting, so nobody is let in: send the request again.',
        {
          details: { retry_after: 1 },
        },
      );
    }
    return verdict ?? true;
  }

  private settle(table: string, sockets: ReadonlySet<Socket>, ownUid: number): void {
    const byEnds = new Map<string, Socket>();
    for (const socket of sockets) {
      const { remoteAddress, remotePort, localAddress, localPort } = socket;
      if (
        remoteAddress === undefined ||
        remotePort === undefined ||
        localAddress === undefined ||
        localPort === undefined
      )
        continue;
      byEnds.set(`${spelled(remoteAddress, remotePort)} ${spelled(localAddress, localPort)}`, socket);
    }
    for (const [ends, uid] of ownersOf(table, byEnds)) {
      const socket = byEnds.get(ends) as Socket;
      this.verdicts.set(socket, uid !== 0 && uid !== ownUid);
      this.accepted.delete(socket);
    }
  }
}

/** The text of the kernel's table at `path`: undefined where the system has none, empty while it cannot be read. */
export function readKernelTable(path = TABLE): string | undefined {
  try {
    return readFileSync(path, 'latin1');
  } catch (error) {
    return systemCode(error) === 'ENOENT' ? undefined : '';
  }
}

/** Whether this system tells whose a loopback connection is. */
export function canTellPeers(): boolean {
  if (process.getuid === undefined) return false;
  try {
    accessSync(TABLE, constants.R_OK);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ENOENT';
  }
}
