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

/** Sorts the card with the most keys first: a card of the record says less than one that was published. */
const byFewerKeys = (a: object, b: object) => Object.keys(b).length - Object.keys(a).length;

export function addCard(program: Command, terminal: Terminal): void {
  program
    .command('card')
    .summary('print the card of a member or an agent')
    .description(
      'Print, as JSON, the public card by which other agents find and call an exposed member; for any other ' +
        'agent its discovery card on the hub or on the unified API, whichever says more. An agent that has published ' +
        'none has one of its record.',
    )
    .argument('<member|agent>')
    .addHelpText('after', examples('meshd card consultant', "meshd card painter | jq '.pricing'"))
    .action(
      action<object, [string]>(terminal, async ({ root }, id) => {
        const { client } = await getDaemon(root);
        const card = await findPublicCard(client, id);
        if (card) return terminal.object(card);
        const { hub, v1 } = await lookUp(client, id);
        const [shown] = [hub?.agent_card, v1?.agent_card].flatMap((one) => one ?? []).sort(byFewerKeys);
        if (!shown)
          throw new CommandError(EXIT.notFound, `There is no exposed member and no agent ${id}.`, 'not_found');
        terminal.object(shown);
        const { endpoint } = shown;
        const whole = endpoint ? `; the full one is at ${withoutTrailingSlashes(endpoint)}/.well-known/agent.json` : '';
        terminal.note(printable(`This is its discovery card${whole}.`));
      }),
    );
}
