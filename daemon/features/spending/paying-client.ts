import { getErrorMessage, isMeshError } from '../../lib/errors.js';
import { AgentLookup } from './agent-lookup.js';
import { CallError, isAgentsFault, keepsPayment } from './call-failure.js';
import type { CallRow } from './calls-store.js';
import { Deposits } from './deposits.js';
import { type PayingParts, StoppedError } from './paying-ports.js';
import { PaymentModes } from './payment-modes.js';
import { NotSentError, Transfers } from './transfers.js';

/** How a run of a call ended: finally, or waiting for the operator. */
type Outcome = 'done' | 'failed' | 'waiting';

/**
 * Calls a skill of an agent and pays at most what its card says: finds the agent, reads its card, calls, pays a 402
 * under the caps, stores the result and files a report. Each step is journaled before the next one begins, so that an
 * interrupted call resumes from there: only one signed transfer is ever sent for it, and its proof is presented until
 * it is accepted. Spec: Payment request states.
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

  /**
   * Runs a call from its recorded step. Throws Stopped when `signal` fired; the call then resumes at the next start.
   */
  async resumeCall(callId: string, signal: AbortSignal): Promise<Outcome> {
    const call = this.parts.journal.find(callId);
    if (!call || call.state === 'done' || call.state === 'failed') return call?.state === 'done' ? 'done' : 'failed';
    try {
      const answered = call.answered_ms === null ? await this.run(call, signal) : call;
      if (answered === undefined) return 'waiting';
      await this.parts.journal.done(answered, await this.report(answered, undefined, signal));
      return 'done';
    } catch (error) {
      // An abort is not a failure of the call.
      if (signal.aborted) throw new StoppedError('Stopped.');
      const failure = toFailure(error);
      const last = this.parts.journal.find(callId) ?? call;
      await this.parts.journal.failed(last, failure, await this.report(last, failure, signal));
      return 'failed';
    }
  }

  /** Returns the answered call, or undefined when it waits for the operator. */
  private async run(call: CallRow, signal: AbortSignal): Promise<CallRow | undefined> {
    const goOn = await this.takenUp(call, signal);
    if (goOn.answered) return goOn.answered;
    const prepared = await this.lookup.prepare(this.parts.journal.find(call.call_id) ?? call);
    return this.modes.carryOut(prepared, signal);
  }

  /** Resumes what a previous process recorded, signed transfers first. */
  private async takenUp(call: CallRow, signal: AbortSignal): Promise<{ answered?: CallRow }> {
    const { journal } = this.parts;
    if (call.is_committed) {
      if (call.agent_url !== null) await this.deposits.refresh(call.agent_url, signal);
      throw new CallError(
        'interrupted',
        'The program ended while the agent was answering. Whether it carried the call out, and took a price, ' +
          'is not known.',
      );
    }
    for (const row of journal.payments(call.call_id)) {
      if (row.state !== 'challenged' && row.state !== 'paid') continue;
      try {
        if (row.signature === null) await journal.release(row, 'expired', 'cut off before it was signed');
        else if (row.kind === 'topup') await this.deposits.finish(row, signal);
        else return { answered: await this.modes.delivered(call, await this.transfers.finish(row, signal), signal) };
      } catch (error) {
        if (!(error instanceof NotSentError)) throw error;
        await journal.release(error.row, 'expired', 'cut off before it was sent');
      }
    }
    return {};
  }

  /** Files a report and returns the response of the bureau; null when no report is due. */
  private async report(call: CallRow, failure: CallError | undefined, signal: AbortSignal): Promise<unknown> {
    const { fileReport } = this.parts;
    const isDue = call.wants_report && call.agent_id !== null && (failure === undefined || isAgentsFault(failure.code));
    if (!fileReport || !isDue) return null;
    const isPaid =
      failure === undefined ? call.signature !== null || call.mode === 'deposit' : keepsPayment(failure.code);
    const outcome = {
      success: failure === undefined,
      ...(call.latency_ms === null ? {} : { latency_ms: call.latency_ms }),
      ...(isPaid ? { paid: true } : {}),
      ...(isPaid && failure !== undefined ? { disputed: true } : {}),
      capability: call.skill,
      ...(call.signature === null ? {} : { payment: { network: call.network, signature: call.signature } }),
    };
    return fileReport(call.agent_id as string, outcome, call.call_id, signal);
  }
}

function toFailure(error: unknown): CallError {
  if (error instanceof CallError) return error;
  if (isMeshError(error, 'network_unavailable')) return new CallError('network_unavailable', error.message);
  if (isMeshError(error, 'insufficient_funds'))
    return new CallError('insufficient_funds', `Nothing was paid: ${error.message}`);
  if (isMeshError(error, 'forbidden') || isMeshError(error, 'store_readonly') || isMeshError(error, 'no_space')) {
    return new CallError('interrupted', error.message);
  }
  return new CallError('interrupted', `The call could not be carried on: ${getErrorMessage(error)}`);
}
