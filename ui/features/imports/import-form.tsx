import { useState } from 'react';
import type { ImportBody, ImportCandidate, Imported } from '../../../daemon/contract/imports.js';
import { Button } from '../../components/button.js';
import panels from '../../components/panels.module.css';
import rows from '../../components/rows.module.css';
import { Section } from '../../components/section.js';
import { ErrorPanel } from '../../components/states.js';
import { FoundRow } from './found-row.js';
import {
  canImport,
  createKey,
  getMemberId,
  type ImportChoice,
  idFaults,
  isTicked,
  NO_CHOICE,
  toImportItems,
} from './import-choice.js';
import { useImport } from './imports-mutations.js';
import { TOOL_NAMES, TOOLS } from './tool-names.js';

interface ImportFormProps {
  found: readonly ImportCandidate[];
  onImported: (imported: Imported) => void;
}

/** The found agents by tool, with the selection. Nothing is written before the button is pressed. */
export function ImportForm({ found, onImported }: ImportFormProps) {
  const [choice, setChoice] = useState<ImportChoice>(NO_CHOICE);
  const bring = useImport();
  const faults = idFaults(found, choice);
  const groups = (['project', 'user'] as const).flatMap((scope) =>
    TOOLS.map((tool) => ({ scope, tool, those: found.filter((one) => one.scope === scope && one.format === tool) })),
  );
  return (
    <div className="sections">
      {groups
        .filter(({ those }) => those.length > 0)
        .map(({ scope, tool, those }) => (
          <Section
            key={`${scope} ${tool}`}
            title={scope === 'user' ? `${TOOL_NAMES[tool]}, in the home folder` : TOOL_NAMES[tool]}
            count={those.length}
          >
            <ul className={rows.rows}>
              {those.map((one) => {
                const key = createKey(one);
                return (
                  <FoundRow
                    key={key}
                    found={one}
                    isTicked={isTicked(one, choice)}
                    onTick={(ticked) => setChoice({ ...choice, ticked: { ...choice.ticked, [key]: ticked } })}
                    id={getMemberId(one, choice)}
                    onId={(id) => setChoice({ ...choice, ids: { ...choice.ids, [key]: id } })}
                    fault={faults.get(key)}
                  />
                );
              })}
            </ul>
          </Section>
        ))}
      {found.some(canImport) ? (
        <ImportBar
          found={found}
          choice={choice}
          hasFaults={faults.size > 0}
          isBusy={bring.isPending}
          error={bring.error}
          onChoice={setChoice}
          onImport={(items) => bring.mutate(items, { onSuccess: onImported })}
        />
      ) : (
        <p className="quiet">Nothing new to import.</p>
      )}
    </div>
  );
}

interface ImportBarProps {
  found: readonly ImportCandidate[];
  choice: ImportChoice;
  hasFaults: boolean;
  isBusy: boolean;
  error: Error | null;
  onChoice: (choice: ImportChoice) => void;
  onImport: (items: ImportBody['items']) => void;
}

/** The foot of the form. It is unmounted when an import leaves nothing new, so it holds no state. */
function ImportBar({ found, choice, hasFaults, isBusy, error, onChoice, onImport }: ImportBarProps) {
  const importable = found.filter(canImport);
  const items = toImportItems(found, choice);
  const count = `${items.length} ${items.length === 1 ? 'member' : 'members'}`;
  const tickAll = (ticked: boolean) =>
    onChoice({ ...choice, ticked: Object.fromEntries(importable.map((one) => [createKey(one), ticked] as const)) });
  return (
    <div className={panels.formBar}>
      {error && <ErrorPanel what="Nothing was imported." error={error} />}
      <Button
        look="primary"
        isBusy={isBusy}
        reasonDisabled={
          items.length === 0
            ? 'Select at least one agent.'
            : hasFaults
              ? 'An id is a duplicate or not valid: see the rows.'
              : undefined
        }
        onClick={() => onImport(items)}
      >
        Import {count}
      </Button>
      <Button onClick={() => tickAll(true)}>Select all {importable.length}</Button>
      <Button onClick={() => tickAll(false)}>Clear</Button>
      <span className="quiet small">They are imported as internal: no program can ask them until you expose them.</span>
    </div>
  );
}
