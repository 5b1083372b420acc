import { patternWith } from '../text/pattern.js';

/**
 * The formats of known secrets. The formats of other providers are those of secretlint's recommended rules, version
 * 12.0.0 (https://github.com/secretlint/secretlint, MIT, Copyright (c) 2020 azu), with open ends: a truncated token is
 * a secret too. Their `id` is the rule and the message that reports them; `secret-shapes.test.ts` compares the table
 * with the installed rules. Those under `meshd` and `public` are formats of this project and formats that their
 * providers document.
 */
export interface SecretShape {
  id: string;
  /** Every match contains one of these strings, so that the pattern runs on few texts. */
  hints: readonly string[];
  /** Runs in time linear in the text. A first group precedes the secret and is kept. */
  pattern: RegExp;
  /**
   * From this many characters on a match is certainly a secret; a shorter one is only redacted. Default: every match is
   * certain.
   */
  sureFrom?: number;
  /** Excludes matches that only have the format, such as a placeholder. */
  isReal?: (match: string) => boolean;
}

/** A match is only ever redacted: the format is too common to reject or withhold a text because of it. */
const NEVER_SURE = Number.POSITIVE_INFINITY;

const PLACEHOLDER = patternWith('i')`
  ^(?:my|your|the|a|db)?[-_]?(?:password|passwd|pass|pwd|secret|token|user|username|example|changeme|change-me|admin
    |root|test|postgres|mysql|mongo|guest|none|foo|bar|tiger)$
`;
/** The value is a variable or an ellipsis. */
const VARIABLE = /[${}<>[\]%*…]|\.\.\./;

/** Whether `user:password` appears to be a login in use rather than a placeholder. */
function isRealLogin(login: string): boolean {
  const at = login.indexOf(':');
  const [user, password] = [login.slice(0, at), login.slice(at + 1)];
  if (password === 'x-oauth-basic') return user.length >= 8;
  if (password.length < 4 || password === user || VARIABLE.test(login) || PLACEHOLDER.test(password)) return false;
  return [...password].some((character) => character !== password[0]);
}

/** Six consonants in a row occur in abbreviations, which are short, and in random letters. */
const UNSPEAKABLE = /^(?=[A-Za-z]{8}).*[b-df-hj-np-tv-xz]{6}/i;
const NAME_MAX_CHARS = 128;
const CAMEL_CASE = /^[a-z]{3,12}(?:[A-Z][a-z]{3,12}){1,2}$/;

/**
 * Whether a match of a short prefix with an open end is random material rather than a name in code or the style sheet,
 * such as `tt_content`, `tk_focusFollowsMouse` or `sk-estimator-doc-link`: words joined by `separator`, or of camel
 * case. Of 100,000 random tokens that are cut after 16 characters, one reads like a name; of whole ones, none.
 */
function isRandom(separator: string): (match: string) => boolean {
  const word = String.raw`(?:[a-z]{1,20}(?:\d{1,3}[a-z]{0,4})?|\d{1,3})`;
  const joined = new RegExp(`^${word}(?:${separator}${word})*(?:${separator})?$`);
  return (match) => {
    const rest = match.slice(match.search(/[-_]/) + 1);
    if (rest.length > NAME_MAX_CHARS) return true;
    const isName = joined.test(rest) || CAMEL_CASE.test(rest);
    return !isName || (rest.match(/[A-Z]?[a-z]+/g) ?? []).some((letters) => UNSPEAKABLE.test(letters));
  };
}

