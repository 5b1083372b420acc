import { type Command, InvalidArgumentError } from 'commander';
import { ADOPT_GROUPS, type AdoptableGroup, type AdoptGroup, type Adoption } from '../../contract/foreign-state.js';
import { action, examples } from '../action.js';
import { CommandError, EXIT } from '../exit-codes.js';
import { printable, type Terminal } from '../terminal.js';
import { askYesOrNo } from '../yes-or-no.js';
import { convertFailure } from './backup-failure.js';
import { refuseWhileRunning } from './restore.js';

interface AdoptOptions {
  all?: boolean;
  take?: AdoptGroup[];
}

/** Groups that consist of rows of the records and cannot be adopted without them. */
const OF_RECORDS: readonly AdoptGroup[] = ['turns', 'permissions', 'calls'];

function parseGroups(text: string): AdoptGroup[] {
  return text.split(',').map((word) => {
    const group = ADOPT_GROUPS.find((one) => one === word.trim());
    if (group) return group;
    throw new InvalidArgumentError(`"${word.trim()}" is no group; there are ${ADOPT_GROUPS.join(', ')}.`);
  });
}

function show(terminal: Terminal, folder: string, groups: readonly AdoptableGroup[]): void {
  terminal.note(`${folder} holds:`);
  for (const { group, title, holds, problem } of groups) {
    if (holds.length === 0) continue;
    terminal.note(`  ${group.padEnd(12)}${printable(holds.join(', '))}`);
    terminal.note(`${' '.repeat(14)}${problem === undefined ? title : `cannot be taken over: ${printable(problem)}`}`);
  }
}

/**
 * Prompts for each group that can be adopted. Groups that belong to the records are offered only if the records are
 * adopted. Returns an empty set when the input ends before the last answer.
 */
async function askForEach(terminal: Terminal, groups: readonly AdoptableGroup[]): Promise<Set<AdoptGroup>> {
  const taken = new Set<AdoptGroup>();
  for (const { group, title, holds, problem } of groups) {
    if (holds.length === 0 || problem !== undefined) continue;
    if (OF_RECORDS.includes(group) && !taken.has('records')) continue;
    const answer = await askYesOrNo(terminal, `Take over ${title}?`);
    if (answer === undefined) return new Set();
    if (answer) taken.add(group);
  }
  return taken;
}

function chosen(options: AdoptOptions, groups: readonly AdoptableGroup[]): Set<AdoptGroup> {
  const possible = groups.filter(({ problem }) => problem === undefined);
  if (options.all) return new Set(possible.map(({ group }) => group));
  const asked = options.take ?? [];
  const alone = asked.find((group) => OF_RECORDS.includes(group) && !asked.includes('records'));
  if (alone !== undefined)
    throw new CommandError(EXIT.usage, `${alone} belongs to records: take records as well.`, 'usage');
  return new Set(asked);
}

function sentence({ groups, folder, removed, aside }: Adoption): string {
  const taken = groups.filter((group) => group.taken).map(({ group }) => group);
  if (taken.length === 0) return `Nothing was taken over; ${folder} stays as it is. Remove it when you do not need it.`;
  const left = removed
    ? `${folder} is gone.`
    : `What was not taken stays in ${folder}; remove it when you do not need it.`;
  return (
    `Took over ${taken.join(', ')}. ` +
    `${left}${aside === null ? '' : ' `meshd restore --undo` puts back what was there before.'}`
  );
}

export function addAdopt(program: Command, terminal: Terminal): void {
  program
    .command('adopt')
    .summary('take over state from another machine')
    .description(
      'Take over state that a start has set aside in .mesh/foreign-*, since this machine did not make it: a ' +
        'project of version 0.1.0, of another machine, or a copy. Lists what is there, group by group, and asks ' +
        'for each; without a terminal it needs --all or --take. What would act by itself (queued work, ' +
        'permissions, calls) is left out of the records unless you take it. Nothing is taken that you do not ' +
        'know to be yours: a repository can bring such files. No daemon may run meanwhile. Groups: ' +
        `${ADOPT_GROUPS.join(', ')}.`,
    )
    .argument('[folder]', 'which one (default: the newest)')
    .option('--all', 'every group')
    .option('--take <groups>', 'these groups, with commas between them', parseGroups)
    .addHelpText(
      'after',
      examples('meshd down && meshd adopt && meshd up', 'meshd adopt --take tokens,wallets,records'),
    )
    .action(
      action<AdoptOptions, [string | undefined]>(terminal, async ({ root, json, all, take }, folder) => {
        if (all && take) throw new CommandError(EXIT.usage, 'Give --all or --take, not both.', 'usage');
        await refuseWhileRunning(root);
        const { adoptState } = await import('../../backup/backups.js');
        const adoption = await convertFailure(
          adoptState({
            root,
            folder,
            environment: terminal.environment.variables ?? {},
            nowMs: Date.now(),
            onStep: (step) => terminal.note(step),
            choose: async (name, groups) => {
              if (!json) show(terminal, name, groups);
              if (all || take) return chosen({ ...(all && { all }), ...(take && { take }) }, groups);
              if (terminal.hasPerson && !json) return askForEach(terminal, groups);
              const found = groups.filter(({ holds }) => holds.length > 0).map(({ group }) => group);
              throw new CommandError(
                EXIT.needsPerson,
                `${name} holds ${found.join(', ') || 'nothing'}: give --all or --take to choose what to take over.`,
                'needs_person',
                { folder: name, groups },
              );
            },
          }),
        );
        if (json) terminal.object(adoption);
        else terminal.answer(sentence(adoption));
      }),
    );
}
