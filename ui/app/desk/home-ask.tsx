import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Member } from '../../../daemon/contract/team.js';
import { SelectField } from '../../components/field.js';
import { AskBox } from '../../features/asks/ask-box/ask-box.js';
import { askMember } from '../../features/asks/ask-box/ask-member.js';
import { recentRequestsQuery } from '../../features/asks/asks-queries.js';
import { isOpen } from '../../features/team/is-open.js';
import { useDraft } from '../../lib/drafts.js';
import { findAnswerer } from '../find-answerer.js';
import styles from './desk.module.css';

const FIRST_QUESTION = 'What does this project do?';

/** The question box of the home page, with the choice of the member. Until something was asked, it proposes a question. */
export function HomeAsk({ members }: { members: readonly Member[] }) {
  const client = useQueryClient();
  const requests = useQuery(recentRequestsQuery()).data;
  const chosen = useDraft<string | undefined>('desk.ask.member', undefined);
  const serving = members.filter((one) => one.serving).sort((a, b) => Number(isOpen(b)) - Number(isOpen(a)));
  const member = serving.find(({ id }) => id === chosen.value) ?? findAnswerer(members);
  if (!member)
    return (
      <p className={styles.quietLine}>
        No member can answer. <Link to="/team">Restore or create one</Link>
      </p>
    );
  return (
    <section className={styles.ask} aria-label="Ask">
      <AskBox
        place="desk.ask"
        member={member}
        send={(text) => askMember(client, member, text)}
        question={requests?.length === 0 ? FIRST_QUESTION : ''}
        askWords={isOpen(member) ? 'Ask' : 'Start conversation'}
        clears
      >
        <SelectField
          label="Member"
          hidesLabel
          value={member.id}
          options={serving.map((one) => ({
            value: one.id,
            label: isOpen(one) ? one.name : `${one.name} (internal)`,
          }))}
          onChange={(event) => chosen.set(event.target.value)}
        />
      </AskBox>
    </section>
  );
}
