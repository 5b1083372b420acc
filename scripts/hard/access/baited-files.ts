import { randomBytes } from 'node:crypto';
import type { Dice } from '../../../daemon/testing/dice.js';
import { type PlantedSecret, plantedSecrets } from '../../../daemon/testing/planted-secrets.js';

/** A file that another program wants to read, and the part of it that must not be disclosed. */
export interface ProtectedFile {
  path: string;
  text: string;
  /** A word that occurs in this file only. A question with it refers to this file. */
  word: string;
  secret: string;
  what: 'shape' | 'name' | 'untracked' | 'ignored';
}

/**
 * Examples of the names in the table of secret files. Listed in full, so that a name missing from the table is noticed.
 */
const NAMES = [
  ...['.npmrc', '.env', '.env.production', 'prod.env', '.netrc', '.pypirc', '.pgpass', '.git-credentials', '.htpasswd'],
  ...['server.pem', 'tls.key', 'store.p12', 'store.pfx', 'release.jks', 'vault.kdbx', 'id_rsa', 'deploy_id/id_ed25519'],
  ...['secrets.yaml', 'secrets/db.yaml', 'k8s/secrets/prod.yml', 'app.secrets.json', 'credentials', 'credentials.json'],
  ...[
    '.aws/config',
    '.ssh/config',
    '.kube/config',
    '.docker/config.json',
    '.gnupg/notes.txt',
    'service-account-1.json',
  ],
  ...['prod.tfvars', 'terraform.tfstate', 'deep/folder/.npmrc', 'deep/SERVER.PEM', 'config/master.key'],
];

const hex = () => randomBytes(16).toString('hex');
/** Returns a word that no other file contains and that stemming does not change. */
const getWord = (index: number) =>
  `zq${String.fromCharCode(97 + (index % 26))}${String.fromCharCode(97 + Math.floor(index / 26))}vix`;

/**
 * Returns secrets of every shape in files, secret file names with contents of no known shape, and files that git does
 * not track.
 */
export function baitedFiles(dice: Dice): ProtectedFile[] {
  const baits: Omit<ProtectedFile, 'word'>[] = [];
  const holding = ({ text }: PlantedSecret, index: number) =>
    `# Note\n\nThe ${getWord(index)} of the harbour is set up here.\n\n${text}\n\nThat is all of the ` +
    `${getWord(index)} note.\n`;
  for (const one of plantedSecrets(dice.below(1_000_000)))
    baits.push({
      path: `docs/note-${baits.length}.md`,
      text: holding(one, baits.length),
      secret: one.secret,
      what: 'shape',
    });
  for (const path of NAMES) {
    const secret = hex();
    const text = `The ${getWord(baits.length)} value\nvalue ${secret}\n`;
    baits.push({ path, text, secret, what: 'name' });
  }
  for (const what of ['untracked', 'untracked', 'untracked', 'ignored', 'ignored'] as const) {
    const secret = hex();
    const path = what === 'ignored' ? `ignored/plan-${baits.length}.md` : `plan-${baits.length}.md`;
    const text = `# Plan\n\nThe ${getWord(baits.length)} of the plan is ${secret}, says the keeper.\n`;
    baits.push({ path, text, secret, what });
  }
  return baits.map((bait, index) => ({ ...bait, word: getWord(index) }));
}

/** Length in characters from which a part of a secret counts as disclosed. */
const PART_CHARS = 12;

/** Finds parts of the secrets in a text. */
export class DisclosureFinder {
  private readonly parts = new Map<string, ProtectedFile>();

  constructor(baits: readonly ProtectedFile[]) {
    for (const bait of baits)
      for (let at = 0; at + PART_CHARS <= bait.secret.length; at += 1)
        this.parts.set(bait.secret.slice(at, at + PART_CHARS), bait);
  }

  /** Returns the baits of which `text` contains a part. */
  find(text: string): ProtectedFile[] {
    const found = new Set<ProtectedFile>();
    for (let at = 0; at + PART_CHARS <= text.length; at += 1) {
      const bait = this.parts.get(text.slice(at, at + PART_CHARS));
      if (bait) found.add(bait);
    }
    return [...found];
  }
}
