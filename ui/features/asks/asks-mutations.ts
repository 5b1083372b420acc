import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { SignedFields } from '../../../daemon/client/receipt-differences.js';
import type { SignatureCheck } from '../../../daemon/client/receipt-signature.js';
import type { AskRecord, RateRequest, Receipt, ReceiptVerdict, RequestDetail } from '../../../daemon/contract/asks.js';
import { call } from '../../lib/api.js';
import { asksKeys } from './asks-queries.js';

export function useCancelRequest() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rid: string) => call<AskRecord>(`/requests/${encodeURIComponent(rid)}`, { method: 'DELETE' }),
    onSettled: (_answer, _error, rid) =>
      Promise.all([
        client.invalidateQueries({ queryKey: asksKeys.lists }),
        client.invalidateQueries({ queryKey: asksKeys.one(rid) }),
      ]),
  });
}

/** Rates an answer, or withdraws the rating. */
export function useRateRequest(rid: string) {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (rating: RateRequest | undefined) =>
      call<RequestDetail>(`/requests/${encodeURIComponent(rid)}/rating`, {
        method: rating ? 'PUT' : 'DELETE',
        ...(rating && { body: rating }),
      }),
    onSuccess: (request) => client.setQueryData(asksKeys.one(rid), request),
    onSettled: () => client.invalidateQueries({ queryKey: asksKeys.lists }),
  });
}

/** A receipt, with the record of its request when the page has it. */
export interface ReceiptToVerify {
  receipt: Receipt;
  record?: SignedFields | undefined;
}

/** The results of both checks of a receipt. `browser` is undefined when this browser could not make its check. */
export interface ReceiptVerdicts {
  daemon: ReceiptVerdict;
  browser: SignatureCheck | undefined;
}

/**
 * Verifies a receipt through the daemon, which also determines whether the key is its own, and in this browser, whose
 * result does not depend on the daemon.
 */
export const useVerifyReceipt = () =>
  useMutation({
    mutationFn: async ({ receipt, record }: ReceiptToVerify): Promise<ReceiptVerdicts> => {
      const [daemon, browser] = await Promise.all([
        call<ReceiptVerdict>('/receipts/verify', { method: 'POST', body: { receipt } }),
        verifyHere(receipt, record).catch(() => undefined),
      ]);
      return { daemon, browser };
    },
  });

/** Loads the code that verifies signatures at the first use, because no page needs it to render. */
async function verifyHere(receipt: Receipt, record: SignedFields | undefined): Promise<SignatureCheck> {
  const { verifyReceiptSignature } = await import('../../../daemon/client/receipt-signature.js');
  return verifyReceiptSignature(receipt, record);
}
