import type { Command } from 'commander';
import type { PublicCard } from '../contract/card.js';
import { action, examples } from './action.js';
import { memberPath } from './member.js';
import { getDaemon } from './project.js';
import type { Terminal } from './terminal.js';

export function addCard(program: Command, terminal: Terminal): void {
  program
    .command('card')
    .summary('print an exposed member’s public card')
    .description('Print the public card by which other agents find and call an exposed member, as JSON.')
    .argument('<member>')
    .addHelpText('after', examples('meshd card consultant', "meshd card consultant | jq '.skills[].examples'"))
    .action(
      action<object, [string]>(terminal, async ({ root }, id) => {
        const { client } = await getDaemon(root);
        terminal.object(await client.get<PublicCard>(`${memberPath(id)}/.well-known/agent.json`));
      }),
    );
}
