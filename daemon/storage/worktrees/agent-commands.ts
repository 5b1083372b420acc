import { basename } from 'node:path';

const wordSet = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/));

/** Commands that write the configuration. */
const WRITES_CONFIG = wordSet(
  'config remote branch push checkout switch submodule lfs sparse-checkout maintenance init worktree',
);
/** Commands that move a ref that they name. */
const MOVES_REFS = wordSet('update-ref symbolic-ref branch push tag');
/** Commands of git itself that do neither, whatever their words are. An alias cannot replace one. */
const DOES_NEITHER = wordSet(`
  add am annotate apply archive bisect blame cat-file check-attr check-ignore cherry cherry-pick clean commit
  commit-tree count-objects describe diff diff-files diff-index diff-tree fetch for-each-ref format-patch fsck gc grep
  hash-object help log ls-files ls-remote ls-tree merge merge-base mv name-rev notes pull range-diff read-tree rebase
  reflog reset restore rev-list rev-parse revert rm shortlog show show-branch show-ref stash status update-index var
  version whatchanged write-tree
`);
const isKnown = (name: string) => DOES_NEITHER.has(name) || WRITES_CONFIG.has(name) || MOVES_REFS.has(name);

/** Options that may be there, in full. */
interface OptionNames {
  /** With `=` at its end: the value follows in the same word. */
  flags: ReadonlySet<string>;
  /** Their value is the next word. */
  valued: ReadonlySet<string>;
}

/** Returns the options in a word without values; single letters may be written together. */
function optionsIn(word: string): string[] {
  if (/^-\w/.test(word)) return Array.from(word.slice(1), (letter) => `-${letter}`);
  return [word.replace(/=.*/s, '=')];
}

/** Options before the command. Others, as `--exec-path`, may change what the command is. */
const GLOBAL: OptionNames = {
  flags: wordSet(`
    -p -P --no-pager --paginate --bare --no-replace-objects --no-optional-locks --no-lazy-fetch --no-advice
    --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs
    --git-dir= --work-tree= --namespace= --config-env=
  `),
  valued: wordSet('-C -c --git-dir --work-tree --namespace --config-env'),
};
/** Settings with which a command may do something else than its words say. */
const CHANGES_MEANING = /alias\.|hookspath|include/i;

interface GitCommand {
  name: string;
  args: readonly string[];
}

/** Returns the command that git ran; undefined when that cannot be told for certain. */
function parseCommand([program = '', ...words]: readonly string[]): GitCommand | undefined {
  // Git takes the command from the name by which it was started, as in `git-branch`.
  const dashed = /^git-(.+)/.exec(basename(program))?.[1];
  if (dashed !== undefined) return { name: dashed, args: words };
  let at = 0;
  for (; words[at]?.startsWith('-'); at += 1) {
    const word = words[at] as string;
    if (GLOBAL.valued.has(word)) at += 1;
    else if (!optionsIn(word).every((option) => GLOBAL.flags.has(option))) return undefined;
    if (/^(-c|--config-env)/.test(word) && CHANGES_MEANING.test(words[at] ?? '')) return undefined;
  }
  const name = words[at];
  return name === undefined ? undefined : { name, args: words.slice(at + 1) };
}

interface Words {
  options: readonly string[];
  operands: readonly string[];
}

/** Divides arguments; undefined when an option is none of those. */
function divide(args: readonly string[], { flags, valued }: OptionNames): Words | undefined {
  const [options, operands]: [string[], string[]] = [[], []];
  for (let at = 0; at < args.length; at += 1) {
    const word = args[at] as string;
    if (word === '--') return { options, operands: [...operands, ...args.slice(at + 1)] };
    if (!word.startsWith('-') || word === '-') operands.push(word);
    else if (valued.has(word)) {
      options.push(word);
      at += 1;
    } else {
      const found = optionsIn(word);
      if (!found.every((option) => flags.has(option))) return undefined;
      options.push(...found);
    }
  }
  return { options, operands };
}

/** Options of `branch` and `tag` with which they list, whatever else is there. */
const LISTING = `
  -l --list --contains --contains= --no-contains --no-contains= --merged --merged= --no-merged --no-merged=
  --points-at --points-at=
`;
const LIST_FLAGS = `
  ${LISTING} -i --ignore-case --omit-empty --sort= --format= --color --color= --no-color --column --column= --no-column
`;
const LIST_VALUED = wordSet('--sort --format --points-at');
const BRANCH: OptionNames = {
  flags: wordSet(`${LIST_FLAGS} -a --all -r --remotes -v --verbose --show-current --abbrev= --no-abbrev`),
  valued: LIST_VALUED,
};
const BRANCH_LISTS = wordSet(`${LISTING} --show-current`);
const TAG: OptionNames = { flags: wordSet(`${LIST_FLAGS} -n -v --verify`), valued: LIST_VALUED };
const TAG_LISTS = wordSet(`${LISTING} -n -v --verify`);
const CHECKOUT: OptionNames = {
  flags: wordSet(`
    -q --quiet -f --force -d --detach -2 --ours -3 --theirs -m --merge -p --patch --progress --no-progress --no-guess
    --no-track --discard-changes --overlay --no-overlay --conflict=
  `),
  valued: new Set(),
};
const CONFIG_GETS = wordSet('-l --list --get --get-all --get-regexp --get-urlmatch');
const CONFIG: OptionNames = {
  flags: wordSet(`
    ${[...CONFIG_GETS].join(' ')} -z --null --name-only --show-origin --show-scope --includes --no-includes
    --global --system --local --worktree --bool --int --bool-or-int --path --type= --default= --file= --blob=
  `),
  valued: wordSet('-f --file --type --default --blob'),
};

