import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { BOARDS_MAX, POSTS_MAX } from '../../contract/boards.js';
import { CLUSTERS_MAX } from '../../contract/clusters.js';
import { LIST_LIMIT_MAX } from '../../contract/limits.js';
import { REGISTRATIONS_MAX } from '../../contract/network/agents.js';
import {
  CHANNEL_MEMBERS_MAX,
  CHANNELS_MAX,
  CONTACTS_MAX,
  INBOX_MAX,
  INBOX_RETENTION_DAYS,
} from '../../contract/network/hub.js';
import { REPORT_BODY_LIMIT, UNBOUND_REPORTS_MAX } from '../../contract/network/reputation.js';
import { COMMAND_SCHEMA } from '../../contract/shared/commands.js';
import { sha256Hex } from '../../lib/crypto/digests.js';

const BODIES = new URL('../../contract/commands/', import.meta.url);

/** The forms of a module, without what is only shown of them. */
async function digestForms(file: string): Promise<string> {
  const forms = (await import(new URL(file, BODIES).href)) as object;
  const isShown = (key: string, value: unknown) => key === 'description' && typeof value === 'string';
  const sorted = Object.entries(forms).sort(([a], [b]) => (a < b ? -1 : 1));
  return sha256Hex(JSON.stringify(sorted, (key, value: unknown) => (isShown(key, value) ? undefined : value)));
}

/**
 * Daemons that take other bodies, or other limits, decide differently about the same stream, and nobody notices. Where
 * this fails, raise COMMAND_SCHEMA with what is expected here. Until 0.1.0 is released it stays 1: then all daemons of
 * a network run one version.
 */
it('takes the same commands as every other version of its schema', async () => {
  const files = readdirSync(BODIES).filter((name) => name.endsWith('.ts'));
  const digests = await Promise.all(
    files.sort().map(async (file) => `${file} ${(await digestForms(file)).slice(0, 12)}`),
  );
  const limits = {
    ...{ BOARDS_MAX, POSTS_MAX, CLUSTERS_MAX, LIST_LIMIT_MAX, REGISTRATIONS_MAX, CHANNEL_MEMBERS_MAX, CHANNELS_MAX },
    ...{ CONTACTS_MAX, INBOX_MAX, INBOX_RETENTION_DAYS, REPORT_BODY_LIMIT, UNBOUND_REPORTS_MAX },
  };
  expect({ COMMAND_SCHEMA, digests, limits }).toEqual({
    COMMAND_SCHEMA: 1,
    digests: [
      ...['boards.ts 4262691eca98', 'clusters.ts 977683ca5e86', 'hub.ts b9ae6d26372e', 'keys.ts 772b1b9ffe40'],
      ...['registry.ts a301710e1295', 'reputation.ts 56fe33721c2f', 'seen.ts a8020e0a0896'],
    ],
    limits: {
      ...{ BOARDS_MAX: 50, POSTS_MAX: 1_000, CLUSTERS_MAX: 100_000, LIST_LIMIT_MAX: 200, REGISTRATIONS_MAX: 100_000 },
      ...{ CHANNEL_MEMBERS_MAX: 256, CHANNELS_MAX: 1_000, CONTACTS_MAX: 1_000, INBOX_MAX: 10_000 },
      ...{ INBOX_RETENTION_DAYS: 7, REPORT_BODY_LIMIT: 8_192, UNBOUND_REPORTS_MAX: 1_000 },
    },
  });
});
