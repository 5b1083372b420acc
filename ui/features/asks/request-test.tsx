import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { RequestDetail } from '../../../daemon/contract/asks.js';
import type { MemberTests, RequestTest } from '../../../daemon/contract/member-tests.js';
import { Button } from '../../components/button.js';
import { TextField } from '../../components/field.js';
import { call } from '../../lib/api.js';
import { testsKeys } from '../member-tests/tests-keys.js';
import styles from './rate-answer.module.css';

interface RequestTestFormProps {
  request: Pick<RequestDetail, 'request_id' | 'member' | 'rating'>;
}

/** Makes the question of a rated answer a test of its member. For a bad answer, the right place is typed. */
export default function RequestTestForm({ request: { request_id, member, rating } }: RequestTestFormProps) {
  const client = useQueryClient();
  const [place, setPlace] = useState('');
  const add = useMutation({
    mutationFn: (body: RequestTest) =>
      call<MemberTests>(`/requests/${encodeURIComponent(request_id)}/test`, { method: 'POST', body }),
    onSuccess: (tests) => client.setQueryData(testsKeys.one(member), tests),
  });
  const isBad = rating?.value === 'down';
  const submit = (event: FormEvent) => {
    event.preventDefault();
    add.mutate(isBad ? { cites: [place.trim()] } : {});
  };
  if (add.data) {
    return (
      <p role="status">
        It is a test of{' '}
        <Link to="/team/$id" params={{ id: member }} search={{ tab: 'tests' }}>
          {member}
        </Link>{' '}
        now.
      </p>
    );
  }
  return (
    <form className={styles.note} onSubmit={submit}>
      {isBad && (
        <TextField
          label="What the right answer cites"
          value={place}
          placeholder="for example: src/retry.ts:40-72"
          onChange={(event) => setPlace(event.target.value)}
        />
      )}
      <Button
        type="submit"
        isSmall
        isBusy={add.isPending}
        reasonDisabled={isBad && place.trim() === '' ? 'Name the file that answers it.' : undefined}
      >
        Make it a test
      </Button>
      {add.error && <p role="alert">It is no test: {add.error.message}</p>}
    </form>
  );
}
