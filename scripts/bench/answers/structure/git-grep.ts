import { spawnSync } from 'node:child_process';
import type { StructureQuestion } from './question.js';
import type { StructureAnswer } from './score.js';

const ENV_READS = 'getenv|environ|process\\.env|env::var(_os)?|LookupEnv';

/** The last part of a path without its ending, as an import would have it. */
const getStem = (path: string) => path.slice(path.lastIndexOf('/') + 1).replace(/\..*$/, '');

function listQueryWords({ kind, about }: StructureQuestion): string[] {
  if (kind === 'environment' && about === '') return ['-i', '-E', '-e', ENV_READS];
  return ['-e', kind === 'importers' || kind === 'affected' ? getStem(about) : about];
}

/** The peer: `git grep -n -w` for the name, or for what the files that import a file have to name. */
export function grep(root: string, question: StructureQuestion): StructureAnswer {
  const { stdout } = spawnSync('git', ['grep', '-n', '-w', '-I', '-z', ...listQueryWords(question)], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
  });
  const shown = stdout.split('\n').flatMap((row) => {
    const [path, line, text = ''] = row.split('\0');
    return path && line ? [{ path, startLine: Number(line), endLine: Number(line), text }] : [];
  });
  return { shown, isRefused: false };
}
