import type { Command } from 'commander';
import type { MemberDetail, TokenRotated } from '../contract/team.js';
import { action, examples } from './action.js';
import { memberPath, reportMember, tokenOf } from './member.js';
import { getDaemon } from './project.js';
import type { Terminal } from './terminal.js';

export function addToken(program: Command, terminal: Terminal): void {
  const token = program
    .command('token')
    .summary('tokens with which other programs ask members')
    .description('The tokens with which other programs ask exposed members.');

  token
    .command('show')
    .summary('print a member’s token')
    .description('Print a member’s token, alone on stdout.')
    .argument('<member>')
    .addHelpText('after', examples('export MEMBER_TOKEN="$(meshd token show consultant)"'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const secret = tokenOf(await client.get<MemberDetail>(memberPath(id)));
        if (json) terminal.object({ id, token: secret });
        else terminal.answer(secret);
      }),
    );

  token
    .command('rotate')
    .summary('replace a member’s token')
    .description('Replace a member’s token and print the new one. The old one stops working at once.')
    .argument('<member>')
    .addHelpText('after', examples('meshd token rotate consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const rotated = await client.send<TokenRotated>('POST', `${memberPath(id)}/token/rotate`);
        terminal.note('The old token stopped working now.');
        if (json) terminal.object(rotated);
        else terminal.answer(rotated.token);
      }),
    );

  token
    .command('revoke')
    .summary('take a member’s token away')
    .description('Take a member’s token away: the member becomes internal.')
    .argument('<member>')
    .addHelpText('after', examples('meshd token revoke consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const member = await client.send<MemberDetail>('PATCH', memberPath(id), { body: { exposure: 'internal' } });
        reportMember(terminal, member, json, `${id} is internal: its token is dead.`);
      }),
    );
}
