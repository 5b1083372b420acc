import type { MemberDetail, NewMember } from '../../../daemon/contract/team.js';

/** The values of the form for a new member. */
export interface NewMemberValues {
  name: string;
  id: string;
  description: string;
  kind: 'profile' | 'singleton';
  body: string;
}

export const EMPTY_MEMBER: NewMemberValues = { name: '', id: '', description: '', kind: 'profile', body: '' };

/** Derives an id from a name: lower case, hyphens, a letter first, at most 32 characters. */
export function idFromName(name: string): string {
  return name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[\u0300-\u036f]/g, '')
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, 32)
    .replace(/(?<!-)-+$/, '');
}

const ID = /^[a-z][a-z0-9-]{1,31}$/;

/** Returns the problems, keyed by field. */
export function findProblems(values: NewMemberValues): Partial<Record<keyof NewMemberValues, string>> {
  const problems: Partial<Record<keyof NewMemberValues, string>> = {};
  const id = values.id || idFromName(values.name);
  if (values.name.trim() === '') problems.name = 'A member needs a name.';
  else if (values.name.length > 80) problems.name = `A name has at most 80 characters; this has ${values.name.length}.`;
  else if (values.id === '' && !ID.test(id)) problems.name = 'This name gives no valid id: enter one below.';
  if (values.id !== '' && !ID.test(values.id))
    problems.id = 'A letter first, then letters, digits and hyphens, 2 to 32 characters, all lower case.';
  if (id === 'requests' || id === 'draft') problems.id = `“${id}” is reserved and cannot be a member id.`;
  if (values.description.length > 400)
    problems.description = `At most 400 characters; this has ${values.description.length}.`;
  return problems;
}

/** Returns the values of a copy of a member. Its id follows from its name. */
export const toDuplicate = ({ name, description, body }: Pick<MemberDetail, 'name' | 'description' | 'body'>) => ({
  ...EMPTY_MEMBER,
  ...{ name: `${name} copy`.slice(0, 80), description, body },
});

export function toNewMember(values: NewMemberValues): NewMember {
  return {
    name: values.name.trim(),
    ...(values.id ? { id: values.id } : {}),
    ...(values.description.trim() ? { description: values.description.trim() } : {}),
    kind: values.kind,
    body: values.body,
  };
}
