/**
 * Makes each worker of the tests a user of its own. Otherwise the daemons of test files that run at the same time would
 * be neighbours, and for example show each other's local networks.
 */
import { join } from 'node:path';

const { XDG_STATE_HOME: folder, VITEST_POOL_ID: id } = process.env;
const name = `worker-${id}`;
if (folder !== undefined && !folder.endsWith(name)) process.env['XDG_STATE_HOME'] = join(folder, name);
