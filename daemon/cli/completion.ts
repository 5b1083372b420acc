import { Argument, type Command, type Option } from 'commander';
import type { ClusterList } from '../contract/clusters.js';
import type { ConversationList, PermissionList } from '../contract/conversations.js';
import type { AgentRecord } from '../contract/hub.js';
import { LIST_LIMIT_MAX } from '../contract/limits.js';
import type { ApprovalList, WalletList } from '../contract/payments.js';
import type { RegistryList } from '../contract/registry.js';
import type { Roadmap } from '../contract/roadmap.js';
import type { MemberList } from '../contract/team.js';
import { action, examples } from './action.js';
import { ClusterTokens } from './cluster-tokens.js';
import type { HttpClient } from './http-client.js';
import { findDaemon, findRoot } from './project.js';
import type { Terminal } from './terminal.js';

/** A key press waits for this, so a daemon that is slow counts as none. */
const PATIENCE_MS = 400;
/** What the shells' scripts call the program with, before the words of the line. */
export const COMPLETE = '__complete';
const SHELLS = ['bash', 'zsh', 'fish'] as const;

const SCRIPTS: Readonly<Record<(typeof SHELLS)[number], string>> = {
  bash: `_meshd() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(meshd ${COMPLETE} "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _meshd meshd`,
  zsh: `#compdef meshd
_meshd() {
  local -a candidates
  candidates=("\${(@f)$(meshd ${COMPLETE} "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "$candidates" ]]; then compadd -a candidates; else _files; fi
}
compdef _meshd meshd`,
  fish: `function __meshd_complete
  set -l words (commandline -opc) (commandline -ct)
  meshd ${COMPLETE} $words[2..-1] 2>/dev/null
end
complete -c meshd -f -a '(__meshd_complete)'`,
};

/** The command that `words` lead to, and the argument that the next word would be. */
function walk(program: Command, words: readonly string[]): { command: Command; position: number; lastOption: Option | undefined } {
  let command = program;
  let position = 0;
  let lastOption: Option | undefined;
  for (const word of words) {
    if (lastOption !== undefined) {
      lastOption = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = [...command.options, ...program.options].find(({ long, short }) => word === long || word === short);
      lastOption = option?.required ? option : undefined;
      continue;
    }
    const next = command.commands.find((one) => one.name() === word || one.aliases().includes(word));
    if (next) command = next;
    else position += 1;
  }
  return { command, position, lastOption };
}

/** What can be named by its id, as arguments and options call it. */
const NAMED = ['member', 'agent', 'cluster', 'conversation', 'permission', 'task', 'wallet', 'call'] as const;
export type Named = (typeof NAMED)[number];

/** Options that are called otherwise than what they name. */
const OPTION_NAMES: Readonly<Record<string, Named>> = { '--conv': 'conversation', '--from': 'wallet' };

const isNamed = (name: string): name is Named => (NAMED as readonly string[]).includes(name);

/** Ids on either surface, and those that are on both once. */
async function readAgentIds(client: HttpClient, call: { timeoutMs: number }): Promise<string[]> {
  const [hub, v1] = await Promise.all([
    client.get<AgentRecord[]>(`/agents?all=true&limit=${LIST_LIMIT_MAX}`, call),
    client.get<RegistryList>(`/v1/agents?registered=true&limit=${LIST_LIMIT_MAX}`, call),
  ]);
  return [...new Set([...hub, ...v1.agents].map(({ agent_id }) => agent_id))];
}

/** Slugs of public clusters, and ids of those whose tokens are kept. */
async function readClusters(client: HttpClient, root: string, call: { timeoutMs: number }): Promise<string[]> {
  const { clusters } = await client.get<ClusterList>(`/v1/clusters?limit=${LIST_LIMIT_MAX}`, call);
  const kept = [...new ClusterTokens(root).all()].filter(([, { visibility }]) => visibility === 'private');
  return [...kept.map(([id]) => id), ...clusters.map(({ id, slug }) => slug ?? id)];
}

async function readIds(client: HttpClient, named: Named, root: string): Promise<string[]> {
  const call = { timeoutMs: PATIENCE_MS };
  if (named === 'member') return (await client.get<MemberList>('/team', call)).members.map(({ id }) => id);
  if (named === 'agent') return readAgentIds(client, call);
  if (named === 'cluster') return readClusters(client, root, call);
  if (named === 'task') return (await client.get<Roadmap>('/roadmap', call)).tasks.map(({ id }) => id);
  if (named === 'wallet') return [...new Set((await client.get<WalletList>('/wallets', call)).wallets.map(({ name }) => name))];
  if (named === 'call') return (await client.get<ApprovalList>('/approvals', call)).approvals.map(({ call_id }) => call_id);
  if (named === 'permission') return (await client.get<PermissionList>('/permissions', call)).permissions.map(({ pid }) => pid);
  return (await client.get<ConversationList>('/conversations', call)).conversations.map(({ conv }) => conv);
}

/** Ids from the running daemon; none when it does not run or takes its time. */
async function findIds(given: string | undefined, named: Named): Promise<string[]> {
  try {
    const root = findRoot(process.cwd(), given);
    const daemon = await findDaemon(root, PATIENCE_MS);
    return daemon ? await readIds(daemon.client, named, root) : [];
  } catch {
    // Whatever is wrong, a half-typed line is no place to say so.
    return [];
  }
}

/** What may stand where the last of `words` is being typed: subcommands, options after a hyphen, choices, or ids of what is named there. */
export async function complete(program: Command, words: readonly string[], ids: (named: Named) => Promise<string[]>): Promise<string[]> {
  const typed = words.at(-1) ?? '';
  const { command, position, lastOption } = walk(program, words.slice(0, -1));
  if (lastOption !== undefined) {
    const name = OPTION_NAMES[lastOption.long ?? ''] ?? lastOption.attributeName();
    return isNamed(name) ? ids(name) : [...(lastOption.argChoices ?? [])];
  }
  if (typed.startsWith('-')) {
    const names = [...command.options, ...program.options].map(({ long }) => long);
    return [...new Set(names.filter((name) => name !== undefined && name !== null)), '--help'];
  }
  if (command.commands.length > 0) return command.commands.map((one) => one.name());
  const argument = command.registeredArguments[position];
  if (!argument) return [];
  const named = argument.name().split('|').filter(isNamed);
  if (named.length === 0) return [...(argument.argChoices ?? [])];
  return [...new Set((await Promise.all(named.map(ids))).flat())];
}

export function addCompletion(program: Command, terminal: Terminal): void {
  program
    .command('completion')
    .summary('print the completion script of a shell')
    .description('Print a script that completes commands, options and, from the running daemon, ids.')
    .addArgument(new Argument('<shell>').choices([...SHELLS]))
    .addHelpText('after', examples('source <(meshd completion bash)', 'meshd completion fish > ~/.config/fish/completions/meshd.fish'))
    .action(
      action<object, [(typeof SHELLS)[number]]>(terminal, async ({ json }, shell) => {
        if (json) terminal.object({ shell, script: SCRIPTS[shell] });
        else terminal.answer(SCRIPTS[shell]);
      }),
    );
}

/** Answers a shell in the middle of a line: one candidate a line, nothing at all when there is nothing to say. */
export async function answerShell(program: Command, terminal: Terminal, words: readonly string[]): Promise<void> {
  const given = words.includes('--root') ? words[words.indexOf('--root') + 1] : undefined;
  const ids = async (named: Named) => findIds(given, named);
  for (const candidate of await complete(program, words, ids)) terminal.answer(candidate);
}
