/** The kind of untrusted author of a displayed field, and how the text arrives. */
export type Party =
  /** Files of a clone: members, tests, the roadmap, agents of other tools, sources. */
  | 'repository'
  /** A program with a member's token, and the agent program that runs a member. */
  | 'caller'
  /** An agent of the directories: its registration, card, catalog entry and answers. */
  | 'agent'
  /** Anyone who creates clusters, boards and posts, or speaks on a Wall. */
  | 'peer'
  /** The agent that changes files, and the member that reviews them. */
  | 'editor';

interface Field {
  by: Party;
  /** The most characters that the daemon accepts. */
  limit: number;
  /** The contract's texts in which the field is returned. */
  comesAs: readonly string[];
}

const field = (by: Party, limit: number, ...comesAs: string[]): Field => ({ by, limit, comesAs });
const ofMember = (key: string) => [`Member.${key}`, `MemberDetail.${key}`, `Draft.${key}`];
const ofPrice = (key: string) =>
  ofMember(`pricing.${key}`).flatMap((path) => [path, path.replace('.pricing.', '.pricing[].')]);

/** Every text that an untrusted author may choose. A test plants each of them and finds it on a page. */
export const FIELDS = {
  'member.name': field(
    'repository',
    80,
    ...ofMember('name'),
    'PublicCard.name',
    'AgentCard.name',
    'AgentBanner.name',
    'CardSkill.name',
  ),
  'member.description': field(
    'repository',
    400,
    ...ofMember('description'),
    'PublicCard.description',
    'AgentCard.description',
    'AgentBanner.description',
  ),
  'member.model': field(
    'repository',
    200,
    ...ofMember('model'),
    'Member.model_resolved',
    'MemberDetail.model_resolved',
  ),
  'member.tool': field('repository', 80, ...ofMember('tools[]')),
  'member.example': field('repository', 500, ...ofMember('examples[]')),
  'member.ref': field('repository', 500, ...ofMember('refs[]')),
  'member.color': field('repository', 40, ...ofMember('color')),
  'member.emoji': field('repository', 16, ...ofMember('emoji')),
  'member.availability.window_hours': field('repository', 200, ...ofMember('availability.window_hours')),
  'member.availability.sla': field('repository', 200, ...ofMember('availability.sla')),
  'member.contact': field('repository', 2_000, ...ofMember('contact{}')),
  'member.pricing.unit': field('repository', 64, ...ofPrice('unit')),
  'member.pricing.currency': field('repository', 16, ...ofPrice('currency')),
  'member.pricing.network': field('repository', 64, ...ofPrice('network')),
  'member.pricing.tier': field('repository', 64, ...ofPrice('tier')),
  'member.key': field('repository', 100, 'MemberDetail.unknown_keys[]'),
  'member.body': field(
    'repository',
    12_000,
    'MemberDetail.body',
    'Draft.body',
    'MemberFile.text',
    'MemberFile.committed_text',
    'PullPreview.text',
    'PullPreview.pulled',
    'MemberRevision.text',
    'MemberRevision.before',
  ),
  'commit.author': field('repository', 200, 'MemberCommit.author', 'BlameCommit.author'),
  'commit.subject': field('repository', 1_000, 'MemberCommit.subject', 'BlameCommit.subject'),
  'member.problem': field('repository', 300, 'Member.problem.reason', 'MemberDetail.problem.reason', 'Problem.reason'),
  'test.question': field(
    'repository',
    200,
    'MemberTest.question',
    'MemberTestResult.question',
    'MemberTests.text',
    'MemberTests.progress.asking',
  ),
  'test.cites': field('repository', 100, 'MemberTest.cites[]'),
  'test.says': field('repository', 200, 'MemberTest.says[]', 'MemberTestResult.failures[]'),
  'test.never': field('repository', 200, 'MemberTest.never_says[]'),
  'roadmap.text': field('repository', 500, 'RoadmapTask.text'),
  'roadmap.heading': field('repository', 500, 'RoadmapTask.heading'),
  'roadmap.check': field('repository', 200, 'RoadmapTask.check'),
  'import.name': field('repository', 80, 'ImportCandidate.name'),
  'import.description': field('repository', 400, 'ImportCandidate.description'),
  'import.key': field('repository', 60, 'FieldFate.key', 'Loss.key'),
  'import.value': field('repository', 200, 'FieldFate.shown'),
  'import.file': field(
    'repository',
    100,
    'ImportCandidate.source',
    'Drift.source',
    'Imported.imported[].source',
    'Imported.skipped[].source',
  ),
  'source.path': field(
    'repository',
    100,
    'Citation.path',
    'FileLines.path',
    'ProjectFiles.paths[]',
    'ProjectNames.files[]',
    'NamedSymbol.path',
  ),
  'source.line': field('repository', 12_000, 'Citation.quote', 'FileLines.lines[]'),
  'project.name': field('repository', 100, 'Health.project', 'RunningProject.name', 'RunningProject.root'),

  'ask.text': field(
    'caller',
    16_000,
    'RequestDetail.text',
    'RequestRow.question',
    'Conversation.preview',
    'AnswerTrace.words[].written',
    'AnswerTrace.words[].forms[]',
  ),
  'ask.document.name': field('caller', 255, 'RequestDetail.context_docs[].filename', 'Message.context_docs[]'),
  'ask.document.content': field('caller', 12_000, 'RequestDetail.context_docs[].content'),
  'ask.user_agent': field(
    'caller',
    500,
    'RequestDetail.caller.user_agent',
    'RequestRow.caller.user_agent',
    'RefusedCalls.caller',
    'UsageGroup.name',
  ),
  'ask.idempotency_key': field(
    'caller',
    128,
    'RequestDetail.caller.idempotency_key',
    'RequestRow.caller.idempotency_key',
  ),
  'answer.text': field(
    'caller',
    12_000,
    'AskRecord.result_text',
    'RequestDetail.result_text',
    'SkillAskResult.result_text',
    'Message.text',
    'MessageList.live.text',
  ),
  'tool.name': field('caller', 80, 'ToolCall.name', 'AskRecord.progress.stage', 'RequestDetail.progress.stage'),
  'tool.target': field('caller', 400, 'ToolCall.target'),
  'tool.output': field('caller', 2_000, 'ToolCall.output'),
  'permission.tool': field('caller', 60, 'Permission.tool', 'WaitingPermission.tool'),
  'permission.target': field(
    'caller',
    400,
    'Permission.target',
    'WaitingPermission.target',
    'PermissionDetail.command',
    'PermissionDetail.folder',
    'PermissionDetail.environment[]',
    'PermissionDetail.text',
    'PermissionDetail.method',
    'PermissionDetail.url',
    'PermissionDetail.changes[].path',
    'PermissionDetail.changes[].old_text',
    'PermissionDetail.changes[].new_text',
    'RuleOffer.value',
    'PermissionRule.value',
    'PermissionRule.tool',
  ),
  'permission.reason': field('caller', 400, 'Permission.reason', 'WaitingPermission.reason'),
  'turn.reason': field(
    'caller',
    300,
    'Turn.reason',
    'AskRecord.error.message',
    'RequestDetail.error.message',
    'RequestRow.error.message',
    'RoadmapTask.reason',
    'ScheduleRun.reason',
  ),
  'conversation.title': field(
    'caller',
    200,
    'Conversation.title',
    'Conversation.parent.title',
    'Budget.name',
    'WaitingPermission.title',
    'PermissionRule.title',
  ),
  'conversation.model': field(
    'caller',
    200,
    'Conversation.model',
    'Conversation.model_resolved',
    'Turn.model',
    'AskRecord.model',
    'RequestDetail.model',
    'RequestRow.model',
    'SkillAskResult.model',
    'Receipt.model',
  ),

  'hub.description': field(
    'agent',
    1_000,
    'AgentRecord.description',
    'RegistryRecord.description',
    'FoundAgent.description',
  ),
  'hub.capability': field('agent', 64, 'AgentRecord.capabilities[]', 'RegistryRecord.capabilities[]'),
  'card.description': field('agent', 1_000, 'Tier1Card.description'),
  'card.tag': field('agent', 64, 'Tier1Card.tags[]', 'FoundAgent.tags[]'),
  'card.protocol': field('agent', 32, 'Tier1Card.protocols[]', 'FoundAgent.protocols[]'),
  'card.pricing.unit': field('agent', 64, 'Tier1Card.pricing.unit', 'FoundAgent.pricing.unit'),
  'card.endpoint': field('agent', 1_500, 'Tier1Card.endpoint', 'RegistryRecord.endpoint', 'FoundAgent.endpoint'),
  'catalog.name': field('agent', 200, 'CatalogEntry.name'),
  'catalog.description': field('agent', 4_000, 'CatalogEntry.description'),
  'catalog.url': field('agent', 1_500, 'CatalogEntry.url'),
  'catalog.tag': field('agent', 64, 'CatalogEntry.tags[]'),
  'catalog.source': field('agent', 200, 'CatalogEntry.source'),
  'tier2.name': field('agent', 200),
  'tier2.description': field('agent', 4_000),
  'skill.id': field('agent', 64, 'Call.skill', 'Approval.skill', 'LedgerEntry.skill'),
  'skill.name': field('agent', 200),
  'skill.description': field('agent', 3_000),
  'skill.example': field('agent', 2_000),
  'call.result': field('agent', 9_000),
  'call.error': field(
    'agent',
    300,
    'Call.error.message',
    'Settled.failed[].message',
    'LedgerEntry.reason',
    'Challenge.message',
  ),

  'cluster.name': field(
    'peer',
    80,
    'Cluster.name',
    'CatalogCluster.name',
    'Room.name',
    'RoomDetail.name',
    'MapPlace.cluster',
  ),
  'cluster.topic': field('peer', 80, 'Cluster.topic', 'CatalogCluster.topic', 'Room.topic', 'RoomDetail.topic'),
  'cluster.description': field('peer', 1_000, 'Cluster.description', 'CatalogCluster.description'),
  'cluster.place': field('peer', 200, 'Where.label', 'Props.where.label', 'MapPlace.label'),
  'cluster.require': field('peer', 64, 'Props.entry.require[]'),
  'board.name': field('peer', 80, 'Board.name'),
  'board.about': field('peer', 400, 'Board.about'),
  'post.title': field('peer', 200, 'Post.title', 'BoardEvent.title', 'MapPlace.title'),
  'post.body': field('peer', 12_000, 'Post.body'),
  'post.author': field('peer', 64, 'Post.author'),
  'post.file.url': field('peer', 1_500),
  'post.place': field('peer', 200, 'PostProps.where.label'),
  'wall.handle': field('peer', 64, 'Room.handle', 'RoomDetail.handle'),
  'wall.text': field('peer', 12_000),
  'wall.data': field('peer', 4_000),
  'wall.media.url': field('peer', 1_500),
  'network.daemon': field('peer', 100, 'NetworkMember.name'),
  'network.server': field('peer', 200, 'NetworkStatus.server.name'),
  'network.refusal': field('peer', 2_000, 'NetworkStatus.refusals[].message', 'NetworkStatus.refusals[].reason'),
  'network.problem': field('peer', 500, 'NetworkStatus.problem'),

  'changed.path': field('editor', 60, 'ChangedFile.path', 'ReviewComment.path'),
  'changed.old_path': field('editor', 60, 'ChangedFile.old_path'),
  'changed.line': field('editor', 12_000, 'FileDiff.patch', 'ReviewComment.quote'),
  'changed.left_out': field('editor', 60, 'Checkpoint.left_out[]'),
  'review.text': field('editor', 9_000, 'ReviewComment.text'),
} as const satisfies Record<string, Field>;
export type FieldName = keyof typeof FIELDS;

