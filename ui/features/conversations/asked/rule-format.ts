import type { PermissionRule, RuleOffer, RuleScope } from '../../../../daemon/contract/permissions.js';

/** Formats what a rule allows, as the end of "always allow ...". */
export function formatRule({ match, value }: RuleOffer): string {
  switch (match) {
    case 'command':
      return `exactly ${value}`;
    case 'command_prefix':
      return `commands that begin with ${value}`;
    case 'file':
      return `changes of ${value}`;
    case 'folder':
      return value === '' ? 'changes of any file of the project' : `changes below ${value}/`;
    case 'origin':
      return value;
    case 'tool':
      return `every use of ${value}`;
  }
}

/** Formats where a rule holds. `who` is the member's name. */
export const formatScope = (scope: RuleScope, who: string): string =>
  scope === 'member' ? `in all conversations of ${who}` : 'in this conversation';

export function formatUses({ uses }: Pick<PermissionRule, 'uses'>): string {
  if (uses === 0) return 'not used yet';
  return uses === 1 ? 'used once' : `used ${uses} times`;
}
