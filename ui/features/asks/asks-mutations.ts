import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { AskRecord, Receipt, ReceiptVerdict } from '../../../daemon/contract/asks.js';
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

export const useVerifyReceipt = () =>
  useMutation({
    mutationFn: (receipt: Receipt) => call<ReceiptVerdict>('/receipts/verify', { method: 'POST', body: { receipt } }),
  });
