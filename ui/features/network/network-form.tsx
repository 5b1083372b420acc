import { type FormEvent, useEffect, useRef, useState } from 'react';
import type { NETWORK_NAME_CHARS_MAX } from '../../../daemon/contract/shared/network.js';
import { Button } from '../../components/button.js';
import { Dialog, FormActions } from '../../components/dialog.js';
import { TextArea, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { CREDENTIALS_MAX, findFaults, findFieldError, type NetworkField, toBody } from './network-format.js';
import { useEnterNetwork } from './network-queries.js';

const NAME_MAX: typeof NETWORK_NAME_CHARS_MAX = 100;
const EMPTY = { url: '', network: '', credentials: '', name: '' };
const NEW = { ...EMPTY, network: 'team' };

/** Returns what is typed, what is wrong with each field, and how to send it. */
function useNetworkForm(isNew: boolean, onDone: () => void) {
  const enter = useEnterNetwork(isNew);
  const [values, setValues] = useState(isNew ? NEW : EMPTY);
  const [isTried, setIsTried] = useState(false);
  const form = useRef<HTMLFormElement>(null);
  const faults = findFaults(values, isNew);
  const refused = findFieldError(enter.error);
  const { field: refusedField } = refused ?? {};
  const focus = (field: string) => form.current?.querySelector<HTMLElement>(`[name=${field}]`)?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each error.
  useEffect(() => {
    if (refusedField) focus(refusedField);
  }, [enter.error]);
  return {
    form,
    values,
    set: (changed: Partial<typeof EMPTY>) => {
      if (enter.isError) enter.reset();
      setValues((shown) => ({ ...shown, ...changed }));
    },
    findError: (field: NetworkField) =>
      refusedField === field ? refused?.message : isTried ? faults[field] : undefined,
    submit: (event: FormEvent) => {
      event.preventDefault();
      if (enter.isPending) return;
      setIsTried(true);
      const [faulty] = Object.keys(faults);
      if (faulty === undefined) enter.mutate(toBody(values), { onSuccess: onDone });
      else focus(faulty);
    },
    isPending: enter.isPending,
    /** An error that is about no field. */
    error: refused ? null : enter.error,
  };
}

type NetworkFormState = ReturnType<typeof useNetworkForm>;

/** Creates a network with `isNew`, else joins one. The credentials are in this form alone, and gone with it. */
export function NetworkForm({ isNew, onClose }: { isNew: boolean; onClose: () => void }) {
  const state = useNetworkForm(isNew, onClose);
  const { form, values, set, findError, submit, isPending, error } = state;
  return (
    <Dialog title={isNew ? 'Create a network' : 'Join a network'} onClose={onClose}>
      <form ref={form} className="stack" onSubmit={submit} noValidate>
        <p>
          {isNew
            ? 'The network begins with the agents, clusters and boards of this daemon.'
            : 'The agents, clusters and boards of this daemon are replaced by those of the network. A copy is kept in ' +
              '.mesh/state/before-networks.'}
        </p>
        <AddressFields state={state} isNew={isNew} />
        <CredentialsField
          value={values.credentials}
          error={findError('credentials')}
          onChange={(credentials) => set({ credentials })}
        />
        <TextField
          label="Name of this daemon"
          name="name"
          hint="How others see it. Empty: the name of the project."
          maxLength={NAME_MAX}
          value={values.name}
          error={findError('name')}
          onChange={(event) => set({ name: event.target.value })}
        />
        {error && (
          <ErrorPanel what={isNew ? 'The network was not created.' : 'The network was not joined.'} error={error} />
        )}
        <FormActions submitLabel={isNew ? 'Create' : 'Join'} isBusy={isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

function AddressFields({ state: { values, set, findError }, isNew }: { state: NetworkFormState; isNew: boolean }) {
  const plain = { className: 'mono', spellCheck: false, autoCapitalize: 'off' } as const;
  return (
    <>
      <TextField
        {...plain}
        label="Servers"
        name="url"
        hint="tls://host:port, or nats://127.0.0.1:port on this machine. Several with commas."
        inputMode="url"
        maxLength={2_000}
        value={values.url}
        error={findError('url')}
        onChange={(event) => set({ url: event.target.value })}
      />
      <TextField
        {...plain}
        label="Name of the network"
        name="network"
        hint={isNew ? 'Lower-case letters, digits and dashes.' : 'Empty: the only one of the servers.'}
        maxLength={100}
        value={values.network}
        error={findError('network')}
        onChange={(event) => set({ network: event.target.value })}
      />
    </>
  );
}

interface CredentialsFieldProps {
  value: string;
  error: string | undefined;
  onChange: (text: string) => void;
}

/** The text of a `.creds` file, pasted or of a file. It is drawn as dots. */
function CredentialsField({ value, error, onChange }: CredentialsFieldProps) {
  const input = useRef<HTMLInputElement>(null);
  const [file, setFile] = useState<{ name: string; fault?: string }>();
  const read = async (chosen: File) => {
    if (chosen.size > CREDENTIALS_MAX) {
      setFile({ name: chosen.name, fault: `${chosen.name} is too large for a .creds file.` });
      return;
    }
    try {
      onChange(await chosen.text());
      setFile({ name: chosen.name });
    } catch {
      setFile({ name: chosen.name, fault: `${chosen.name} could not be read.` });
    }
  };
  return (
    <div className="credentials">
      <TextArea
        label="Credentials"
        name="credentials"
        hint={
          file && !file.fault
            ? `From ${file.name}. Kept in .mesh/credentials, and never shown.`
            : 'The text of a .creds file, if the servers need one. Kept in .mesh/credentials, and never shown.'
        }
        isCode
        rows={2}
        autoComplete="off"
        maxLength={CREDENTIALS_MAX}
        value={value}
        error={file?.fault ?? error}
        onChange={(event) => {
          setFile(undefined);
          onChange(event.target.value);
        }}
      />
      <input
        ref={input}
        type="file"
        accept=".creds,.nk,.txt"
        hidden
        onChange={(event) => {
          const [chosen] = event.target.files ?? [];
          event.target.value = '';
          if (chosen) void read(chosen);
        }}
      />
      <Button isSmall onClick={() => input.current?.click()}>
        Choose a file
      </Button>
    </div>
  );
}