export const SECRET_SHAPES: readonly SecretShape[] = [
  {
    id: 'meshd/token',
    hints: ['ck_', 'ak_', 'tk_', 'mk_', 'tt_'],
    pattern: /\b(?:ck|ak|tk|mk|tt)_[A-Za-z0-9_-]{4,}/g,
    sureFrom: 19,
    isReal: isRandom('_'),
  },
  {
    id: 'meshd/jwt',
    hints: ['eyJ'],
    pattern: /(?<![\w-])(?=[\w-]*eyJ[\w-]{8})[\w-]+\.[\w-]+\.[\w-]+/g,
    sureFrom: NEVER_SURE,
  },
  { id: 'meshd/api-key', hints: ['api_k'], pattern: /(api_key["':=\s]{1,4})[0-9a-f]{32}/g, sureFrom: NEVER_SURE },
  {
    id: 'meshd/bearer',
    hints: ['earer '],
    pattern: /([Bb]earer )(?=[A-Za-z._~+/-]{0,64}\d|[A-Za-z._~+/-]{24})[A-Za-z0-9._~+/-]{8,}=*/g,
    sureFrom: NEVER_SURE,
  },
  {
    id: 'aws/AWSAccessKeyID',
    hints: ['A3T', 'AKIA', 'AGPA', 'AIDA', 'AROA', 'AIPA', 'ANPA', 'ANVA', 'ASIA'],
    pattern: /(?<![A-Za-z0-9])(?:A3T[A-Z0-9]|AKIA|AGPA|AIDA|AROA|AIPA|ANPA|ANVA|ASIA)[A-Z0-9]{8,}/g,
    sureFrom: 20,
  },
  {
    id: 'aws/AWSSecretAccessKey',
    hints: ['SECRET', 'secret', 'Secret'],
    pattern:
      /((?:SECRET|secret|Secret)_?(?:ACCESS|access|Access)_?(?:KEY|key|Key)["']?\s{0,8}(?::|=>|=)\s{0,8}["']?)[A-Za-z0-9/+=]{20,}/g,
    sureFrom: 40,
  },
  {
    id: 'npm/Npmrc_authToken',
    hints: ['_auth', '_pass'],
    pattern: /((?:_authToken|(?<![^\s:])_(?:auth|password))=["']?)(?![$"'])[^\s"'(){};]{6,}/g,
  },
  { id: 'npm/NPM_ACCESS_TOKEN', hints: ['npm_'], pattern: /(?<![A-Za-z])npm_[A-Za-z0-9]{20,}/g },
  {
    id: 'slack/SLACK_TOKEN',
    hints: ['xox', 'xapp-'],
    pattern: /(?<![A-Za-z])(?:xox[a-z]|xapp)-[A-Za-z0-9-]{8,}/g,
    isReal: isRandom('-'),
  },
  {
    id: 'slack/IncomingWebhook',
    hints: ['hooks.slack.com'],
    pattern: /(hooks\.slack\.com\/(?:services|workflows|triggers)\/)[A-Za-z0-9/]{8,}/g,
  },
  {
    id: 'basicauth/BasicAuth',
    hints: ['://'],
    pattern: /(:\/\/)[^\s:/@"'`<>]{1,256}:[^\s:/@"'`<>]{1,256}(?=@)/g,
    isReal: isRealLogin,
  },
  {
    id: 'sendgrid/SENDGRID_KEY',
    hints: ['SG.'],
    pattern: /(?<![A-Za-z])SG\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}/g,
  },
  { id: 'shopify/SHOPIFY_KEY', hints: ['shp'], pattern: /(?<![A-Za-z])shp(?:pa|ca|at|ss)_[A-Za-z0-9]{8,}/g },
  {
    id: 'github/GITHUB_TOKEN',
    hints: ['gh', 'github_pat_'],
    pattern: /(?<![A-Za-z])(?:gh[pousr]|github_pat)_[A-Za-z0-9_]{8,}/g,
    sureFrom: 24,
  },
  {
    id: 'gitlab/GITLAB_PERSONAL_ACCESS_TOKEN',
    hints: ['gl'],
    pattern: /(?<![A-Za-z])gl(?:pat|ptt|dt|rt|cbt|soat|ft|imt|agent|oas)-[A-Za-z0-9_.-]{8,}/g,
  },
  {
    id: 'grafana/GRAFANA_CLOUD_API_TOKEN',
    hints: ['glc_'],
    pattern: /(?<![A-Za-z])glc_[A-Za-z0-9+/]{20,}={0,2}/g,
  },
  {
    id: 'grafana/GRAFANA_SERVICE_ACCOUNT_TOKEN',
    hints: ['glsa_'],
    pattern: /(?<![A-Za-z])glsa_[A-Za-z0-9_]{16,}/g,
  },
  // Anthropic keys share this prefix.
  {
    id: 'openai/OPENAI_TOKEN',
    hints: ['sk-'],
    pattern: /(?<![A-Za-z0-9_])sk-[A-Za-z0-9_-]{8,}/g,
    sureFrom: 19,
    isReal: isRandom('[-_]{1,2}'),
  },
  {
    id: 'anthropic/ANTHROPIC_API_KEY',
    hints: ['sk-ant-'],
    pattern: /(?<![A-Za-z])sk-ant-[A-Za-z0-9_-]{4,}/g,
  },
  { id: 'groq/GROQ_API_KEY', hints: ['gsk_'], pattern: /(?<![A-Za-z])gsk_[A-Za-z0-9]{16,}/g },
  { id: 'huggingface/HUGGINGFACE_USER_ACCESS_TOKEN', hints: ['hf_'], pattern: /(?<![A-Za-z])hf_[A-Za-z0-9]{24,}/g },
  { id: 'linear/LINEAR_API_TOKEN', hints: ['lin_'], pattern: /(?<![A-Za-z])lin_(?:api|oauth)_[A-Za-z0-9_]{12,}/g },
  { id: 'notion/NOTION_INTEGRATION_TOKEN', hints: ['ntn_'], pattern: /(?<![A-Za-z])ntn_[0-9]{6,}[A-Za-z0-9]{8,}/g },
  { id: '1password/OPS_TOKEN', hints: ['ops_ey'], pattern: /(?<![A-Za-z])ops_ey[A-Za-z0-9+/=]{20,}/g },
  {
    id: 'hashicorp-vault/HASHICORP_VAULT_SERVICE_TOKEN',
    hints: ['hvs.', 'hvb.', 'hvr.'],
    pattern: /(?<![A-Za-z])hv[sbr]\.[A-Za-z0-9_-]{16,}/g,
  },
  {
    id: 'vercel/VERCEL_PERSONAL_ACCESS_TOKEN',
    hints: ['vcp_', 'vci_', 'vca_', 'vcr_', 'vck_'],
    pattern: /(?<![A-Za-z])vc[piark]_[A-Za-z0-9]{16,}/g,
  },
  {
    id: 'databricks/DATABRICKS_PERSONAL_ACCESS_TOKEN',
    hints: ['dapi'],
    pattern: /(?<![A-Za-z])dapi[A-Fa-f0-9]{16,}(?:-[0-9])?/g,
  },
  {
    id: 'docker/DOCKER_PERSONAL_ACCESS_TOKEN',
    hints: ['dckr_'],
    pattern: /(?<![A-Za-z])dckr_[a-z]at_[A-Za-z0-9_-]{8,}/g,
  },
  { id: 'figma/FIGMA_PERSONAL_ACCESS_TOKEN', hints: ['figd_'], pattern: /(?<![A-Za-z])figd_[A-Za-z0-9_-]{12,}/g },
  {
    id: 'public/stripe',
    hints: ['sk_', 'rk_', 'whsec_'],
    pattern: /(?<![A-Za-z])(?:[sr]k_(?:live|test)_|whsec_)[A-Za-z0-9]{12,}/g,
  },
  {
    id: 'public/google',
    hints: ['AIza', 'GOCSPX-', 'ya29.'],
    pattern: /(?<![A-Za-z])(?:AIza|GOCSPX-|ya29\.)[A-Za-z0-9_-]{20,}/g,
  },
  { id: 'public/pypi', hints: ['pypi-AgE'], pattern: /(?<![A-Za-z])pypi-AgE[A-Za-z0-9_-]{12,}/g },
  { id: 'public/azure', hints: ['AccountKey='], pattern: /(AccountKey=)[A-Za-z0-9+/=]{20,}/g },
  { id: 'public/age', hints: ['AGE-SECRET-KEY-1'], pattern: /AGE-SECRET-KEY-1[A-Z0-9]{8,}/g },
  { id: 'public/digitalocean', hints: ['_v1_'], pattern: /(?<![A-Za-z])do[opr]_v1_[a-f0-9]{16,}/g },
];
