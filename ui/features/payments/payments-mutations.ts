import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { Call, CallBody, Caps, CapsPatch, Settled, Wallet } from '../../../daemon/contract/payments.js';
import { call } from '../../lib/api.js';
import { paymentsKeys } from './payments-keys.js';

/** A mutation that may move money. Invalidates everything that shows it. */
function usePaymentMutation<V, R>(mutationFn: (value: V) => Promise<R>) {
  const client = useQueryClient();
  return useMutation({
    mutationFn,
    onSettled: () =>
      Promise.all(
        [paymentsKeys.ledger, paymentsKeys.wallets, paymentsKeys.calls, paymentsKeys.approvals].map((queryKey) =>
          client.invalidateQueries({ queryKey }),
        ),
      ),
  });
}

export const useMakeWallet = () =>
  usePaymentMutation((name: string) => call<Wallet>('/wallets', { method: 'POST', body: { name } }));

export const useFundWallet = (name: string) =>
  usePaymentMutation((lamports: number) =>
    call<Wallet>(`/wallets/${encodeURIComponent(name)}/fund`, { method: 'POST', body: { lamports } }),
  );

export const useSetCaps = () =>
  usePaymentMutation((body: CapsPatch) => call<Caps>('/ledger/caps', { method: 'PATCH', body }));

/** Pays the debt to one agent for calls on credit. */
export const useSettle = () =>
  usePaymentMutation((agent: string) => call<Settled>('/ledger/settle', { method: 'POST', body: { agent } }));

export const useDecidePayment = (callId: string) =>
  usePaymentMutation((decision: 'allow' | 'deny') =>
    call<Call>(`/ledger/approvals/${encodeURIComponent(callId)}`, { method: 'POST', body: { decision } }),
  );

/**
 * Calls a skill. Resolves when the call has ended, waits for approval, or runs longer than the daemon holds the
 * response.
 */
export const useCallSkill = () =>
  usePaymentMutation(({ body, key }: { body: CallBody; key: string }) =>
    call<Call>('/calls', { method: 'POST', body, idempotencyKey: key }),
  );
