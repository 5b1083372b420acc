import { LOCAL_NETWORK } from '../../contract/payments.js';
import { tier2Url } from '../../lib/agents/tier2-url.js';
import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import { withoutTrailingSlashes } from '../../lib/text/trailing-slashes.js';
import type { Chains } from '../chains/chain.js';
import { CallError } from './call-failure.js';
import type { CallRow } from './calls-store.js';
import type { FoundAgent, PayingParts } from './paying-ports.js';
import { cardIn, findOffer, highestPrice, type SkillOffer, withLocalNetwork } from './terms/skill-offer.js';

const CARD_SUFFIX = /\/\.well-known\/agent(?:-card)?\.json$/;

/** A call whose endpoint and price are known. */
export interface Prepared {
  call: CallRow;
  offer: SkillOffer;
  endpoint: string;
}

/** Returns the networks that can be paid on; the local network, which has no real money, comes first. */
function listNetworks(chains: Pick<Chains, 'list'>): readonly string[] {
  return [...chains.list()].sort((a, b) => Number(b === LOCAL_NETWORK) - Number(a === LOCAL_NETWORK));
}

/** Returns the networks on which `offer` can be paid, in the same order. */
export function listNetworksFor({ localNetwork }: SkillOffer, chains: Pick<Chains, 'list'>): readonly string[] {
  return listNetworks(chains).flatMap((network) => (network === LOCAL_NETWORK ? (localNetwork ?? []) : network));
}

/** Finds agents by id or address, and reads the terms of a call from their cards. Spec: What the service does, 3. */
export class AgentLookup {
  constructor(
    private readonly parts: Pick<PayingParts, 'directory' | 'readCard' | 'chains' | 'journal' | 'deposits'>,
  ) {}

  /**
   * Returns what `call` calls and what it costs. Throws `agent_not_found`, `unreachable`, `bad_card`, `skill_not_found`
   * `unknown_network`, and `network_unavailable` when the agent's local network gives no answer.
   */
  async prepare(call: CallRow): Promise<Prepared> {
    const found = await this.found(call);
    const url = tier2Url(found.endpoint);
    if (url === undefined)
      throw new CallError('agent_not_found', `"${found.endpoint}" is no address that an agent can be called at.`);
    let served: unknown;
    try {
      served = await this.parts.readCard(url);
    } catch (error) {
      throw new CallError('unreachable', `Its card at ${url} cannot be read: ${getErrorMessage(error)}`);
    }
    const tier = call.input?.['tier'];
    const offer = await this.placed(
      findOffer(cardIn(served), found.endpoint, call.skill, typeof tier === 'string' ? tier : undefined),
      found,
    );
    const cost = highestPrice(offer);
    const networks = listNetworksFor(offer, this.parts.chains);
    if (cost > 0 && !offer.prices.some(({ network }) => networks.includes(network))) {
      const asked = [...new Set(offer.prices.map(({ network }) => network))].join(', ');
      throw new CallError('unknown_network', `Its card has prices on ${asked} only, which this side cannot pay on.`);
    }
    if (cost > 0 && found.localNetwork) await this.moved(found, offer);
    return {
      call: await this.parts.journal.found(call, found.agent_id, found.endpoint),
      offer,
      endpoint: found.endpoint,
    };
  }

  /** Returns `offer` with the local network of the agent under its name here. */
  private async placed(offer: SkillOffer, { localNetwork }: FoundAgent): Promise<SkillOffer> {
    const isLocal = offer.prices.some(({ network }) => network === LOCAL_NETWORK);
    return isLocal && localNetwork ? withLocalNetwork(offer, await localNetwork()) : offer;
  }

  /** Recognizes what is open with a member of another project that had another port before. */
  private async moved({ agent_id: agent, endpoint }: FoundAgent, { localNetwork }: SkillOffer): Promise<void> {
    const place = { agent, endpoint, network: localNetwork === LOCAL_NETWORK ? null : localNetwork };
    await this.parts.journal.moved(place);
    await this.parts.deposits.moved(place);
  }

  private async found(call: CallRow): Promise<FoundAgent> {
    const { directory } = this.parts;
    if (URL.canParse(call.agent)) {
      const url = new URL(call.agent);
      url.hash = '';
      const endpoint = withoutTrailingSlashes(url.href.replace(CARD_SUFFIX, ''));
      return (await directory.findByEndpoint(endpoint)) ?? { agent_id: null, endpoint };
    }
    const found = await directory.find(call.agent).catch((error: unknown) => {
      throw isMeshError(error) ? new CallError('agent_not_found', error.message) : error;
    });
    if (!found)
      throw new CallError(
        'agent_not_found',
        `No agent "${call.agent}" with an endpoint is registered: give its id, or its address.`,
      );
    return { ...found, endpoint: withoutTrailingSlashes(found.endpoint) };
  }
}
