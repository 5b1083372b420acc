import { isMeshError, messageOf } from '../../lib/errors.js';
import { AgentLookup } from './agent-lookup.js';
import { CallFailure, isAgentsFault } from './call-failure.js';
import type { CallRow } from './calls-store.js';
import { Deposits } from './deposits.js';
import { type PayingParts, Stopped } from './paying-ports.js';
import { PaymentModes } from './payment-modes.js';
import { NeverSent, Transfers } from './transfers.js';

/** How a run of a call ended: for good, or before the operator. */
export type Outcome = 'done' | 'failed' | 'waiting';

/**
 * Calls an agent's skill and pays for it as its card says, never more: finds the agent, reads its card, calls, answers a 402 with a payment under the
 * caps, and keeps the answer and files a report. Each step is in the journal before the next one begins, so a call that was cut off goes on from there:
 * a transfer that was signed is the only one that is ever sent for it, and a proof is shown until it is taken. Spec: Payment request states.
 */
export class PayingClient {
  private readonly transfers: Transfers;
  private readonly deposits: Deposits;
  private readonly lookup: AgentLookup;
  private readonly modes: PaymentModes;

  constructor(private readonly parts: PayingParts) {
    this.transfers = new Transfers(parts);
    this.deposits = new Deposits(parts, this.transfers);
    this.lookup = new AgentLookup(parts);
    this.modes = new PaymentModes(parts, this.transfers, this.deposits);
  }

  /** Carries a call on from where its record stands. Throws Stopped when `signal` fired: its record stands for the next start. */
  async carryOn(callId: string, signal: AbortSignal): Promise<Outcome> {
    const call = this.parts.journal.find(callId);
    if (!call || call.state === 'done' || call.state === 'failed') return call?.state === 'done' ? 'done' : 'failed';
    try {
      const answered = call.answered_ms === null ? await this.run(call, signal) : call;
      if (answered === undefined) return 'waiting';
      await this.parts.journal.done(answered, await this.report(answered, undefined, signal));
      return 'done';
    } catch (error) {
      // What comes of being stopped is no verdict on the call.
      if (error instanceof Stopped || signal.aborted) throw error instanceof Stopped ? error : new Stopped('Stopped.');
      const failure = failureOf(error);
      const last = this.parts.journal.find(callId) ?? call;
      await this.parts.journal.failed(last, failure, await this.report(last, failure, signal));
      return 'failed';
    }
  }

  /** The call with its answer, or undefined when it waits for the operator. */
  private async run(call: CallRow, signal: AbortSignal): Promise<CallRow | undefined> {
    const goOn = await this.takenUp(call, signal);
    if (goOn.answered) return goOn.answered;
    const prepared = await this.lookup.prepare(this.parts.journal.find(call.call_id) ?? call);
    return this.modes.carryOut(prepared, signal);
  }

  /** Goes on with what an earlier run has written down: with a signed transfer first of all. */
  private async takenUp(call: CallRow, signal: AbortSignal): Promise<{ answered?: CallRow }> {
    const { journal } = this.parts;
    if (call.is_committed) {
      throw new CallFailure(
        'interrupted',
        'The program ended while the agent was answering. Whether it carried the call out, and took a price, is not known.',
      );
    }
    for (const row of journal.payments(call.call_id)) {
      const isOpen = row.state === 'challenged' || row.state === 'paid';
      if (!isOpen) continue;
      try {
        if (row.signature === null) await journal.release(row, 'expired', 'cut off before it was signed');
        else if (row.kind === 'topup') await this.deposits.finish(row, signal);
        else return { answered: await this.modes.delivered(call, await this.transfers.finish(row, signal), signal) };
      } catch (error) {
        if (!(error instanceof NeverSent)) throw error;
        await journal.release(error.row, 'expired', 'cut off before it was sent');
      }
    }
    return {};
  }

  /** What the bureau says of this call's report; null when none is filed. */
  private async report(call: CallRow, failure: CallFailure | undefined, signal: AbortSignal): Promise<unknown> {
    const { fileReport } = this.parts;
    const isDue = call.wants_report && call.agent_id !== null && (failure === undefined || isAgentsFault(failure.code));
    if (!fileReport || !isDue) return null;
    const isPaid = call.signature !== null || call.mode === 'deposit';
    const outcome = {
      success: failure === undefined,
      ...(call.latency_ms === null ? {} : { latency_ms: call.latency_ms }),
      ...(isPaid ? { paid: true } : {}),
      capability: call.skill,
      ...(call.signature === null || call.network === null
        ? {}
        : { payment: { network: call.network, signature: call.signature } }),
    };
    return fileReport(call.agent_id as string, outcome, call.call_id, signal);
  }
}

function failureOf(error: unknown): CallFailure {
  if (error instanceof CallFailure) return error;
  if (isMeshError(error, 'overloaded')) return new CallFailure('network_unreachable', error.message);
  if (isMeshError(error, 'forbidden') || isMeshError(error, 'store_readonly') || isMeshError(error, 'no_space')) {
    return new CallFailure('interrupted', error.message);
  }
  return new CallFailure('interrupted', `The call could not be carried on: ${messageOf(error)}`);
}
