import { Dice } from './dice.js';

/** A secret of one shape, as a file may contain it. */
export interface PlantedSecret {
  /** The row of `SECRET_SHAPES`, or `meshd/private-key`. */
  id: string;
  /** The text with the secret. */
  text: string;
  /** The part of the text that must not be disclosed. */
  secret: string;
  /** Whether the match alone is a reason to withhold the text. */
  isSure: boolean;
}

const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';
const HEX = '0123456789abcdef';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Random texts as they occur in secrets. */
class Letters {
  constructor(private readonly dice: Dice) {}

  readonly some = (letters: string, count: number): string =>
    Array.from({ length: count }, () => letters[this.dice.below(letters.length)]).join('');

  readonly base64 = (count: number): string => this.some(`${ALNUM}+/`, count);

  /** Contains digits and both cases, like tokens of real providers. */
  readonly token = (count: number): string => `a1B${this.some(ALNUM, count - 3)}`;
}

const one = (id: string, secret: string, text = secret, isSure = true): PlantedSecret => ({ id, text, secret, isSure });

const ownSecrets = ({ some, token }: Letters): PlantedSecret[] => [
  ...['ck', 'ak', 'tk', 'mk'].map((prefix) => one('meshd/token', `${prefix}_${token(43)}`)),
  one('meshd/jwt', `eyJhbGciOiJIUzI1NiJ9.eyJ${token(40)}.${token(43)}`, undefined, false),
  one('meshd/api-key', `${some(HEX, 32)}`, undefined, false),
  one('meshd/bearer', token(32), undefined, false),
];

const withLogin = (password: string, scheme: string, host: string) =>
  one('basicauth/BasicAuth', password, `url: ${scheme}://keeper:${password}@${host}`);

const serviceSecrets = ({ some, token }: Letters, awsSecret: string, password: string): PlantedSecret[] => [
  ...['AKIA', 'ASIA', 'A3TX'].map((prefix) => one('aws/AWSAccessKeyID', `${prefix}${some(UPPER, 16)}`)),
  one('aws/AWSSecretAccessKey', awsSecret, `aws_secret_access_key = ${awsSecret}`),
  one('aws/AWSSecretAccessKey', awsSecret, `"SecretAccessKey": "${awsSecret}"`),
  one('npm/Npmrc_authToken', token(36), undefined),
  one('npm/NPM_ACCESS_TOKEN', `npm_${token(36)}`),
  one('slack/SLACK_TOKEN', `xoxb-${some('0123456789', 12)}-${some('0123456789', 12)}-${token(24)}`),
  one('slack/SLACK_TOKEN', `xapp-1-${some(UPPER, 11)}-${some('0123456789', 13)}-${token(30)}`),
  one('slack/IncomingWebhook', `T${some(UPPER, 8)}/B${some(UPPER, 8)}/${token(24)}`, undefined),
  withLogin(password, 'https', 'registry.example.org/x'),
  withLogin(password, 'postgres', 'db.example.org:5432/app'),
  withLogin(password, 'mysql', 'db.example.org:3306/app'),
  withLogin(password, 'mongodb+srv', 'cluster0.example.org/app'),
  one('basicauth/BasicAuth', `${some(HEX, 40)}`, undefined),
  one('sendgrid/SENDGRID_KEY', `SG.${token(22)}.${token(43)}`),
  one('shopify/SHOPIFY_KEY', `shpat_${some(HEX, 32)}`),
];

