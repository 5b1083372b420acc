import { Type } from 'typebox';
import { DecidePermission, type Permission, type PermissionList } from '../../contract/conversations.js';
import type { PermissionRule, PermissionRuleList } from '../../contract/permissions.js';
import { PageQuery } from '../../contract/shared/paging.js';
import type { App } from '../../http/route-types.js';
import type { PermissionRules } from './permission-rules/permission-rules.js';
import type { Permissions } from './permissions.js';

const tags = ['conversations'];

interface PermissionParts {
  permissions: Permissions;
  rules: PermissionRules;
}

/** Registers the operator's routes for permission requests of agents. Contract: Conversations. */
export async function permissionsRoutes(app: App, { permissions, rules }: PermissionParts): Promise<void> {
  app.get<{ Querystring: PageQuery }>(
    '/permissions',
    {
      schema: {
        summary: 'Open permission questions of all conversations, oldest first',
        tags,
        querystring: PageQuery,
        response: { 200: Type.Ref('PermissionList') },
      },
    },
    async (request): Promise<PermissionList> => permissions.list(request.query),
  );

  app.post<{ Params: { conv: string; pid: string }; Body: DecidePermission }>(
    '/conversations/:conv/permissions/:pid',
    {
      schema: {
        summary: 'Answer a question of the agent',
        tags,
        body: DecidePermission,
        response: { 200: Type.Ref('Permission') },
      },
    },
    (request): Promise<Permission> => permissions.decide(request.params.conv, request.params.pid, request.body),
  );

  app.get(
    '/permissions/rules',
    {
      schema: { summary: 'What agents may do without asking', tags, response: { 200: Type.Ref('PermissionRuleList') } },
    },
    async (): Promise<PermissionRuleList> => rules.list(),
  );

  app.delete<{ Params: { rule: string } }>(
    '/permissions/rules/:rule',
    { schema: { summary: 'Take a permission rule back', tags, response: { 200: Type.Ref('PermissionRule') } } },
    (request): Promise<PermissionRule> => rules.remove(request.params.rule),
  );
}
