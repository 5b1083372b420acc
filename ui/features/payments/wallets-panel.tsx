import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { Wallet } from '../../../daemon/contract/payments.js';
import { Button } from '../../components/button.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { TextField } from '../../components/field.js';
import { Loaded } from '../../components/loaded.js';
import { EmptyState } from '../../components/notes.js';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { CopyButton } from '../../components/text/copy-button.js';
import { useToast } from '../../components/toasts.js';
import { Address } from './address.js';
import { Amount } from './amount.js';
import { LamportsField } from './lamports-field.js';
import { NetworkMark } from './network-mark.js';
import { formatAmount, LOCAL_NETWORK } from './payment-format.js';
import styles from './payments.module.css';
import { useFundWallet, useMakeWallet } from './payments-mutations.js';
import { walletsQuery } from './payments-queries.js';

/** The wallets of this daemon with balance and address. */
export function WalletsPanel() {
  const wallets = useQuery(walletsQuery());
  const make = useMakeWallet();
  const [isMaking, setIsMaking] = useState(false);
  return (
    <Section
      title="Wallets"
      count={wallets.data?.length}
      actions={
        <Button isSmall onClick={() => setIsMaking(true)}>
          New wallet
        </Button>
      }
    >
      <Loaded query={wallets} what="The wallets could not be read." rows={2}>
        {(all) =>
          all.length === 0 ? (
            <EmptyState
              command="meshd wallet new"
              action={
                <Button look="primary" isBusy={make.isPending} onClick={() => make.mutate('main')}>
                  Create the wallet “main”
                </Button>
              }
            >
              No wallets yet. “main” is used unless another is named. Its key is stored in .mesh/credentials.
            </EmptyState>
          ) : (
            <ul>
              {all.map((wallet) => (
                <WalletRow key={`${wallet.name} ${wallet.network}`} wallet={wallet} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {make.error && !isMaking && <ErrorPanel what="The wallet was not created." error={make.error} />}
      {isMaking && (
        <MakeWallet taken={wallets.data?.map(({ name }) => name) ?? []} onClose={() => setIsMaking(false)} />
      )}
    </Section>
  );
}

function WalletRow({ wallet }: { wallet: Wallet }) {
  const { name, address, network, real, lamports } = wallet;
  const [isFunding, setIsFunding] = useState(false);
  return (
    <li className={styles.wallet}>
      <p className="cluster">
        <strong>{name}</strong>
        <NetworkMark network={network} isReal={real} />
      </p>
      {lamports === null ? (
        <p className="quiet">{network} cannot be reached: the balance is not known.</p>
      ) : (
        <p>
          <Amount lamports={lamports} isLarge />
        </p>
      )}
      <p>
        <Address address={address} />
      </p>
      <div className="cluster">
        <CopyButton text={address} label="Copy address" />
        {network === LOCAL_NETWORK && (
          <Button isSmall onClick={() => setIsFunding(true)}>
            Fund
          </Button>
        )}
      </div>
      {isFunding && <FundWallet name={name} onClose={() => setIsFunding(false)} />}
    </li>
  );
}

const ONE_SOL = 1_000_000_000;
/** The most that the faucet transfers at once, in lamports. */
const FAUCET_MAX = 1_000_000_000_000_000;

function FundWallet({ name, onClose }: { name: string; onClose: () => void }) {
  const fund = useFundWallet(name);
  const say = useToast();
  const [lamports, setLamports] = useState<number | undefined>(ONE_SOL);
  const fault =
    lamports === undefined || lamports < 1 || lamports > FAUCET_MAX ? 'From 1 lamport to 1,000,000 SOL.' : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (fault !== undefined || lamports === undefined) return;
    fund.mutate(lamports, {
      onSuccess: () => {
        say({ text: `${name} has ${formatAmount(lamports)} more. It is not real money.` });
        onClose();
      },
    });
  };
  return (
    <Dialog title={`Fund ${name}`} onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <p>Test money of the local network, not real money. Nothing leaves this machine.</p>
        <LamportsField label="How much" lamports={lamports} onChange={setLamports} error={fault} />
        {fund.error && <ErrorPanel what="The wallet was not funded." error={fund.error} />}
        <FormActions submitLabel="Fund" closeLabel="Cancel" isBusy={fund.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

const NAME = /^[a-z][a-z0-9-]{0,31}$/;

function MakeWallet({ taken, onClose }: { taken: string[]; onClose: () => void }) {
  const make = useMakeWallet();
  const say = useToast();
  const [name, setName] = useState('');
  const [isTried, setIsTried] = useState(false);
  const fault = !NAME.test(name)
    ? 'Small letters, digits and dashes, at most 32, beginning with a letter.'
    : taken.includes(name)
      ? `A wallet “${name}” already exists.`
      : undefined;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    setIsTried(true);
    if (fault !== undefined) return;
    make.mutate(name, {
      onSuccess: () => {
        say({ text: `The wallet ${name} is created.` });
        onClose();
      },
    });
  };
  return (
    <Dialog title="New wallet" onClose={onClose}>
      <form className="stack" onSubmit={submit} noValidate>
        <TextField
          label="Name"
          hint="Its key is kept in .mesh/credentials and never leaves this machine."
          value={name}
          spellCheck={false}
          autoCapitalize="off"
          error={isTried ? fault : undefined}
          onChange={(event) => setName(event.target.value)}
        />
        {make.error && <ErrorPanel what="The wallet was not created." error={make.error} />}
        <FormActions submitLabel="Create" closeLabel="Cancel" isBusy={make.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}
