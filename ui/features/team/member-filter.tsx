import { SelectField } from '../../components/field.js';

interface MemberFilterProps {
  /** Ids of the members of the team. */
  members: readonly string[];
  /** Stays among the choices after the member is deleted. */
  member: string | undefined;
  onChange: (member: string | undefined) => void;
}

/** Restricts a list to one member. */
export function MemberFilter({ members, member, onChange }: MemberFilterProps) {
  const isGone = member !== undefined && member !== '' && !members.includes(member);
  return (
    <SelectField
      label="Member"
      value={member ?? ''}
      options={[{ value: '', label: 'Any' }, ...members, ...(isGone ? [member] : [])]}
      onChange={(event) => onChange(event.target.value || undefined)}
    />
  );
}
