import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Flag } from '../../components/text/flag.js';
import { useToast } from '../../components/toasts.js';
import { askMember } from '../../features/asks/ask-box/ask-member.js';
import { isOpen } from '../../features/team/is-open.js';
import { teamQuery } from '../../features/team/team-queries.js';
import { findAnswerer } from '../find-answerer.js';
import type { Command } from './command.js';

/** Returns the command that asks the default member what was typed; undefined while there is no text or no member. */
export function useAskCommand(text: string): Command | undefined {
  const navigate = useNavigate();
  const client = useQueryClient();
  const toast = useToast();
  const members = useQuery(teamQuery()).data?.members;
  const question = text.trim();
  return useMemo(() => {
    const member = findAnswerer(members ?? []);
    if (question === '' || !member) return undefined;
    const run = async () => {
      try {
        const asked = await askMember(client, member, question);
        if ('rid' in asked) await navigate({ to: '/requests/$rid', params: { rid: asked.rid } });
        else await navigate({ to: '/talk/$conv', params: asked });
      } catch (error) {
        toast({ tone: 'failed', text: `The question was not sent. ${(error as Error).message}` });
      }
    };
    return {
      group: 'Ask',
      id: 'ask',
      name: `Ask ${member.id}: ${question}`,
      mark: <Flag id={member.id} size={20} isExposed={isOpen(member)} />,
      run: () => void run(),
    };
  }, [client, members, navigate, question, toast]);
}
