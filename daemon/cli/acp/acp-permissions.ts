import type { PermissionOption } from '@agentclientprotocol/sdk';
import type { DecidePermission, Permission } from '../../contract/conversations.js';
import type { RuleOffer, RuleScope } from '../../contract/permissions.js';

/** A choice of a permission request, and what it decides. */
interface Choice {
  option: PermissionOption;
  decision: DecidePermission;
}

const WHAT: Readonly<Record<RuleOffer['match'], (value: string) => string>> = {
  command: () => 'this command',
  command_prefix: (value) => `commands that begin with “${value}”`,
  file: (value) => `changes of ${value}`,
  folder: (value) => (value === '' ? 'changes in this project' : `changes below ${value}`),
  origin: (value) => value,
  tool: (value) => `every use of ${value}`,
};
const WHERE: Readonly<Record<RuleScope, string>> = {
  conversation: 'in this conversation',
  member: 'for this member',
};
const LABEL_MAX_CHARS = 120;

function label(offer: RuleOffer, scope: RuleScope): string {
  const what = WHAT[offer.match](offer.value).replaceAll(/\s+/g, ' ');
  const short = what.length > LABEL_MAX_CHARS ? `${what.slice(0, LABEL_MAX_CHARS)}…` : what;
  return `Always allow ${short} ${WHERE[scope]}`;
}

/** The choices of a permission request: once, the rules that it offers, the narrowest first, and deny. */
export function listChoices({ always, scopes }: Permission): Choice[] {
  const rules = scopes.flatMap((scope) =>
    always.map(
      (offer, index): Choice => ({
        option: { optionId: `always:${scope}:${index}`, name: label(offer, scope), kind: 'allow_always' },
        decision: { decision: 'allow_always', always: { match: offer.match, value: offer.value, scope } },
      }),
    ),
  );
  return [
    { option: { optionId: 'allow', name: 'Allow once', kind: 'allow_once' }, decision: { decision: 'allow_once' } },
    ...rules,
    { option: { optionId: 'deny', name: 'Deny', kind: 'reject_once' }, decision: { decision: 'deny' } },
  ];
}
