import { join } from 'node:path';
import { type JetStreamClient, jetstream, jetstreamManager } from '@nats-io/jetstream';
import { type Static, Type } from 'typebox';
import { CommandApplier } from '../../features/network/command-applier.js';
import { createStream, findStream, getIdentity, retryUntilLeader } from '../../features/network/command-stream.js';
import { JetStreamLog } from '../../features/network/jetstream-log.js';
import { parseNatsAddress } from '../../features/network/nats-address.js';
import { openNats } from '../../features/network/nats-connection.js';
import { clearNetwork, putState, readState } from '../../features/network/network-store.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { SigningKey } from '../../lib/crypto/ed25519.js';
import { MeshError } from '../../lib/errors.js';
import { type Clock, systemClock } from '../../lib/time/clock.js';
import { CommandKinds, commandKind } from '../../shared-log/command-kinds.js';
import type { Command } from '../../shared-log/shared-log.js';
import type { Owned } from '../../shared-log/shared-tables.js';
import { Database } from '../../storage/database/database.js';
import { Transactions } from '../../storage/database/transaction.js';
import { putTemplateDatabase } from '../template-database.js';

export const TEST_NETWORK = 'harbour';

/** Who holds which berth: the shared table of the tests. */
const TABLE = 'CREATE TABLE IF NOT EXISTS test_berths (id TEXT PRIMARY KEY, holder TEXT NOT NULL) STRICT';

const Berth = Type.Object({ holder: Type.Optional(Type.String()) });
const toBerths = (_: unknown, { entity }: Command): Owned[] => [{ area: 'post', id: entity }];

function berthKinds(database: Database): CommandKinds {
  const find = (id: string) => database.sql('SELECT holder FROM test_berths WHERE id = ?').get(id);
  const requireBerth = (id: string) => {
    if (!find(id)) throw new MeshError('not_found', `No berth ${id}.`);
  };
  const claim = ({ holder = '' }: Static<typeof Berth>, { entity }: Command) => {
    if (find(entity)) throw new MeshError('agent_id_claimed', `The berth ${entity} is taken.`);
    database.sql('INSERT INTO test_berths (id, holder) VALUES (?, ?)').run(entity, holder);
    return { holder };
  };
  const move = ({ holder = '' }: Static<typeof Berth>, { entity }: Command) => {
    requireBerth(entity);
    database.sql('UPDATE test_berths SET holder = ? WHERE id = ?').run(holder, entity);
    return { holder };
  };
  const free = (_: unknown, { entity }: Command) => {
    requireBerth(entity);
    database.sql('DELETE FROM test_berths WHERE id = ?').run(entity);
    return {};
  };
  const kinds = new CommandKinds();
  kinds.define({
    'berth.claim': commandKind(Berth, claim, { takes: toBerths }),
    'berth.move': commandKind(Berth, move, { requires: toBerths }),
    'berth.free': commandKind(Berth, free, { requires: toBerths, frees: toBerths }),
  });
  return kinds;
}

interface FollowOptions {
  clock?: Clock;
  wrap?: (client: JetStreamClient) => Pick<JetStreamClient, 'publish'>;
}

/** One store that follows the network, with a shared table of berths. */
export class NetworkReplica {
  readonly warnings: string[] = [];
  readonly key = new SigningKey(SigningKey.newSeed());

  readonly kinds: CommandKinds;

  private constructor(
    readonly database: Database,
    readonly transactions: Transactions,
  ) {
    this.kinds = berthKinds(database);
  }

  static create(folder: string): NetworkReplica {
    const database = new Database(putTemplateDatabase(join(folder, 'mesh.db')));
    database.sql(TABLE).run();
    return new NetworkReplica(database, new Transactions(database));
  }

  createApplier(): CommandApplier {
    const { database, transactions, kinds } = this;
    return new CommandApplier({ database, transactions, network: TEST_NETWORK, kinds });
  }

  /** Sets the store to the beginning of a stream. */
  begin(identity: string): void {
    if (readState(this.database)?.identity === identity) return;
    clearNetwork(this.database);
    putState(this.database, { network: TEST_NETWORK, identity, sequence: 0, loading: null });
  }

  /**
   * Connects to the servers and follows the stream, which is created when there is none. `wrap` changes what the client
   * says of published commands.
   */
  async follow(url: string, { clock = systemClock, wrap = (client) => client }: FollowOptions = {}) {
    const connection = await openNats({ address: parseNatsAddress(url), credentials: undefined, name: 'test' });
    const manager = await jetstreamManager(connection, { checkAPI: false });
    const stream = await retryUntilLeader(
      systemClock,
      async () => (await findStream(manager, TEST_NETWORK)) ?? createStream(manager, TEST_NETWORK, 'test', systemClock),
    );
    this.begin(getIdentity(stream));
    const log = new JetStreamLog({
      connection,
      manager,
      client: wrap(jetstream(connection)),
      network: TEST_NETWORK,
      key: this.key,
      database: this.database,
      applier: this.createApplier(),
      kinds: this.kinds,
      clock,
      warn: (message) => this.warnings.push(message),
      loadSnapshot: () => Promise.reject(new Error('no snapshot')),
    });
    log.start();
    const stop = async () => {
      await log.stop();
      await connection.close();
    };
    return { connection, manager, log, stream, stop };
  }

  /** The digest of every shared row. */
  digest(): string {
    const tables = ['test_berths', 'network_daemons', 'network_owners', 'network_commands'];
    const rows = tables.map((table) => this.database.sql(`SELECT * FROM ${table} ORDER BY 1, 2`).all());
    return sha256Hex(JSON.stringify([...rows, readState(this.database)?.sequence]));
  }

  berths(): Record<string, string> {
    const rows = this.database.sql('SELECT id, holder FROM test_berths ORDER BY id').all() as Record<string, string>[];
    return Object.fromEntries(rows.map(({ id, holder }) => [id, holder]));
  }
}