/**
 * The other texts of the contract, by pattern, and why nothing is planted in them. A text that matches neither list has
 * been overlooked.
 */
export const OTHERS: readonly (readonly [RegExp, string])[] = [
  [/^BackupManifest\./, 'in a file that the command line alone reads'],
  [
    /[._](id|at|asked_by|conv|turn|pid|running|deleted|cursor|sha256|revision|commit|sig|pubkey|reporter|nonce|signature|token|last4|proof|known_daemons|timestamp|polls|post|first_unread)(\[\])?$/,
    'made here: an id, a time, a digest, a key',
  ],
  [/\.api_key(_last4)?$|_token$/, 'made here: a secret'],
  [
    /[._](member|agent|asking|suggested|written_for|entry|slug|board|restorable|reporter_agent_id|session|wallet|version|network|address|code|key|counterparty|after|waits_for)(\[\])?$/,
    'letters, digits and dashes by a rule of its own',
  ],
  [
    /\.(client|client_resolved|effort|effort_resolved|drafted_by|auto)$|^ClientInfo\.|^(Wallet|AgentHealth)\./,
    'named by the operator or the machine',
  ],
  [
    /\.(reason|problems?(\[\])?|message|warnings\[\](\.path|\.reason)?|notes?(\[\])?|reasons\[\]|why|fix|found|title|constraint|error|starter)$/,
    'a sentence of the daemon: what it quotes is planted where it comes from',
  ],
  [
    /\.(path|poll|ws|url|hub_url|base_url|agent_url|endpoint|method|chainPayUrl|memo|body|copy)$/,
    'an address or a line made here of ids',
  ],
  [/^(Exported|FieldFate|Leftover)\./, 'of a member file, in which it is planted'],
  [
    /^(AgentBanner|AgentCard|CardInterface|CardSkill|PublicCard|HostedTask|PaymentDeclaration|Challenge|Topup)\./,
    'read by programs; made of a member file',
  ],
  [/^(Channel|HubMessage|Inbox|Registration|RegistryRegistration|ReportRules)\./, 'read by programs; no page shows it'],
  [/^CodePlaces?\./, 'read by programs and printed escaped by the command line; no page shows it'],
  [/^NamedSymbol\.(name|kind|container)$/, 'an identifier, as the parser of its language accepts it'],
  [/^AnswerTrace\.form$/, 'a word of the daemon'],
  [/^Tier1Card\.(accepts|produces)\[\]$/, 'a media type by a rule of its own'],
  [/^(Preferences(Patch)?|WorktreePreferences)\./, "the operator's own"],
  [
    /^Conversation\.folder$|^ConversationIsolation\.branch$|^ConversationDeleted\.kept$|^Worktree(List|Removed)?\.(\w+)$/,
    'made here: a folder, a branch or ref of plain letters, a commit; the branch of the project folder is the operator’s',
  ],
  [/^CheckCommands?\./, "the operator's own"],
  [/^(Schedule|SchedulePreview|NextRun|ScheduleRun\.run$)/, "the operator's own, or made here: a time"],
  [/^(Review(Comment)?|MergePreview|Merged|PullRequest)\./, 'of an agent and its files, shown as text'],
  [
    /^(Changes|FileDiff)\.(from|to)$|^Checkpoint\.(checkpoint|others\[\])$|^BlameCommit\.hash$/,
    'made here: a name of a checkpoint, an id',
  ],
  [/^Rewound\.skipped\[\]$/, 'paths of files, as in a checkpoint'],
  [/^LogLine\./, 'a line of the daemon: what it quotes is planted where it comes from'],
  [/^Versions\./, 'named by the machine'],
  [/^(UsageReport|RefusedCalls)\.(from|to|first_at|last_at|route)$/, 'made here: a time, the pattern of a route'],
  [
    /^Budget(List)?\.(scope|since|not_reported\.\w+\[\]|day|ends_at|time_zone)$/,
    'made here: of ids, names of clients and times',
  ],
  [/^(ClientChoice|ClientSetup|ClientUse)\.(endpoint\.)?(model|named_only\[\])$/, "the operator's own"],
  [/^Telemetry(Settings)?\.header/, "the operator's own"],
  [/^TelemetryTest\.trace_id$/, 'made here'],
  [
    /^Telemetry(Test)?\.(last_error\.)?message$/,
    "words of the operator's collector: one line, cut, tried in daemon/features/telemetry/telemetry.test.ts",
  ],
  [/^ClientTest\.(answer|test)$|^OllamaModels\./, 'of a model that the operator connects, shown as text'],
  [/^PermissionRule\.rule$|^ProjectList\.command\[\]$/, 'made here: an id, the program that runs the daemon'],
  [/^(Editors|FileOpened)\./, 'from the daemon’s own table of editors'],
  [
    /^Network(Create|Join)\.|^NetworkStatus\.(network|url|promise|daemon)$/,
    'the operator’s own, a sentence of the daemon, or its key',
  ],
  [/^ForeignState\./, 'a folder of the daemon’s own naming, in a sentence of its own'],
];
