import type { MemberList } from '../../../daemon/contract/team.js';
import { Button } from '../../components/button.js';
import { EmptyState } from '../../components/notes.js';
import { ErrorPanel } from '../../components/states.js';
import { useRestoreDefaults } from './team-mutations.js';

/** An empty roster: the folder is missing or empty. */
export function NoMembers({ roster: { has_folder, restorable }, onNew }: { roster: MemberList; onNew: () => void }) {
  const restore = useRestoreDefaults();
  return (
    <>
      <EmptyState
        action={
          <p className="cluster">
            <Button look={has_folder ? 'primary' : 'secondary'} onClick={onNew}>
              New member
            </Button>
            {restorable.length > 0 && (
              <Button
                look={has_folder ? 'secondary' : 'primary'}
                isBusy={restore.isPending}
                onClick={() => restore.mutate(restorable)}
              >{`Restore the ${restorable.length} default members`}</Button>
            )}
          </p>
        }
        command={
          has_folder ? 'meshd team new pilot --set name=Pilot' : `meshd team restore ${restorable[0] ?? 'developer'}`
        }
      >
        {has_folder
          ? 'The folder .mesh/team has no member files. A member is one Markdown file: its name, its limits and ' +
            'its initial prompt.'
          : 'The folder .mesh/team is missing: removed, moved, or not on this branch. It is created with the ' +
            'first member.'}
      </EmptyState>
      {restore.error && <ErrorPanel what="Not every default member was restored." error={restore.error} />}
    </>
  );
}
