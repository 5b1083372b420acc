import { describe, expect, it } from 'vitest';
import {
  isSecretPath,
  MIXED_FOLDERS,
  SECRET_FILE_EXAMPLES,
  SECRET_FILES,
  SECRET_FOLDERS,
  secretGlobs,
} from './secret-names.js';

const filled = (pattern: string) => pattern.replaceAll('*', 'prod');

describe('isSecretPath', () => {
  it.each([...SECRET_FILES])('rejects %s in any folder and in upper case', (pattern) => {
    const name = filled(pattern);
    for (const path of [name, `deep/er/${name}`, name.toUpperCase()])
      expect({ path, isSecret: isSecretPath(path) }).toEqual({ path, isSecret: true });
  });

  it.each([...SECRET_FOLDERS])('rejects everything in the folder %s', (folder) => {
    for (const path of [`${folder}/x.ts`, `a/${folder}/b/readme.md`]) expect(isSecretPath(path)).toBe(true);
  });

  it.each([...MIXED_FOLDERS])('rejects everything in the folder %s except source files', (folder) => {
    for (const path of [`${folder}/db.yaml`, `k8s/${folder}/prod/token`, `${folder}/notes.md`])
      expect(isSecretPath(path)).toBe(true);
    expect(isSecretPath(`src/${folder}/store.ts`)).toBe(false);
  });

  /** Names as programs write them, so that no row of the table is lost unnoticed. */
  it.each([
    ['of environments', '.env .env.production prod.env .envrc'],
    ['of package managers', '.npmrc .yarnrc.yml .pypirc'],
    ['of logins', '.netrc _netrc .pgpass .my.cnf .htpasswd .git-credentials .vault-token .terraformrc'],
    ['of containers and clouds', '.dockercfg .dockerconfigjson .boto .s3cfg kubeconfig google-services.json'],
    ['of clouds', 'service-account.json service_account-prod.json client_secret_7.json'],
    ['of keys', 'tls.pem tls.key AuthKey.p8 a.p12 a.pfx a.pkcs12 a.jks a.keystore a.kdb a.kdbx a.ppk a.asc a.gpg'],
    ['of more keys', 'a.age a.ovpn a.mobileprovision master.key wallets.json keystore.json'],
    ['of SSH', 'id_rsa id_rsa.old id_dsa id_ecdsa id_ecdsa_sk id_ed25519 deploy_rsa deploy_ed25519'],
    ['that say so', 'credential credentials credential.xml credentials.csv secret secrets .secret .secrets'],
    ['of Terraform', 'a.tfstate a.tfstate.backup prod.tfvars prod.tfvars.json'],
    ...'yaml yml json toml txt ini env properties enc sops'
      .split(' ')
      .map((end) => [`in ${end}`, `secret.${end} secrets.${end} a.secret.${end} a.secrets.${end}`]),
  ])('rejects the files %s', (_, names = '') => {
    expect(names.split(' ').filter((name) => !isSecretPath(`config/${name}`))).toEqual([]);
  });

  it('rejects everything in the folders of programs that keep secrets', () => {
    const folders =
      '.mesh/credentials .mesh/state .ssh .gnupg .aws .azure .docker .kube .config/gcloud .password-store ' +
      '.terraform.d .secrets .vault';
    expect(folders.split(' ').filter((folder) => !isSecretPath(`home/${folder}/config.ts`))).toEqual([]);
    for (const path of ['.mesh/team/guide.md', '.config/editor.json', 'gcloud/main.ts', 'x.ssh/config', '.sshd/config'])
      expect({ path, isSecret: isSecretPath(path) }).toEqual({ path, isSecret: false });
  });

  it.each(['secret', 'secrets', 'credentials', 'private-keys', 'private_keys'])(
    'allows source files alone in the folder %s',
    (folder) => {
      const sources =
        'js jsx ts tsx cjs mjs cts mts py rb go rs java kt kts scala swift c h cc cpp hpp cs fs php pl lua ex exs erl ' +
        'hs ml clj dart zig vue svelte';
      expect(sources.split(' ').filter((end) => isSecretPath(`src/${folder}/store.${end}`))).toEqual([]);
      const others = ['store', 'store.md', 'store.ts.bak', 'rs', 'store.xts', 'store.tsy', 'store.k', 'store.as'];
      expect(others.filter((name) => !isSecretPath(`${folder}/${name}`))).toEqual([]);
    },
  );

  it('allows the examples of environments', () => {
    const ends = ['example', 'sample', 'template', 'dist'];
    const names = ends.flatMap((end) => [`.env.${end}`, `env.${end}`, `.env-${end}`, `.env_${end}`]);
    expect(names.concat('.env.defaults').filter((name) => isSecretPath(`app/${name}`))).toEqual([]);
  });

  it.each([
    ...SECRET_FILE_EXAMPLES,
    'secrets2',
    'docs/private-keys',
    'src/my-secrets/notes.md',
    'secrets-guide/notes.md',
    'service-account/notes.json',
    'terraform.tfstates',
    'id-rsa',
    'src/secrets.ts',
    'docs/credentials-guide.md',
    'docs/secrets-guide.md',
    'src/environment.ts',
    'keys.md',
    'src/tokens.ts',
    'monkey.ts',
    'README.md',
  ])('allows %s', (path) => {
    expect(isSecretPath(path)).toBe(false);
  });
});

it('secretGlobs contains every entry of the table', () => {
  const { denied, allowed } = secretGlobs();
  expect(denied).toEqual(expect.arrayContaining(['**/.npmrc', '**/*.pem', '**/secrets/**', '**/.mesh/credentials/**']));
  expect(denied).toHaveLength(SECRET_FILES.length + SECRET_FOLDERS.length + MIXED_FOLDERS.length);
  const examples = ['.env.example', 'env.sample', '.env-template', '.env_dist', '.env.defaults'];
  expect(allowed).toEqual(expect.arrayContaining(examples.map((name) => `**/${name}`)));
  expect(allowed).toHaveLength(SECRET_FILE_EXAMPLES.length);
});

it.each([
  '.me\u017fh/state/x',
  '.\u017fsh/id',
  '.aw\u017f/x',
  '\u017fecrets/x',
  'id_r\u017fa',
  '\u017fecret.yaml',
  'a.\u212aey',
])('takes %s for a secret, which a file system may open as the name without odd letters', (path) => {
  expect(isSecretPath(path)).toBe(true);
});
