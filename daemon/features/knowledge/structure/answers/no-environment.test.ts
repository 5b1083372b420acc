import { describe, expect, it } from 'vitest';
import { answerNoEnvironment } from './no-environment.js';

const SCOPE = { languages: [], without: [], folders: [], includesTests: false };
const answer = (files: Record<string, string>, scope = {}, elsewhere: string[] = []) =>
  answerNoEnvironment(Object.keys(files), { ...SCOPE, ...scope }, { elsewhere }, (path) => files[path]?.split('\n'));

it('says of how many sources none reads the environment', () => {
  expect(answer({ 'a.ts': 'x', 'b.py': 'y', 'test/c.ts': 'process.env.X', 'd.md': 'process.env.Y' })).toEqual({
    lead:
      'No environment variable is read: none of 2 source files reads the environment. ' +
      'Tests and dependencies were not looked at.',
    ...{ total: 0, items: [] },
  });
});

it('names what only tests read, up to twenty', () => {
  expect(answer({ 'a.ts': 'x' }, {}, ['CI', 'HOME'])?.lead).toBe(
    'No environment variable is read: none of 1 source file reads the environment. ' +
      'Only tests, examples and build scripts do: `CI`, `HOME`.',
  );
  const many = Array.from({ length: 21 }, (_, at) => `N${at}`);
  expect(answer({ 'a.ts': 'x' }, {}, many)?.lead).toContain('`N19`, and 1 more');
});

it('says nothing without sources in scope, or with more than three thousand', () => {
  expect(answer({ 'a.md': 'x' })).toBeUndefined();
  expect(answer({ 'a.ts': 'x' }, { languages: ['python'] })).toBeUndefined();
  const many = (length: number) => Object.fromEntries(Array.from({ length }, (_, at) => [`${at}.ts`, 'x']));
  expect(answer(many(3_000))?.total).toBe(0);
  expect(answer(many(3_001))).toBeUndefined();
});

it('looks at the sources in scope alone, and at every line', () => {
  expect(answer({ 'a.ts': 'x\nprocess.env.X' })).toBeUndefined();
  expect(answer({ 'a.ts': 'x', 'b.ts': 'y\nprocess.env.X\nz' })).toBeUndefined();
  expect(answer({ 'a.ts': 'process.env.X', 'b.py': 'y' }, { languages: ['python'] })?.total).toBe(0);
});

it('takes a file that cannot be read for one that reads nothing', () => {
  expect(answerNoEnvironment(['a.ts'], SCOPE, { elsewhere: [] }, () => undefined)?.total).toBe(0);
});

describe('a line', () => {
  it.each([
    'getenv("X")',
    'getEnv("X")',
    'GetEnv("X")',
    'get_env("X")',
    'os.environ["X"]',
    'process.env.X',
    'import.meta.env.X',
    'env::var("X")',
    'env!("X")',
    'option_env!("X")',
    'ENV["X"]',
    '$_ENV["X"]',
    '$_SERVER[name]',
    'GetEnvironmentVariable("X")',
    'os.LookupEnv("X")',
    'env("X")',
    'sys.env("X")',
    'app.environment.get',
    'expand("$X")',
    "expand('$X')",
  ])('of %s may read the environment', (line) => {
    expect(answer({ 'a.scala': line })).toBeUndefined();
  });

  it.each([
    'getEnvironment()',
    'environs',
    'processenv',
    'myenv',
    'myenv!',
    'ENVIRONMENTS',
    'MYENV',
    "$_SERVER['HTTP_HOST']",
    '$_SERVER["HTTP_HOST"]',
    'environment',
    'myenv()',
    'sys.envs',
    'environmental.environments',
    'expand("X")',
    '$HOME',
  ])('of %s does not', (line) => {
    expect(answer({ 'a.scala': line })?.total).toBe(0);
  });

  it.each(['sh', 'bash', 'zsh', 'fish', 'ps1', 'vim', 'el', 'tf', 'SH'])('of $HOME does in a shell, .%s', (ending) => {
    expect(answer({ [`a.${ending}`]: 'echo $HOME' })).toBeUndefined();
    expect(answer({ [`a.${ending}`]: `echo $\{HOME}` })).toBeUndefined();
    expect(answer({ [`a.${ending}`]: 'echo $home $H HOME' })?.total).toBe(0);
  });

  it('of $HOME does not in a file whose name only begins as one of a shell', () => {
    expect(answer({ 'a.sh.ts': 'echo $HOME', 'sh.ts': '$HOME', 'ash.php': '$HOME' })?.total).toBe(0);
  });
});
