import type { Command } from 'commander';
import type { MemberDetail, MemberList, TokenRotated } from '../../contract/team.js';
import { action, examples } from '../action.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { memberPath, reportMember, requireToken } from '../team/member.js';
import type { Terminal } from '../terminal.js';

/**
 * Rotates the token of every exposed member. Stops at the first error, with the tokens rotated until then: printed, or
 * with `--json` in the object of the failure.
 */
async function rotateAll(client: HttpClient, terminal: Terminal, json: boolean | undefined): Promise<void> {
  const { members } = await client.get<MemberList>('/team');
  const rotated: TokenRotated[] = [];
  const print = () => {
    if (rotated.length > 0) terminal.note('The old tokens stopped working now.');
    for (const { id, token } of rotated) terminal.answer(`${id}\t${token}`);
  };
  try {
    for (const { id, token_last4 } of members)
      if (token_last4 !== undefined)
        rotated.push(await client.send<TokenRotated>('POST', `${memberPath(id)}/token/rotate`));
  } catch (error) {
    if (json && error instanceof CommandError)
      throw new CommandError(error.exit, error.message, error.code, { ...error.details, rotated });
    print();
    throw error;
  }
  if (json) terminal.object({ rotated });
  else print();
}

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
        const secret = requireToken(await client.get<MemberDetail>(memberPath(id)));
        if (json) terminal.object({ id, token: secret });
        else terminal.answer(secret);
      }),
    );

  token
    .command('rotate')
    .summary('replace a member’s token, or all of them')
    .description(
      'Replace a member’s token and print the new one. The old one stops working at once. With --all every ' +
        'exposed member gets a new one.',
    )
    .argument('[member]')
    .option('--all', 'the tokens of all exposed members')
    .addHelpText('after', examples('meshd token rotate consultant', 'meshd token rotate --all'))
    .action(
      action<{ all?: boolean }, [string | undefined]>(terminal, async ({ root, json, all }, id) => {
        if ((id === undefined) === (all === undefined))
          throw new CommandError(EXIT.usage, 'Name a member, or give --all.', 'usage');
        const { client } = await getDaemon(root);
        if (id === undefined) return rotateAll(client, terminal, json);
        const rotated = await client.send<TokenRotated>('POST', `${memberPath(id)}/token/rotate`);
        terminal.note('The old token stopped working now.');
        if (json) terminal.object(rotated);
        else terminal.answer(rotated.token);
      }),
    );

  token
    .command('revoke')
    .summary('revoke a member’s token')
    .description('Revoke a member’s token: the member becomes internal.')
    .argument('<member>')
    .addHelpText('after', examples('meshd token revoke consultant'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, id) => {
        const { client } = await getDaemon(root);
        const member = await client.send<MemberDetail>('PATCH', memberPath(id), { body: { exposure: 'internal' } });
        reportMember(terminal, member, json, `${id} is internal: its token no longer works.`);
      }),
    );
}
