import type { NewPullRequest, PullRequest } from '../../contract/work/reviews.js';
import { MeshError } from '../../lib/errors.js';
import { scrubSecrets } from '../../lib/secrets/secrets.js';
import type { GitRepository } from '../../storage/git/git-repository.js';
import type { Merges, PullRequestPlan } from './merges.js';

const OUTPUT_MAX_CHARS = 10_000;
const TITLE_MAX_CHARS = 120;

/** A repository on a host that `gh` knows. */
interface Remote {
  host: string;
  name: string;
  /** What is pushed to: an address of https or ssh without a password. */
  url: string;
}

interface Command {
  program: 'git' | 'gh';
  args: readonly string[];
}

export interface PullRequestsParts {
  /** Finds a program in the daemon's PATH and outside of the repository. */
  findProgram: (name: string) => Promise<string | undefined>;
  /** Runs a program in `folder` to its end, without the daemon's secrets. */
  run: (program: string, args: readonly string[], folder: string) => Promise<{ exit: number | null; output: string }>;
  /** Runs `work` in a repository that has the commit on the branch, and no configuration. */
  withCleanRepository: <T>(
    repository: GitRepository,
    place: { branch: string; commit: string },
    work: (folder: string) => Promise<T>,
  ) => Promise<T>;
  /** A further host that `gh` knows, as the operator's environment names it. */
  host: string | undefined;
}

/** Pushes the branch of a conversation and opens a pull request, by the user's own git and `gh`. */
export class PullRequests {
  constructor(private readonly parts: PullRequestsParts) {}

  /** The exact commands, in their order; null without `gh`, or without a remote `origin` on a host that it knows. */
  async commands(repository: GitRepository, plan: PullRequestPlan): Promise<string[] | null> {
    const found = await this.plan(repository, plan);
    return found?.map(({ program, args }) => [program, ...args].map(quoted).join(' ')) ?? null;
  }

  /**
   * Runs the commands. Throws `file_changed` unless they are those that the caller saw, and `network_unavailable` with
   * what the program said when one fails.
   */
  async open(merges: Merges, conv: string, { into, commands: seen }: NewPullRequest): Promise<PullRequest> {
    const { plan, commands } = await merges.plan(conv, into);
    if (JSON.stringify(commands) !== JSON.stringify(seen))
      throw new MeshError('file_changed', 'The commands are no longer those that were shown: look at them again.');
    const { repository, tip, title } = plan;
    const branch = plan.worktree.branch ?? '';
    const steps = (await this.plan(repository, { branch, into, title })) ?? [];
    const output = await this.parts.withCleanRepository(repository, { branch, commit: tip.commit }, async (folder) => {
      let text = '';
      for (const step of steps) text += await this.runStep(step, folder);
      return text;
    });
    const url = [...output.matchAll(/https:\/\/[^\s'"<>]{1,300}\/pull\/\d+/g)].at(-1)?.[0];
    if (url === undefined)
      throw new MeshError('network_unavailable', `\`gh\` ended without the address of a pull request. ${tail(output)}`);
    return { url, output };
  }

  private async runStep({ program, args }: Command, folder: string): Promise<string> {
    const bin = await this.parts.findProgram(program);
    if (bin === undefined) throw new MeshError('network_unavailable', `The program \`${program}\` is gone.`);
    const { exit, output } = await this.parts.run(bin, args, folder);
    const text = scrubSecrets(output).slice(0, OUTPUT_MAX_CHARS);
    if (exit === 0) return text;
    const what = `\`${program} ${args[0]}\` ended with ${exit ?? 'a signal'}`;
    throw new MeshError('network_unavailable', `${what}. ${tail(text)}`);
  }

  private async plan(repository: GitRepository, { branch, into, title }: PullRequestPlan): Promise<Command[] | null> {
    if ((await this.parts.findProgram('gh')) === undefined) return null;
    const address = await repository.run(['config', '--get', 'remote.origin.url']);
    const remote = readRemote(address.stdout.trim(), this.parts.host);
    if (!remote) return null;
    const name = title.replace(/\s+/g, ' ').trim().slice(0, TITLE_MAX_CHARS);
    const body = `Changes of the branch ${branch}, made with meshd.`;
    return [
      { program: 'git', args: ['push', remote.url, `refs/heads/${branch}:refs/heads/${branch}`] },
      {
        program: 'gh',
        args: [
          ...['pr', 'create', '--repo', `${remote.host}/${remote.name}`, '--base', into, '--head', branch],
          ...['--title', name, '--body', body],
        ],
      },
    ];
  }
}

const tail = (output: string) => output.trim().slice(-500);

/** Reads the address of a remote. A repository may name anything there: only https and ssh are taken. */
export function readRemote(address: string, ownHost: string | undefined): Remote | undefined {
  const form =
    /^(?:https:\/\/(?:[^@/\s]*@)?|ssh:\/\/git@|git@)(?<host>[a-z0-9.-]+)[/:](?<name>[\w.-]+\/[\w.-]+?)(?:\.git)?\/?$/i;
  const groups = form.exec(address)?.groups as { host: string; name: string } | undefined;
  if (!groups) return undefined;
  const { host, name } = groups;
  const isKnown = host === 'github.com' || host.endsWith('.ghe.com') || host === ownHost;
  if (!isKnown || name.startsWith('-') || host.startsWith('-')) return undefined;
  const url = address.startsWith('https:') ? `https://${host}/${name}.git` : `git@${host}:${name}.git`;
  return { host, name, url };
}

const quoted = (word: string) => (/^[\w./@:+-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`);
