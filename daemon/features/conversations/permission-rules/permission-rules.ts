import type { Permission } from '../../../contract/conversations.js';
import type { NewRule, PermissionRule, PermissionRuleList } from '../../../contract/permissions.js';
import type { Bus } from '../../../events/bus.js';
import { MeshError } from '../../../lib/errors.js';
import { newRuleId } from '../../../lib/ids.js';
import type { Clock } from '../../../lib/time/clock.js';
import type { Transaction, Transactions } from '../../../storage/database/transaction.js';
import type { PermissionQuestion } from '../../clients/client.js';
import { formatTitle } from '../conversation-title.js';
import type { TurnRow } from '../turns-store.js';
import { isCovered } from './rule-match.js';
import type { RulesStore } from './rules-store.js';

interface RulesParts {
  transactions: Transactions;
  store: RulesStore;
  findMember: (conv: string) => string | null;
  bus: Bus;
  clock: Clock;
}

/**
 * What the operator always allows. Only the operator makes rules, each from a request that it covers, and each is listed
 * until it is taken back or its conversation or member is removed. Rules are neither made nor applied in turns for other
 * programs: what the operator allows there is allowed once.
 */
export class PermissionRules {
  constructor(private readonly parts: RulesParts) {}

  list(): PermissionRuleList {
    const rules = this.parts.store.list().map(withTitle);
    return { rules, count: rules.length };
  }

  /** Returns the rule that allows the request, if there is one. No rule holds in a turn for another program. */
  findFor({ conv, profile }: TurnRow, question: PermissionQuestion): string | undefined {
    if (profile === 'outside') return undefined;
    const { store, findMember } = this.parts;
    return store.listFor(conv, findMember(conv)).find((rule) => isCovered(rule, question))?.rule;
  }

  putUse(transaction: Transaction, rule: string): void {
    this.parts.store.putUse(transaction, rule, this.parts.clock.now());
  }

  /**
   * Makes the rule of an `allow_always`: `chosen`, or the narrowest one that the request offers. Throws `bad_request`
   * for a rule or scope that the request does not offer. Without any offer there is no rule.
   */
  prepare(permission: Permission, chosen: NewRule | undefined): ((transaction: Transaction) => void) | undefined {
    const { store, findMember, clock } = this.parts;
    const { conv, tool, always, scopes } = permission;
    const [narrowest] = always;
    const offer = chosen
      ? always.find(({ match, value }) => match === chosen.match && value === chosen.value)
      : narrowest;
    if (chosen && !offer)
      throw notOffered('always.value', `\`${chosen.value}\` is not a rule that this question offers.`);
    if (!offer) return undefined;
    const scope = chosen?.scope ?? 'conversation';
    if (!scopes.includes(scope))
      throw notOffered('always.scope', 'A rule for this question holds in its conversation only.');
    const member = scope === 'member' ? findMember(conv) : null;
    return (transaction) =>
      store.put(transaction, {
        rule: newRuleId(),
        ...{ ...offer, tool, conv, member },
        created_ms: clock.now(),
      });
  }

  /** Takes a rule back; durable when it resolves. Throws `not_found`. Publishes `conversation.updated`. */
  async remove(rule: string): Promise<PermissionRule> {
    const { transactions, store, bus } = this.parts;
    return transactions.run((transaction) => {
      const found = store.find(rule);
      if (!found) throw new MeshError('not_found', `There is no rule \`${rule}\`: it was taken back, or mistyped.`);
      store.remove(transaction, rule);
      transaction.afterCommit(() => bus.publish('conversation.updated', { conv: found.conv }));
      return withTitle(found);
    });
  }

  /** Must be called with all members. Removes the rules of those that were removed while no daemon was running. */
  async start(members: readonly string[]): Promise<void> {
    // Without any, the roster may be off.
    if (members.length === 0) return;
    const gone = this.parts.store.listMembers().filter((member) => !members.includes(member));
    for (const member of gone) await this.memberGone(member);
  }

  /** Removes the rules of a removed member, so that a later member of this id does not inherit them. */
  async memberGone(member: string): Promise<void> {
    await this.parts.transactions.run((transaction) => this.parts.store.removeOfMember(transaction, member));
  }
}

const withTitle = (rule: PermissionRule): PermissionRule => ({ ...rule, title: formatTitle(rule) });

const notOffered = (path: string, message: string) => new MeshError('bad_request', message, { details: { path } });
