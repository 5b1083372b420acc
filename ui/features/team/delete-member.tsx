import type { MemberDetail } from '../../../daemon/contract/team.js';
import { useToast } from '../../components/toasts.js';
import { TypedDeletion } from '../../components/typed-deletion.js';
import { toDisplayText } from '../../lib/format/display-text.js';
import { useDeleteMember, useRestoreMember } from './team-mutations.js';

/**
 * Deletes a member once its name was typed. The toast and the team's page offer to restore it. Singletons are
 * protected.
 */
export function DeleteMember({ member, onDeleted }: { member: MemberDetail; onDeleted: () => void }) {
  const remove = useDeleteMember();
  const bringBack = useRestoreMember();
  const say = useToast();

  const deleteIt = async () => {
    const gone = await remove.mutateAsync(member.id).catch(() => undefined);
    // The dialog shows the error.
    if (!gone) return;
    // Not called undo: a new token is made, and rules that allowed something to the member are gone.
    const restoreLabel = member.token === undefined ? 'Restore' : 'Restore with a new token';
    const restore = () =>
      bringBack.mutateAsync(member.id).then(
        () => say({ text: `${member.name} is restored${member.token !== undefined ? ', with a new token' : ''}.` }),
        () => say({ text: `${member.name} could not be restored.`, tone: 'failed' }),
      );
    say({
      text: `${member.name} is deleted.`,
      ...(gone.copy !== undefined ? { action: { label: restoreLabel, run: () => void restore() } } : {}),
    });
    onDeleted();
  };
  return (
    <TypedDeletion
      title={`Delete ${member.name}`}
      word={member.id}
      isMono
      label="Delete"
      reasonDisabled={
        member.kind === 'singleton'
          ? `${toDisplayText(member.name)} is a singleton and cannot be deleted. Make it internal instead.`
          : undefined
      }
      confirmLabel="Delete"
      failure="The member was not deleted."
      error={remove.error}
      isPending={remove.isPending}
      onDelete={() => void deleteIt()}
    >
      The file .mesh/team/{member.id}.md is removed
      {member.token !== undefined ? ' and its token stops working: no program can ask it' : ''}. Its requests stay
      readable.
    </TypedDeletion>
  );
}
