import { useQuery } from '@tanstack/react-query';
import { Flag } from '../../components/text/flag.js';
import { registrationsQuery } from './agents-queries.js';
import { findMember } from './self-registration-format.js';

interface AgentFlagProps {
  id: string;
  size?: number;
  isRaised?: boolean;
}

/** The flag of an agent. A member of this project has one flag, whatever id it is registered under. */
export function AgentFlag({ id, ...look }: AgentFlagProps) {
  const registrations = useQuery(registrationsQuery()).data?.registrations;
  const member = findMember(registrations ?? [], id);
  return <Flag {...look} id={member ?? id} isExposed={member !== undefined} />;
}
