import { execFileSync, type StdioOptions } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sha256Hex } from '../../../daemon/lib/crypto/digests.js';
import { commitEverything } from '../commit-everything.js';
import type { CodeBase } from './code-bases.js';

/** Archives stay here between runs; each is looked up by its digest. */
const ARCHIVES = join(tmpdir(), 'meshd-bench-archives');

/** A code base that cannot be had on this machine: it is left out of the report, by name. */
export class NotAvailable extends Error {}

const quiet = { encoding: 'utf8' as const, stdio: ['ignore', 'pipe', 'ignore'] as StdioOptions };

/** Unpacks a code base into `folder` as a repository with one commit. Returns its path. Throws `NotAvailable`. */
export function fetchCodeBase(base: CodeBase, folder: string): string {
  const archive = readArchive(base);
  const root = join(folder, base.name);
  mkdirSync(root);
  execFileSync('tar', ['xf', archive, '-C', root, '--strip-components=1']);
  for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && base.leaveOut?.test(path.slice(root.length + 1))) rmSync(path);
  }
  commitEverything(root, base.name);
  return root;
}

function readArchive(base: CodeBase): string {
  const kept = join(ARCHIVES, base.sha256);
  if (existsSync(kept) && sha256Hex(readFileSync(kept)) === base.sha256) return kept;
  mkdirSync(ARCHIVES, { recursive: true });
  const folder = mkdtempSync(join(ARCHIVES, 'new-'));
  try {
    if ('npm' in base.from) execFileSync('npm', ['pack', base.from.npm, '--ignore-scripts'], { ...quiet, cwd: folder });
    else downloadDebianSource(base.from.debian, folder);
    const found = readdirSync(folder)
      .map((name) => join(folder, name))
      .find((path) => /\.t(?:ar\.)?[gx]z$/.test(path) && sha256Hex(readFileSync(path)) === base.sha256);
    if (!found) throw new NotAvailable(`${base.name}: no archive with the digest ${base.sha256}`);
    renameSync(found, kept);
    return kept;
  } catch (error) {
    throw error instanceof NotAvailable ? error : new NotAvailable(`${base.name}: ${(error as Error).message}`);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * Downloads a source package from the mirrors that apt is configured with, without changing that configuration. Nothing
 * is installed, and the digest decides whether the archive is the right one, so that no signature is asked for.
 */
function downloadDebianSource(name: string, folder: string): void {
  const apt = join(ARCHIVES, 'apt');
  const sources = join(apt, 'sources.list');
  const options = [
    `Dir::Etc::sourcelist=${sources}`,
    'Dir::Etc::sourceparts=-',
    `Dir::State::lists=${join(apt, 'lists')}`,
    'APT::Sandbox::User=root',
  ].flatMap((option) => ['-o', option]);
  if (!existsSync(sources)) {
    const targets = execFileSync(
      'apt-get',
      ['indextargets', '--format', 'deb-src [trusted=yes] $(SITE) $(CODENAME) $(COMPONENT)', 'Created-By: Packages'],
      quiet,
    );
    mkdirSync(join(apt, 'lists', 'partial'), { recursive: true });
    // Sources of security updates are on mirrors of their own, which not every machine reaches.
    const lines = targets.split('\n').filter((line) => !/-security\b/.test(line));
    writeFileSync(sources, [...new Set(lines)].join('\n'));
    execFileSync('apt-get', [...options, 'update'], quiet);
  }
  execFileSync('apt-get', [...options, 'source', '--download-only', '--only-source', name], { ...quiet, cwd: folder });
}
