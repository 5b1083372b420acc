import { rules } from '@secretlint/secretlint-rule-preset-recommend';
import { describe, expect, it } from 'vitest';
import { Dice } from '../../testing/dice.js';
import { plantedSecrets } from '../../testing/planted-secrets.js';
import { newMemberToken } from '../ids.js';
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

  it('runs a pattern only on texts with a hint', () => {
    expect(SECRET_SHAPES.filter(({ hints }) => hints.some((hint) => hint.length < 2)).map(({ id }) => id)).toEqual([]);
  });

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

describe('what begins like a token', () => {
  it.each([
    'tt_content, tt_address.hidden and tx_news',
    'tk_update_leap_state(void), tk_update_ktime_data, tk_core.seq',
    'tk_focusFollowsMouse() and tk_setPalette',
    'ck_assert_ptr_nonnull(p); ck_assert_double_eq_tol; ck_assert_int_eq',
    'mk_bv_sort_of_width, mk_bv2int, mk_strncmp',
    '.sk-estimator-doc-link, .sk-toggleable__label-arrow, sk-top-container',
    'xapp-prefs-toolbar-symbolic',
    'postgresql://scott:tiger@localhost/test',
  ])('is left when it is a name: %s', (text) => {
    expect(scrubSecrets(text)).toBe(text);
    expect(findSecret(text)).toBeUndefined();
  });

  it.each([
    ...['tt_xkcdvbnmw', 'mk_strncmpqrst', 'tk_focusFollowsMouseOverTheWall', 'ck_a1b2c3', 'ak_-abc', 'mk_two--parts'],
    ...['sk-or-v1-0a1b2c3d4e5f', `sk-${'a'.repeat(26)}`, 'xapp-1-A0B1C2-12345', 'xoxb-12345678'],
  ])('is redacted when it is no name: %s', (text) => {
    expect(scrubSecrets(text)).toBe(REDACTED);
  });

  it('is redacted when it is a token of a member, or the start of one', () => {
    const characters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';
    const dice = new Dice(21);
    const drawn = () => `mk_${Array.from({ length: 43 }, () => characters[dice.below(64)]).join('')}`;
    const tokens = [...Array.from({ length: 3_000 }, drawn), ...Array.from({ length: 50 }, newMemberToken)];
    const shown = tokens.flatMap((token) =>
      [19, 20, 24, 32, token.length]
        .map((length) => token.slice(0, length))
        .filter((start) => scrubSecrets(start) !== REDACTED || findSecret(start) === undefined),
    );
    expect(shown).toEqual([]);
  });
});

describe('a login in an address', () => {
  it.each([
    'keeper:f0rty-two',
    'keeper:abcd1',
    'keeper:passwords',
    'keeper:password1',
    'keeper:mypassword-x',
    'a1b2c3d4:x-oauth-basic',
  ])('is redacted: %s', (login) => {
    expect(scrubSecrets(`x://${login}@host`)).toBe(`x://${REDACTED}@host`);
  });

  it.each([
    ['is too short', 'keeper:abc'],
    ['is the name', 'keeper:keeper'],
    ['is one character', 'keeper:xxxxxxx'],
    ['is no token', 'a1b2c3d:x-oauth-basic'],
    ...['$', '{', '}', '[', ']', '%', '*', '…', '...'].map((mark) => [`has ${mark}`, `keeper:ab${mark}cd`]),
    ['stands for a name', 'ke$per:abcd1'],
    ...['my', 'your', 'the', 'a', 'db', ''].map((word) => [`says ${word}`, `keeper:${word}password`]),
    ...['-', '_'].map((mark) => [`is joined with ${mark}`, `keeper:my${mark}secret`]),
    ...['passwd', 'pass', 'token', 'user', 'username', 'example', 'changeme', 'change-me'].map((word) => ['', word]),
    ...['admin', 'root', 'test', 'postgres', 'mysql', 'mongo', 'guest', 'none', 'PASSWORD'].map((word) => ['', word]),
  ])('is left when it is a placeholder: its password %s %s', (_, login = '') => {
    const text = `x://${login.includes(':') ? login : `keeper:${login}`}@host`;
    expect(scrubSecrets(text)).toBe(text);
  });
});

/** What the length of a secret does not tell: where it ends, and what before it keeps it from being one. */
it.each([
  ['glc_a1B2c3D4e5F6g7H8i9J0kk==,', `${REDACTED},`],
  ['dapi0123456789abcdef-2.', `${REDACTED}.`],
  ['AccountKey=a1B2c3D4e5F6g7H8i9J0+/==;', `AccountKey=${REDACTED};`],
  ['_authToken="a1b2c3d4"', `_authToken="${REDACTED}"`],
  ["_authToken='a1b2c3d4'", `_authToken='${REDACTED}'`],
  ['//host/:_password=a1b2c3d4', `//host/:_password=${REDACTED}`],
  ['_auth=a1b2c3d4', `_auth=${REDACTED}`],
  ['_authToken=$NPM_TOKEN', '_authToken=$NPM_TOKEN'],
  ['my_auth=a1b2c3d4', 'my_auth=a1b2c3d4'],
  ['bearer a1b2c3d4==, x', `bearer ${REDACTED}, x`],
  ['Bearer of-this-very-long-name-that-has-no-digit.', `Bearer ${REDACTED}`],
  ['{"api_key": "0123456789abcdef0123456789abcdef"}', `{"api_key": "${REDACTED}"}`],
  ['secretAccessKey => "a1B2c3D4e5F6g7H8i9J0"', `secretAccessKey => "${REDACTED}"`],
  ["SECRET_ACCESS_KEY:'a1B2c3D4e5F6g7H8i9J0'", `SECRET_ACCESS_KEY:'${REDACTED}'`],
  ['hooks.slack.com/workflows/T0/B0/a1b2', `hooks.slack.com/workflows/${REDACTED}`],
  ['hooks.slack.com/triggers/T0/B0/a1b2', `hooks.slack.com/triggers/${REDACTED}`],
  ['whsec_a1B2c3D4e5F6', REDACTED],
  ['rk_test_a1B2c3D4e5F6', REDACTED],
  ['GOCSPX-a1B2c3D4e5F6g7H8i9J0', REDACTED],
  ['ya29.a1B2c3D4e5F6g7H8i9J0', REDACTED],
  ['lin_oauth_a1B2c3D4e5F6', REDACTED],
  ['dckr_oat_a1B2c3D4', REDACTED],
  ['tt_a1B2c3D4', REDACTED],
  ['shpca_a1B2c3D4 shppa_a1B2c3D4 shpss_a1B2c3D4', `${REDACTED} ${REDACTED} ${REDACTED}`],
  ['glptt-a1B2c3D4 glagent-a1B2c3D4 gloas-a1B2c3D4', `${REDACTED} ${REDACTED} ${REDACTED}`],
  ['A3TXA1B2C3D4 AGPAA1B2C3D4 AIDAA1B2C3D4', `${REDACTED} ${REDACTED} ${REDACTED}`],
  ['AROAA1B2C3D4 AIPAA1B2C3D4 ANPAA1B2C3D4 ANVAA1B2C3D4', `${REDACTED} ${REDACTED} ${REDACTED} ${REDACTED}`],
  ['xnpm_a1B2c3D4e5F6g7H8i9J0 task-a1b2c3d4', 'xnpm_a1B2c3D4e5F6g7H8i9J0 task-a1b2c3d4'],
])('%s is logged as %s', (text, logged) => {
  expect(scrubSecrets(text)).toBe(logged);
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
