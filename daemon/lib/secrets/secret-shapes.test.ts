import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { plantedSecrets } from '../../testing/planted-secrets.js';
import { SECRET_SHAPES } from './secret-shapes.js';
import { findSecret, REDACTED, scrubSecrets } from './secrets.js';

/** Messages of the installed rules that other rows of the table cover, or that need no row, with the reason. */
const COVERED_OTHERWISE: Readonly<Record<string, string>> = {
  'aws/AWSAccountID': 'the number of an account opens nothing',
  'gcp/PrivateKeyP12': 'closed by its name',
  'gcp/PrivateKeyJSON': 'meshd/private-key',
  'privatekey/PrivateKey': 'meshd/private-key',
  'npm/PackageJSON_xOauthToken': 'basicauth/BasicAuth',
  'database-connection-string/MongoDBConnection': 'basicauth/BasicAuth',
  'database-connection-string/MySQLConnection': 'basicauth/BasicAuth',
  'database-connection-string/PostgreSQLConnection': 'basicauth/BasicAuth',
  'hashicorp-vault/HASHICORP_VAULT_BATCH_TOKEN': 'as the token of a service',
  'hashicorp-vault/HASHICORP_VAULT_RECOVERY_TOKEN': 'as the token of a service',
  'vercel/VERCEL_INTEGRATION_TOKEN': 'as the personal token',
  'vercel/VERCEL_APP_ACCESS_TOKEN': 'as the personal token',
  'vercel/VERCEL_APP_REFRESH_TOKEN': 'as the personal token',
  'vercel/VERCEL_AI_GATEWAY_API_KEY': 'as the personal token',
};

/** All rules except the one that reads only comments meant for secretlint itself. */
const scanners = rules.filter(({ meta }) => !meta.id.endsWith('-filter-comments'));
const shortId = (id: string) => id.replace('@secretlint/secretlint-rule-', '');

/** Some rules check only files of certain names. */
const FILES = [
  { filePath: '/project/package.json', ext: '.json' },
  { filePath: '/project/.npmrc', ext: '' },
];

/** The reports of the installed rules for `content`, by rule and message. */
async function reported(content: string): Promise<{ id: string; range: readonly [number, number] }[]> {
  const found: { id: string; range: readonly [number, number] }[] = [];
  for (const rule of scanners) {
    const context = {
      createTranslator: () => (messageId: string) => ({ message: messageId, messageId }),
      report: ({ message, range }: { message: { messageId: string }; range: readonly [number, number] }) =>
        found.push({ id: `${shortId(rule.meta.id)}/${message.messageId}`, range }),
      ignore: () => undefined,
    };
    // The types of the rules require a complete engine as context.
    const create = rule.create as unknown as (
      context: unknown,
      options: unknown,
    ) => { file: (source: unknown) => unknown };
    const made = create(context, { enableIDScanRule: true });
    for (const file of FILES) await made.file({ content, contentType: 'text', ...file });
  }
  return found;
}

describe('the table of secret shapes', () => {
  const messages = scanners.flatMap((rule) =>
    Object.keys(rule.messages).map((message) => `${shortId(rule.meta.id)}/${message}`),
  );

  it('covers each message of the installed rules', () => {
    const known = new Set([...SECRET_SHAPES.map(({ id }) => id), ...Object.keys(COVERED_OTHERWISE)]);
    expect(messages.filter((message) => !known.has(message))).toEqual([]);
    expect(messages.length).toBeGreaterThan(25);
  });

  it('names no message that the rules do not have', () => {
    const own = /^(?:meshd|public)\//;
    const named = [...SECRET_SHAPES.map(({ id }) => id), ...Object.keys(COVERED_OTHERWISE)];
    expect(named.filter((id) => !own.test(id) && !messages.includes(id))).toEqual([]);
  });

  it('redacts all that the rules report in planted secrets, and each message is reported', async () => {
    const planted = plantedSecrets(7);
    const seen = new Set<string>();
    for (const { text } of planted) {
      const clean = scrubSecrets(text);
      for (const { id, range } of await reported(text)) {
        seen.add(id);
        if (id !== 'aws/AWSAccountID')
          expect({ id, holds: clean.includes(text.slice(...range)) }).toEqual({ id, holds: false });
      }
    }
    expect(messages.filter((message) => !seen.has(message) && !/AWSAccountID|PrivateKeyP12/.test(message))).toEqual([]);
  });

  it.each(plantedSecrets(11).map((one) => [one.id, one] as const))('redacts %s', (_, { text, secret, isSure }) => {
    const clean = scrubSecrets(`before ${text} after`);
    expect(clean).toContain(REDACTED);
    for (let at = 0; at + 10 <= secret.length; at += 1) expect(clean).not.toContain(secret.slice(at, at + 10));
    expect(clean).toMatch(/^before .*after$/s);
    if (isSure) expect(findSecret(text)).toBeDefined();
  });

  it('has a planted secret for each of its rows', () => {
    const planted = new Set(plantedSecrets(1).map(({ id }) => id));
    expect(SECRET_SHAPES.filter(({ id }) => !planted.has(id)).map(({ id }) => id)).toEqual([]);
  });

  it.each([
    'The task-runner uses sk-learn and the npm_config_registry variable.',
    'Set `postgres://user:password@localhost/db` or `https://<user>:<password>@example.com`.',
    'https://$USER:$PASSWORD@example.com and https://{{user}}:{{password}}@example.com',
    'An AKIA key, a ghp_ token and a `-----BEGIN` line are refused.',
    'Bearer authentication, as in RFC 6750; ssh://git@github.com:22/x.',
    'hf_hub_download("x"), gl-matrix, xox-game, self._password = compute(value)',
  ])('leaves %j unchanged', (text) => {
    expect(scrubSecrets(text)).toBe(text);
    expect(findSecret(text)).toBeUndefined();
  });
});

it('ends a truncated private key where ordinary text continues', () => {
  const text = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n\nThen comes the text.';
  expect(scrubSecrets(text)).toBe(`${REDACTED}\n\nThen comes the text.`);
  expect(scrubSecrets('Look for `-----BEGIN PRIVATE KEY-----` in it.')).toBe(`Look for \`${REDACTED}\` in it.`);
});

it.each(SECRET_SHAPES.flatMap(({ hints }) => hints).concat('-----BEGIN PRIVATE KEY', '://a:'))(
  'takes time linear in the text for many starts of %j',
  (hint) => {
    for (const filling of ['', 'a', '-', '1', 'A.']) {
      const text = (hint + filling).repeat(Math.ceil(200_000 / (hint.length + filling.length)));
      const startedMs = performance.now();
      scrubSecrets(text);
      expect(performance.now() - startedMs).toBeLessThan(2_000);
    }
  },
);
