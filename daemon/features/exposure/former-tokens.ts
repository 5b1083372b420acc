import { isMemberId } from '../../lib/agents/member-id.js';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { isoTime } from '../../lib/time/clock.js';
import { JsonStore } from '../../storage/files/json-store.js';
import type { SecretFile } from '../../storage/files/secret-file.js';

/** How many former tokens are remembered; the oldest are forgotten first. */
const FORMER_TOKENS_MAX = 500;

/** Why a token ended: it was replaced, its member was removed, or its member became internal. */
const ENDINGS = ['rotated', 'removed', 'internal'] as const;
export type TokenEnding = (typeof ENDINGS)[number];

interface FormerToken {
  member: string;
  ending: TokenEnding;
  /** ISO 8601. */
  at: string;
}

/**
 * The digests of member tokens that ended, and why, so that a program that still holds one learns what to do. Only the
 * holder of a former token gets the reason. Memory changes only after the disk; changes are serialized.
 */
export class FormerTokens {
  private readonly store: JsonStore<ReadonlyMap<string, FormerToken>>;

  constructor(file: SecretFile) {
    this.store = new JsonStore<ReadonlyMap<string, FormerToken>>(file, {
      // Unknown entries are ignored.
      parse: (content) =>
        new Map(
          Object.entries(content ?? {}).flatMap(([digest, value]) =>
            isFormer(value) ? [[digest, value] as const] : [],
          ),
        ),
      stringify: (tokens) => Object.fromEntries(tokens),
    });
  }

  /** Throws `store_readonly` when the file exists and is not a JSON object. It is then never overwritten. */
  load(): Promise<void> {
    return this.store.load();
  }

  /** Records a token that ended, by its SHA-256. Durable when it resolves. */
  async add({ digest, member }: { digest: Buffer; member: string }, ending: TokenEnding, now: number): Promise<void> {
    const added = [digest.toString('hex'), { member, ending, at: isoTime(now) }] as const;
    await this.store.update((tokens) => new Map([...tokens, added].slice(-FORMER_TOKENS_MAX)));
  }

  find(token: string): FormerToken | undefined {
    return this.store.data.get(sha256Hex(token));
  }
}

function isFormer(value: unknown): value is FormerToken {
  const { member, ending, at } = (value ?? {}) as Partial<Record<keyof FormerToken, unknown>>;
  return (
    typeof member === 'string' && isMemberId(member) && ENDINGS.some((one) => one === ending) && typeof at === 'string'
  );
}

/** The message for the holder of a former token: what happened, and what to do. */
export function describeFormer({ member, ending, at }: FormerToken): string {
  switch (ending) {
    case 'rotated':
      return (
        `This token of \`${member}\` was replaced at ${at}. Stop using it, and get the present one from the operator ` +
        `(\`meshd token show ${member}\`).`
      );
    case 'removed':
      return (
        `The member \`${member}\` was removed at ${at}, and its token and requests ended with it. Stop polling, and ask ` +
        'the operator for another member.'
      );
    case 'internal':
      return (
        `The member \`${member}\` became internal at ${at}, so that no other program may ask it. Stop polling, and ` +
        'ask the operator to expose it again, which makes a new token.'
      );
  }
}