const platformTokens = ({ some, token }: Letters, account: object): PlantedSecret[] => [
  ...['ghp', 'gho', 'ghu', 'ghs', 'ghr'].map((prefix) => one('github/GITHUB_TOKEN', `${prefix}_${token(36)}`)),
  one('github/GITHUB_TOKEN', `github_pat_${token(22)}_${token(59)}`),
  one('gitlab/GITLAB_PERSONAL_ACCESS_TOKEN', `glpat-${token(20)}`),
  one('grafana/GRAFANA_CLOUD_API_TOKEN', `glc_${token(60)}==`),
  one('grafana/GRAFANA_SERVICE_ACCOUNT_TOKEN', `glsa_${token(32)}_${some(HEX, 8)}`),
  one('openai/OPENAI_TOKEN', `sk-${token(20)}T3BlbkFJ${token(20)}`),
  one('openai/OPENAI_TOKEN', `sk-proj-${token(74)}T3BlbkFJ${token(74)}`),
  one('anthropic/ANTHROPIC_API_KEY', `sk-ant-api03-${token(93)}AA`),
  one('groq/GROQ_API_KEY', `gsk_${token(52)}`),
  one('huggingface/HUGGINGFACE_USER_ACCESS_TOKEN', `hf_${some(LETTERS, 34)}`),
  one('linear/LINEAR_API_TOKEN', `lin_api_${token(40)}`),
  one('notion/NOTION_INTEGRATION_TOKEN', `ntn_${some('0123456789', 11)}${token(35)}`),
  one('1password/OPS_TOKEN', `ops_${Buffer.from(JSON.stringify(account)).toString('base64')}`),
  one('hashicorp-vault/HASHICORP_VAULT_SERVICE_TOKEN', `hvs.${token(95)}`),
  one('hashicorp-vault/HASHICORP_VAULT_SERVICE_TOKEN', `hvb.${token(150)}`),
  one('hashicorp-vault/HASHICORP_VAULT_SERVICE_TOKEN', `hvr.${token(95)}`),
  ...['vcp', 'vci', 'vca', 'vcr', 'vck'].map((prefix) =>
    one('vercel/VERCEL_PERSONAL_ACCESS_TOKEN', `${prefix}_${token(40)}`),
  ),
  one('databricks/DATABRICKS_PERSONAL_ACCESS_TOKEN', `dapi${some(HEX, 32)}`),
  one('docker/DOCKER_PERSONAL_ACCESS_TOKEN', `dckr_pat_${token(27)}`),
  one('figma/FIGMA_PERSONAL_ACCESS_TOKEN', `figd_${token(40)}`),
];

const publicShapes = ({ some, base64, token }: Letters): PlantedSecret[] => [
  one('public/stripe', `sk_live_${token(24)}`),
  one('public/google', `AIza${token(35)}`),
  one('public/pypi', `pypi-AgEIcHlwaS5vcmc${token(60)}`),
  one('public/azure', `${base64(86)}==`, undefined),
  one('public/age', `AGE-SECRET-KEY-1${some(UPPER, 58)}`),
  one('public/digitalocean', `dop_v1_${some(HEX, 64)}`),
];

/** Returns a private key of several kinds, on lines of its own and inside of JSON and YAML. */
function privateKeys({ some }: Letters, keyLines: readonly string[]): PlantedSecret[] {
  const key = keyLines.join('');
  const pem = (kind: string, gap: string) =>
    [`-----BEGIN ${kind}PRIVATE KEY-----`, ...keyLines, `-----END ${kind}PRIVATE KEY-----`].join(gap);
  return [
    ...['', 'RSA ', 'EC ', 'OPENSSH '].map((kind) => one('meshd/private-key', key, pem(kind, '\n'))),
    one(
      'meshd/private-key',
      key,
      JSON.stringify({ type: 'service_account', private_key_id: some(HEX, 40), private_key: `${pem('', '\n')}\n` }),
    ),
    one('meshd/private-key', key, `key: |\n            ${pem('', '\n            ')}`),
  ];
}

/**
 * Returns secrets of every shape of the table, some in several forms; the same for the same seed. They are not valid
 * anywhere.
 */
export function plantedSecrets(seed: number): PlantedSecret[] {
  const letters = new Letters(new Dice(seed));
  const { some, base64, token } = letters;
  const keyLines = [`MIIEvQIBADANBgkq${base64(48)}`, ...Array.from({ length: 6 }, () => base64(64)), `${base64(18)}==`];
  const awsSecret = some(ALNUM, 40);
  const password = token(18);
  const account = {
    email: `${some(HEX, 13)}@example.org`,
    muk: { k: token(43) },
    secretKey: token(38),
    srpX: some(HEX, 64),
    n: 10,
  };
  return [
    ...ownSecrets(letters),
    ...serviceSecrets(letters, awsSecret, password),
    ...platformTokens(letters, account),
    ...publicShapes(letters),
    ...privateKeys(letters, keyLines),
  ].map(written);
}

/** Adds the context by which some secrets are recognized. */
function written(one: PlantedSecret): PlantedSecret {
  if (one.text !== one.secret) return one;
  const around: Readonly<Record<string, (secret: string) => string>> = {
    'meshd/api-key': (secret) => `api_key: ${secret}`,
    'meshd/bearer': (secret) => `Authorization: Bearer ${secret}`,
    'npm/Npmrc_authToken': (secret) => `//registry.example.org/:_authToken=${secret}`,
    'slack/IncomingWebhook': (secret) => `https://hooks.slack.com/services/${secret}`,
    'basicauth/BasicAuth': (secret) => `https://${secret}:x-oauth-basic@github.com/o/r.git`,
    'public/azure': (secret) => `AccountName=x;AccountKey=${secret};Suffix=y`,
  };
  return { ...one, text: around[one.id]?.(one.secret) ?? one.text };
}