/** Whether `branch` or `tag` lists: with a name alone, most options of a list would make one of that name. */
function lists(args: readonly string[], names: OptionNames, listing: ReadonlySet<string>): boolean {
  const words = divide(args, names);
  return words !== undefined && (words.operands.length === 0 || words.options.some((option) => listing.has(option)));
}

function readsConfig(args: readonly string[]): boolean {
  if (args[0] === 'get' || args[0] === 'list') return true;
  const words = divide(args, CONFIG);
  if (!words) return false;
  return words.options.some((option) => CONFIG_GETS.has(option)) || words.operands.length === 1;
}

/** Whether a check-out makes no branch, for which git would write down what it follows. */
function makesNoBranch(args: readonly string[]): boolean {
  const words = divide(args, CHECKOUT);
  // A name alone may be taken from a remote. The hook of agents refuses all branches but these.
  return words !== undefined && !(words.operands.length === 1 && words.operands[0]?.startsWith('meshd/'));
}

/** By command, whether it only reads with these arguments. */
const READS: Readonly<Record<string, (args: readonly string[]) => boolean>> = {
  branch: (args) => lists(args, BRANCH, BRANCH_LISTS),
  tag: (args) => lists(args, TAG, TAG_LISTS),
  config: readsConfig,
  remote: (args) => [undefined, 'show', 'get-url'].includes(args.find((word) => !/^(-v|--verbose)$/.test(word))),
  checkout: makesNoBranch,
  switch: makesNoBranch,
  worktree: ([what]) => what === 'list',
  submodule: ([what]) => [undefined, 'status', 'summary'].includes(what),
  lfs: ([what = '']) => ['ls-files', 'status', 'env', 'version'].includes(what),
  'sparse-checkout': ([what]) => what === 'list',
};

/** Only for a known command. */
const reads = ({ name, args }: GitCommand) => READS[name]?.(args) === true;

/**
 * Whether a command may have written the repository's configuration. What a command does that is not git's own, such as
 * an alias, is not known: then one of its words is enough. What an alias runs of git is a command of its own.
 */
export function writesSettings(command: readonly string[]): boolean {
  const found = parseCommand(command);
  if (found && isKnown(found.name)) return WRITES_CONFIG.has(found.name) && !reads(found);
  return command.some((word) => WRITES_CONFIG.has(word));
}

const PUSH: OptionNames = {
  flags: wordSet(`
    -u --set-upstream -f --force --force-with-lease --force-with-lease= --force-if-includes --tags --follow-tags
    --no-follow-tags --all -d --delete -n --dry-run --porcelain --progress --no-progress -q --quiet -v --verbose
    --verify --no-verify --atomic
  `),
  valued: new Set(),
};
/** The name of a remote, or a place on another computer. */
const REMOTE = /^(\w[\w.-]*|(https?|ssh|git):\/\/.*|([\w.-]+@)?[\w.-]{2,}:(?!:|\/\/).*)$/s;

/** Whether a push goes to what is no folder by its name. */
const isToRemote = (args: readonly string[]) => REMOTE.test(divide(args, PUSH)?.operands[0] ?? '');

/** Whether one of the commands of a turn moved the ref: it names it, or it turned off the hook that refuses that. */
export function movesRef(commands: readonly (readonly string[])[], ref: string): boolean {
  const short = ref.replace(/^refs\/(heads|tags)\//, '');
  const isName = (word: string) =>
    word === ref || word === short || word.endsWith(`:${short}`) || word.endsWith(`:${ref}`);
  // A push to a folder starts it, also where the folder stands behind the name of a remote.
  const hasReceived = commands.some((command) => command.some((word) => word.endsWith('receive-pack')));
  return commands.some((command) => {
    const found = parseCommand(command);
    const known = found && isKnown(found.name) ? found : undefined;
    if (known && reads(known)) return false;
    const isOff = command.some((word) => /hookspath/i.test(word));
    if (isOff && (!known || known.name === 'config')) return true;
    if (!command.some(isName)) return false;
    if (!known) return command.some((word) => MOVES_REFS.has(word));
    return MOVES_REFS.has(known.name) && (known.name !== 'push' || hasReceived || !isToRemote(known.args));
  });
}
