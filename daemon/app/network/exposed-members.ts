import type { AskRecord, Caller } from '../../contract/asks.js';
import {
  NETWORK_CARD_TEXT_MAX,
  type NetworkAnswer,
  type NetworkCard,
  type NetworkCitation,
} from '../../contract/shared/network-asks.js';
import type { Bus } from '../../events/bus.js';
import { taskNews } from '../../features/a2a/task-news.js';
import type { AgentHost } from '../../features/agent-host/agent-host.js';
import type { Asks } from '../../features/asks/asks.js';
import type { Exposure } from '../../features/exposure/exposure.js';
import type { AskEnd, AskingDaemon, ReachableMembers } from '../../features/network/asks/reachable-members.js';
import type { SharedMembers } from '../../features/network/asks/shared-members.js';
import type { Network } from '../../features/network/network.js';
import { isPaidRow } from '../../lib/agents/pricing-rules.js';
import { MeshError } from '../../lib/errors.js';
import type { TeamArea } from '../compose-team.js';

interface ExposedMembersParts {
  asks: Asks;
  host: Pick<AgentHost, 'agent'>;
  exposure: Pick<Exposure, 'external'>;
  bus: Bus;
}

/** The start of a text, at most as long as a card's, to the end of a word. */
function shorten(text: string): string {
  if (text.length <= NETWORK_CARD_TEXT_MAX) return text;
  const cut = text.slice(0, NETWORK_CARD_TEXT_MAX - 1);
  // Not between the halves of a character.
  return `${(/^(.*)\s/s.exec(cut)?.[1] ?? cut.replace(/[\ud800-\udbff]$/, '')).trimEnd()}…`;
}

const toCaller = ({ id, name }: AskingDaemon): Caller => ({
  user_agent: `daemon ${name}`,
  idempotency_key: null,
  daemon: id,
});

const toCitation = ({
  path,
  start_line,
  end_line,
  commit,
  sha256,
  quote,
  status,
}: NetworkCitation): NetworkCitation => ({
  ...{ path, start_line, end_line, commit, sha256, quote, status },
});

function toEnd(record: AskRecord): AskEnd {
  const { result_text = '', citations = [], confidence, total, client, model, receipt, error } = record;
  if (error) return { error };
  const answer: NetworkAnswer = {
    ...{ result_text, client, model },
    citations: citations.filter(({ status }) => status !== 'dropped').map(toCitation),
    ...(confidence === undefined ? {} : { confidence }),
    ...(total === undefined ? {} : { total }),
    ...(receipt === undefined ? {} : { receipt }),
  };
  return { answer };
}

/** The exposed members as the network reaches them, with the same limits as for programs of this machine. */
class ExposedMembers implements ReachableMembers {
  constructor(private readonly parts: ExposedMembersParts) {}

  findCard(member: string): NetworkCard | undefined {
    const { exposure } = this.parts;
    const found = exposure.external(member);
    if (!found) return undefined;
    const price = this.findPrice(member);
    return {
      member,
      name: found.name,
      description: shorten(found.description),
      ...(price && { price }),
    };
  }

  requireShareable(member: string): void {
    const found = this.parts.exposure.external(member);
    if (!found)
      throw new MeshError(
        'not_exposed',
        `Programs may not ask a member "${member.slice(0, 64)}": expose it first (meshd team expose).`,
      );
    if (found.kind === 'singleton')
      throw new MeshError(
        'forbidden',
        `${member} answers everybody in one conversation, so daemons would learn what others asked: share a profile.`,
      );
  }

  async accept(member: string, question: { text: string; session?: string }, asking: AskingDaemon): Promise<string> {
    const { asks, host } = this.parts;
    const agent = host.agent(member);
    this.requireShareable(member);
    if (this.findPrice(member))
      throw new MeshError(
        'payment_required',
        'The member has a price, and members with a price are not asked over the network.',
      );
    agent.admitCall('ask', `daemon ${asking.id}`);
    return (await asks.acceptAsk(member, question, toCaller(asking))).request_id;
  }

  async *follow(member: string, requestId: string, signal: AbortSignal): ReturnType<ReachableMembers['follow']> {
    const { asks, bus } = this.parts;
    for await (const news of taskNews({ asks, bus }, member, requestId, signal)) {
      if (news.kind === 'text') yield { kind: 'delta', text: news.text };
      else if (news.ask.status !== 'done' && news.ask.status !== 'error')
        yield { kind: 'state', status: news.ask.status };
    }
  }

  async read(member: string, requestId: string): ReturnType<ReachableMembers['read']> {
    const record = await this.parts.asks.getRecord(member, requestId);
    const { status, queue_position } = record;
    if (status === 'done' || status === 'error') return toEnd(await this.parts.asks.read(member, requestId));
    return { kind: 'state', status, ...(queue_position === undefined ? {} : { queue_position }) };
  }

  async cancel(member: string, requestId: string): Promise<void> {
    await this.parts.asks.cancelAsk(member, requestId);
  }

  private findPrice(member: string): NetworkCard['price'] {
    const rows = this.parts.host.agent(member).spec.skills.flatMap(({ prices }) => prices);
    const paid = rows.find(isPaidRow);
    return paid && { amount: paid.amount, currency: paid.currency, unit: paid.unit };
  }
}

/** Lets daemons of the network ask the members that the operator shares, until they are exposed no more. */
export function shareMembers(
  { network, members }: { network: Pick<Network, 'frames'>; members: SharedMembers },
  { team: { team, exposure }, ...parts }: Omit<ExposedMembersParts, 'exposure'> & { team: TeamArea },
): void {
  members.setReachable(new ExposedMembers({ ...parts, exposure }), () => network.frames.announce());
  team.onExposureChanged(async (id, is) => (is === 'internal' ? members.forget(id) : undefined));
  team.onChanged(async (id) => members.refresh(id));
  team.onRemoved(async (id) => members.refresh(id));
  team.onGone((id) => members.forget(id));
}
