import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Conversation, NewConversation } from '../../../daemon/contract/conversations.js';
import { Button, buttonClass } from '../../components/button.js';
import { Dialog, DialogActions } from '../../components/dialog.js';
import { SelectField, TextField } from '../../components/field.js';
import { ErrorPanel } from '../../components/states.js';
import { clientsQuery } from '../system/system-queries.js';
import { teamQuery } from '../team/team-queries.js';
import { agentTypes } from './agent-types.js';
import { busyConversation, useCreateConversation } from './conversation-mutations.js';

interface NewConversationDialogProps {
  /** Chosen from the start. */
  member: string | undefined;
  onClose: () => void;
  onCreated: (conversation: Conversation) => void;
}

const AGENT = 'agent:';

/** A conversation with a member, or with an agent type; what runs it may differ from what its file says. */
export function NewConversationDialog({ member, onClose, onCreated }: NewConversationDialogProps) {
  const team = useQuery(teamQuery()).data;
  const clients = useQuery(clientsQuery()).data;
  const create = useCreateConversation();
  const [chosen, setWith] = useState(member);
  const [client, setClient] = useState('');
  const [model, setModel] = useState('');
  const [effort, setEffort] = useState('');
  const serving = (team?.members ?? []).filter((one) => one.serving);
  const partner = chosen ?? serving[0]?.id ?? `${AGENT}custom`;
  const isAgent = partner.startsWith(AGENT);
  const info = clients?.clients.find((one) => one.name === (client === 'auto' ? clients.auto : client));
  const busy = busyConversation(create.error);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const body: NewConversation = {
      ...(isAgent ? { agent_type: partner.slice(AGENT.length) } : { member: partner }),
      ...(client === '' ? {} : { client: client as NonNullable<NewConversation['client']> }),
      ...(model.trim() === '' ? {} : { model: model.trim() }),
      ...(effort === '' ? {} : { effort: effort as NonNullable<NewConversation['effort']> }),
    };
    create.mutate(body, { onSuccess: onCreated });
  };
  return (
    <Dialog title="New conversation" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <SelectField
          label="With"
          autoFocus
          value={partner}
          options={[
            ...serving.map((one) => ({ value: one.id, label: `${one.name} (${one.id})` })),
            ...agentTypes.map((type) => ({ value: `${AGENT}${type}`, label: `No member: a ${type} agent` })),
          ]}
          onChange={(event) => {
            create.reset();
            setWith(event.target.value);
          }}
        />
        <details>
          <summary>Run it on something else</summary>
          <div className="stack" style={{ paddingTop: 12 }}>
            <SelectField
              label="Client"
              value={client}
              options={[
                { value: '', label: isAgent ? 'as the machine says' : 'as the member says' },
                { value: 'auto', label: `auto${clients ? ` → ${clients.auto}` : ''}` },
                ...(clients?.clients ?? []).map((one) => ({ value: one.name, label: one.ready ? one.name : `${one.name} (not ready)` })),
              ]}
              onChange={(event) => setClient(event.target.value)}
            />
            {info && !info.ready && <p className="quiet small">{info.reason}</p>}
            <TextField
              label="Model"
              hint={info && info.models.length > 0 ? `It offers ${info.models.slice(0, 6).join(', ')}.` : 'Empty: as the member says.'}
              maxLength={200}
              spellCheck={false}
              autoCapitalize="off"
              value={model}
              onChange={(event) => setModel(event.target.value)}
            />
            <SelectField
              label="Effort"
              value={effort}
              options={[
                { value: '', label: 'as the member says' },
                ...['default', ...(info?.efforts ?? ['low', 'medium', 'high'])].map((value) => ({ value, label: value })),
              ]}
              onChange={(event) => setEffort(event.target.value)}
            />
          </div>
        </details>
        {busy !== undefined ? (
          <p role="alert">
            {create.error?.message}{' '}
            <Link to="/talk/$conv" params={{ conv: busy }} className={buttonClass()}>
              Open it
            </Link>
          </p>
        ) : (
          create.error && <ErrorPanel what="The conversation was not begun." error={create.error} />
        )}
        <DialogActions>
          <Button onClick={onClose}>Close</Button>
          <Button look="primary" type="submit" isBusy={create.isPending}>
            Begin
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
