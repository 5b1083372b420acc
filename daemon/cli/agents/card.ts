import type { Command } from 'commander';
import type { PublicCard } from '../../contract/network/card.js';
import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { memberPath } from '../team/member.js';
import { printable, type Terminal } from '../terminal.js';
import { lookUp } from './agent-surfaces.js';

/** Reads the public card of an exposed member. Returns undefined when there is none. */
async function findPublicCard(client: HttpClient, id: string): Promise<PublicCard | undefined> {
  try {
    return await client.get<PublicCard>(`${memberPath(id)}/.well-known/agent.json`);
  } catch (error) {
    if (error instanceof CommandError && error.exit === EXIT.notFound) return undefined;
    throw error;
  }
}

export function addCard(program: Command, terminal: Terminal): void {
  program
    .command('card')
    .summary('print the card of a member or an agent')
    .description(
      'Print, as JSON, the public card by which other agents find and call an exposed member; for any other ' +
        'agent the discovery card that it pushed to the hub, else to the unified API.',
    )
    .argument('<member|agent>')
    .addHelpText('after', examples('meshd card consultant', "meshd card painter | jq '.pricing'"))
    .action(
      action<object, [string]>(terminal, async ({ root }, id) => {
        const { client } = await getDaemon(root);
        const card = await findPublicCard(client, id);
        if (card) return terminal.object(card);
        const { hub, v1 } = await lookUp(client, id);
        const pushed = hub?.agent_card ?? v1?.agent_card;
        if (!pushed) {
          const said =
            hub || v1?.registered
              ? `${id} is registered and has pushed no card.`
              : `There is no exposed member and no agent ${id}.`;
          throw new CommandError(EXIT.notFound, said, 'not_found');
        }
        terminal.object(pushed);
        const { endpoint } = pushed;
        const whole = endpoint ? `; the full one is at ${withoutTrailingSlashes(endpoint)}/.well-known/agent.json` : '';
        terminal.note(printable(`This is its discovery card${whole}.`));
      }),
    );
}
