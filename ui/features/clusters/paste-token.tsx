import { type FormEvent, useState } from 'react';
import type { SavedClusterDetail } from '../../../daemon/contract/saved-clusters.js';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { useToast } from '../../components/toasts.js';
import { usePatchSavedCluster } from './cluster-mutations.js';

const KINDS = {
  admin: { label: 'Admin token (ak_…)', pattern: /^ak_[\w-]{43}$/, prefix: 'ak_' },
  member: { label: 'Member token (ck_…)', pattern: /^ck_[\w-]{43}$/, prefix: 'ck_' },
} as const;

/** Saves a pasted token once the cluster has accepted it. */
export function PasteToken({ room: savedCluster, kind }: { room: SavedClusterDetail; kind: keyof typeof KINDS }) {
  const [pasted, setPasted] = useState('');
  const patch = usePatchSavedCluster(savedCluster.cluster_id);
  const say = useToast();
  const { label, pattern, prefix } = KINDS[kind];
  const token = pasted.trim();
  const isOne = pattern.test(token);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isOne || patch.isPending) return;
    patch.mutate(kind === 'admin' ? { admin_token: token } : { token }, {
      onSuccess: () => {
        setPasted('');
        say({ text: 'The token is saved in .mesh/credentials.' });
      },
    });
  };
  return (
    <form className="stack" onSubmit={submit}>
      <TextField
        label={label}
        className="mono"
        spellCheck={false}
        autoCapitalize="off"
        maxLength={128}
        value={pasted}
        error={token !== '' && !isOne ? `It starts with ${prefix} and has 43 characters after that.` : undefined}
        onChange={(event) => {
          patch.reset();
          setPasted(event.target.value);
        }}
      />
      {patch.error && <ErrorPanel what="The cluster rejected this token." error={patch.error} />}
      <div>
        <Button type="submit" isBusy={patch.isPending} reasonDisabled={isOne ? undefined : 'Paste the token first.'}>
          Save
        </Button>
      </div>
    </form>
  );
}
