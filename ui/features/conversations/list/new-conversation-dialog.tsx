import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Conversation, NewConversation } from '../../../../daemon/contract/conversations.js';
import { buttonClass } from '../../../components/button.js';
import { Dialog, FormActions } from '../../../components/dialog.js';
import { SelectField } from '../../../components/field.js';
import { ErrorPanel } from '../../../components/states.js';
import { teamQuery } from '../../team/team-queries.js';
import { agentTypes } from '../composer/agent-types.js';
import { NO_CHOICES, type RunChoices, toOverrides } from '../composer/run-choices.js';
import { RunFields } from '../composer/run-fields.js';
import { busyConversation, useCreateConversation } from '../conversation-mutations.js';

interface NewConversationDialogProps {
  /** The preselected member. */
  member: string | undefined;
  onClose: () => void;
  onCreated: (conversation: Conversation) => void;
}

const AGENT = 'agent:';

/**
 * Creates a conversation with a member or with an agent type. Client, model, effort and place may override the member's file.
 */
export function NewConversationDialog({ member, onClose, onCreated }: NewConversationDialogProps) {
  const team = useQuery(teamQuery()).data;
  const create = useCreateConversation();
  const [chosen, setWith] = useState(member);
  const [choices, setChoices] = useState<RunChoices>(NO_CHOICES);
  const serving = (team?.members ?? []).filter((one) => one.serving);
  const partner = chosen ?? serving[0]?.id ?? `${AGENT}custom`;
  const isAgent = partner.startsWith(AGENT);

  const submit = (event: FormEvent) => {
    event.preventDefault();
    const chosen = Object.entries(toOverrides(choices)).filter(([, value]) => value !== null);
    const body: NewConversation = {
      ...(isAgent ? { agent_type: partner.slice(AGENT.length) } : { member: partner }),
      ...Object.fromEntries(chosen),
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
            ...agentTypes.map((type) => ({
              value: `${AGENT}${type}`,
              label: `No member: ${type === 'audit' ? 'an' : 'a'} ${type} agent`,
            })),
          ]}
          onChange={(event) => {
            create.reset();
            setWith(event.target.value);
          }}
        />
        <details>
          <summary>Choose another model or folder</summary>
          <div className="stack" style={{ paddingTop: 12 }}>
            <RunFields
              choices={choices}
              onChange={setChoices}
              asMember={isAgent ? 'auto' : (serving.find(({ id }) => id === partner)?.client ?? 'auto')}
              emptyWords={isAgent ? 'machine default' : 'member default'}
            />
          </div>
        </details>
        <CreateProblem error={create.error} />
        <FormActions submitLabel="Start" isBusy={create.isPending} onClose={onClose} />
      </form>
    </Dialog>
  );
}

/** Why no conversation was created. A singleton that already has one is linked. */
function CreateProblem({ error }: { error: Error | null }) {
  const busy = busyConversation(error);
  if (busy === undefined) return error && <ErrorPanel what="The conversation was not created." error={error} />;
  return (
    <p role="alert">
      {error?.message}{' '}
      <Link to="/talk/$conv" params={{ conv: busy }} className={buttonClass()}>
        Open it
      </Link>
    </p>
  );
}
