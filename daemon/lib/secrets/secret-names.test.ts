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

  it.each([
    ...SECRET_FILE_EXAMPLES,
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
  expect(allowed).toContain('**/.env.example');
});
