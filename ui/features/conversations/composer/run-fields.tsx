import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import type { EFFORTS } from '../../../../daemon/contract/team.js';
import { SelectField, TextField } from '../../../components/field.js';
import { clientsQuery } from '../../system/system-queries.js';
import { clientFor, lackingIn, type RunChoices } from './run-choices.js';

const LEVELS = ['default', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const satisfies typeof EFFORTS;

interface RunFieldsProps {
  choices: RunChoices;
  onChange: (choices: RunChoices) => void;
  /** The client in the member's file; `auto` without a member. */
  asMember: string;
  /** The label of the empty choice. */
  emptyWords: string;
  /** A turn ran already, so that the place cannot be chosen any more. */
  isPlaceFixed?: boolean;
}

/** Fields for client, model, effort and place. Shows at once what the client does not support. */
export function RunFields({ choices, onChange, asMember, emptyWords, isPlaceFixed = false }: RunFieldsProps) {
  const clients = useQuery(clientsQuery()).data;
  const listId = useId();
  const client = clientFor(choices, asMember, clients);
  const lacking = lackingIn(choices, client);
  const efforts = client
    ? LEVELS.filter((level) => level === 'default' || level === choices.effort || client.efforts.includes(level))
    : LEVELS;
  return (
    <>
      <SelectField
        label="Client"
        value={choices.client}
        error={lacking.client}
        options={[
          { value: '', label: emptyWords },
          { value: 'auto', label: `auto${clients ? ` → ${clients.auto}` : ''}` },
          ...(clients?.clients ?? []).map(({ name, ready }) => ({
            value: name,
            label: ready ? name : `${name} (not ready)`,
          })),
        ]}
        onChange={(event) => onChange({ ...choices, client: event.target.value })}
      />
      <TextField
        label="Model"
        placeholder={emptyWords}
        error={lacking.model}
        list={listId}
        maxLength={200}
        spellCheck={false}
        autoCapitalize="off"
        value={choices.model}
        onChange={(event) => onChange({ ...choices, model: event.target.value })}
      />
      <datalist id={listId}>
        {(client?.models ?? []).map((model) => (
          <option key={model} value={model} />
        ))}
      </datalist>
      <SelectField
        label="Effort"
        value={choices.effort}
        error={lacking.effort}
        options={[{ value: '', label: emptyWords }, ...efforts]}
        onChange={(event) => onChange({ ...choices, effort: event.target.value })}
      />
      {!isPlaceFixed && <PlaceField choices={choices} onChange={onChange} emptyWords={emptyWords} />}
    </>
  );
}

function PlaceField({ choices, onChange, emptyWords }: Pick<RunFieldsProps, 'choices' | 'onChange' | 'emptyWords'>) {
  return (
    <SelectField
      label="Works in"
      value={choices.isolation}
      options={[
        { value: '', label: emptyWords },
        { value: 'project', label: 'the project folder' },
        { value: 'worktree', label: 'a git worktree of its own' },
      ]}
      onChange={(event) => onChange({ ...choices, isolation: event.target.value })}
    />
  );
}
