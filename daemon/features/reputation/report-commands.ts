import { FileReport } from '../../contract/commands/reputation.js';
import type { Proof, ReportBody } from '../../contract/network/reputation.js';
import { REPORT_BODY_LIMIT, UNBOUND_REPORTS_DAYS, UNBOUND_REPORTS_MAX } from '../../contract/network/reputation.js';
import { LOCAL_NETWORK } from '../../contract/payments.js';
import { agentKey } from '../../lib/agents/agent-id.js';
import { isLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { checkMeshSig } from '../../lib/crypto/mesh-sig.js';
import { verifyReceipt } from '../../lib/crypto/receipt.js';
import { MeshError } from '../../lib/errors.js';
import { type CommandKind, commandKind } from '../../shared-log/command-kinds.js';
import type { Owners } from '../../shared-log/owners.js';
import type { Command } from '../../shared-log/shared-log.js';
import { computeDims } from './report-dims.js';
import { isAbout, parseReport } from './report-log.js';
import { type ReputationStore, reportScope } from './reputation-store.js';

/** What both directories say of agents. Reads only shared tables, in the transaction that is open. */
export interface ReportedAgents {
  /** The id, as registered, of an agent that is registered on either surface. */
  findAgent(agentId: string): string | undefined;
  /** The agent to which a key is currently bound. */
  agentOfKey(pubkey: string): string | undefined;
}

/** A report that is in the log. */
export interface FiledReport {
  agent_id: string;
  report: number;
  /** False for a repeat, which filed nothing. */
  isNew: boolean;
}

type ProofOf = FileReport['proofs'][number];

const UNBOUND_SECONDS = UNBOUND_REPORTS_DAYS * 86_400;
const SURFACES = ['hub', 'registry'] as const;

export const notRegistered = () => new MeshError('not_found', 'There is no such agent.');
export const tooLarge = () =>
  new MeshError('too_large', `A report is at most ${REPORT_BODY_LIMIT} bytes: all of it stands in the public log.`);
export const selfReport = () =>
  new MeshError('self_report', 'Nobody reports about themselves: this key is the supplier’s own.');

const tooManyUnbound = () =>
  new MeshError(
    'overloaded',
    `Within ${UNBOUND_REPORTS_DAYS} days at most ${UNBOUND_REPORTS_MAX} reports about an agent are taken of keys ` +
      'that no agent has bound. Bind this key to an agent, or show a receipt.',
  );

/** A local network has two names, under which one transfer counts once. */
const toShortName = (network: string) => (isLocalNetworkName(network) ? LOCAL_NETWORK : network);

/** The proof of a report under the name by which it counts once. Undefined when the report does not hold it. */
function nameProof(proof: ProofOf, { receipt, payment }: ReportBody, daemonKey: string): string | undefined {
  if (proof === 'payment') return payment && `payment ${toShortName(payment.network)} ${payment.signature}`;
  const { valid, pubkey } = verifyReceipt(receipt);
  return valid && pubkey === daemonKey ? `receipt ${pubkey} ${receipt?.request_id}` : undefined;
}

/**
 * Decides about reports. Every daemon verifies the reporter's signature again. What only the sender can know is whether
 * a proof is true. It is believed in the score when the sender hosts the agent: nobody else can tell which agent a
 * receipt or a payment is about. A daemon could still make any number of proofs for its own agents, so credit rests on
 * those alone that the daemon which gives it has sent itself.
 */
export class ReportCommands {
  constructor(
    private readonly store: ReputationStore,
    private readonly owners: Owners,
    private readonly agents: ReportedAgents,
  ) {}

  get kinds(): Readonly<Record<string, CommandKind>> {
    return {
      'reputation.file': commandKind(FileReport, (body, command) => this.file(body, command), {
        // What an agent signs is sent by its own daemon, which knows its calls.
        requires: ({ signature }) => {
          const reporter = this.agents.agentOfKey(signature.pubkey);
          return reporter === undefined ? [] : [{ area: 'registry', id: agentKey(reporter) }];
        },
      }),
    };
  }

  /**
   * Deletes the reports about an agent that neither surface lists any longer. Must be called by the deciders that
   * remove agents, so that a later owner of the id inherits nothing on any replica.
   */
  agentGone(agentId: string): void {
    if (this.agents.findAgent(agentId) === undefined) this.store.forget(agentId);
  }

  private file({ request, signature, proofs, key }: FileReport, command: Command): FiledReport {
    const { pubkey, nonce } = signature;
    const supplier = this.agents.findAgent(command.entity);
    if (supplier === undefined) throw notRegistered();
    if (Buffer.byteLength(request.body) > REPORT_BODY_LIMIT) throw tooLarge();
    checkMeshSig(signature, request, command.at);
    const report = isAbout(supplier, request) ? parseReport(request.body) : undefined;
    if (!report) throw new MeshError('bad_request', 'What was signed is no report about this agent.');
    const reporter = this.agents.agentOfKey(pubkey);
    const hosts = this.listHosts(supplier);
    if (isSame(reporter, supplier) || this.isKeyOfOther(hosts, pubkey, command)) throw selfReport();
    const dims = computeDims(report);
    let isNew = false;
    const scoped = key === null ? undefined : { ...key, scope: reportScope(supplier, pubkey) };
    const filed = this.store.once(scoped, command.at, () => {
      if (this.store.hasNonce(supplier, pubkey, nonce))
        throw new MeshError('bad_signature', 'This nonce was used before: sign every request with a fresh one.');
      isNew = true;
      const seen = this.findProof(proofs, report, command);
      const known: Proof = reporter === undefined ? 'unbound' : 'bound';
      const row = {
        ...{
          ...request,
          ...signature,
          agent_id: supplier,
          reporter: pubkey,
          reporter_agent_id: reporter ?? null,
          dims,
        },
        proof: seen && hosts.every((host) => host === command.daemon) ? seen.proof : known,
        filed_at: Math.floor(command.at / 1000),
      };
      const { daemon } = command;
      if (row.proof === 'unbound') this.requireFew(supplier, daemon, row.filed_at);
      return { report: this.store.insert(row, { daemon, seen: seen?.proof ?? null, key: seen?.name ?? null }) };
    });
    return { agent_id: supplier, report: filed.report, isNew };
  }

  private requireFew(supplier: string, daemon: string, filedAt: number): void {
    if (this.store.countUnbound(supplier, daemon, filedAt - UNBOUND_SECONDS) >= UNBOUND_REPORTS_MAX)
      throw tooManyUnbound();
  }

  /** The first proof of which no earlier report of the same sender has made use. */
  private findProof(proofs: readonly ProofOf[], report: ReportBody, { daemon }: Command) {
    for (const proof of proofs) {
      const name = nameProof(proof, report, this.owners.keyOf(daemon));
      if (name !== undefined && !this.store.isSpent(daemon, name)) return { proof, name };
    }
    return undefined;
  }

  /** The daemons with which the agent is registered; none without a network. */
  private listHosts(agentId: string): string[] {
    return SURFACES.flatMap((area) => this.owners.find({ area, id: agentKey(agentId) }) ?? []);
  }

  /**
   * Whether a key is that of a daemon which hosts the agent and did not send the report itself. The host alone knows
   * which of its agents are its members, and reports about the others.
   */
  private isKeyOfOther(hosts: readonly string[], pubkey: string, { daemon }: Command): boolean {
    return hosts.some((host) => host !== daemon && this.owners.keyOf(host) === pubkey);
  }
}

const isSame = (one: string | undefined, other: string) => one !== undefined && agentKey(one) === agentKey(other);
