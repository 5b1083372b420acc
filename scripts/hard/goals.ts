/** Amount of testing: quick before every change, full before a release, long when a day is available. */
export const TIERS = ['quick', 'full', 'long'] as const;
export type Tier = (typeof TIERS)[number];

/** Numbers that limit a drill. Each can be overridden on the command line of the drill. */
export type Bounds = Readonly<Record<string, number>>;

/** A goal and its bounds in each tier that includes it. The drill is the file of the same name in `folder`. */
export interface GoalRow {
  folder: 'access' | 'input' | 'load' | 'loss' | 'money' | 'network';
  goal: string;
  title: string;
  tiers: Readonly<Partial<Record<Tier, Bounds>>>;
  /** The drill measures time, hence no other drill may run at the same time. */
  isTimed?: true;
}

/** All drills. */
export const GOALS: Readonly<Record<string, GoalRow>> = {
  kill9: {
    folder: 'loss',
    goal: 'G1',
    title: 'Nothing acknowledged is lost when it is killed',
    tiers: { quick: { cycles: 10, acks: 400 }, full: { cycles: 300, acks: 500 }, long: { cycles: 2_000, acks: 500 } },
    isTimed: true,
  },
  'torn-files': {
    folder: 'loss',
    goal: 'G3',
    title: 'Torn and damaged files give no wrong record and stop no start',
    tiers: {
      quick: { cuts: 150, flips: 150, starts: 6 },
      full: { cuts: 1_500, flips: 1_500, starts: 40 },
      long: { cuts: 50_000, flips: 50_000, starts: 300 },
    },
  },
  'full-disk': {
    folder: 'loss',
    goal: 'G4',
    title: 'A full disk loses nothing and is got over without a restart',
    tiers: { full: { posts: 400, rounds: 5 } },
  },
  'index-kill': {
    folder: 'loss',
    goal: 'index-kill',
    title: 'Killed while it reads a project for the first time, it answers right in its next life',
    tiers: { quick: { kills: 6, files: 1_500 }, full: { kills: 40, files: 4_000 }, long: { kills: 400, files: 4_000 } },
  },
  'failing-calls': {
    folder: 'input',
    goal: 'G5',
    title: 'Whichever call of the system fails, nothing acknowledged is lost and the daemon goes on',
    tiers: { full: { runs: 120 }, long: { runs: 390 } },
  },
  'http-fuzz': {
    folder: 'input',
    goal: 'G6',
    title: 'Damaged requests and frames get no 5xx, hang nothing and end nothing',
    tiers: { quick: { n: 12_000 }, full: { n: 150_000 }, long: { n: 1_000_000 } },
  },
  'planted-secrets': {
    folder: 'access',
    goal: 'G9',
    title: 'No byte of a secret stands outside its file',
    tiers: { quick: {}, full: {} },
  },
  'outside-reading': {
    folder: 'access',
    goal: 'G42',
    title: 'No secret and no untracked file reaches another program through any client',
    tiers: { quick: { asks: 16, ways: 1 }, full: { asks: 500, ways: 3 } },
  },
  'untracked-files': {
    folder: 'access',
    goal: 'G43',
    title: 'Other programs are told of tracked files alone, as git tells at that moment',
    tiers: { quick: {}, full: {} },
  },
  'leaves-worktree': {
    folder: 'access',
    goal: 'W1',
    title: 'Nothing of an agent in a worktree reaches the branches, index and files of the user',
    tiers: { quick: {}, full: {} },
  },
  'auth-matrix': {
    folder: 'access',
    goal: 'G7',
    title: 'Every route refuses every wrong credential',
    tiers: { quick: {}, full: {} },
  },
  'foreign-callers': {
    folder: 'access',
    goal: 'G8',
    title: 'No page of another origin and no rebound name gets anywhere',
    tiers: { quick: { browser: 0 }, full: { browser: 1 } },
  },
  'one-name': {
    folder: 'access',
    goal: 'G35',
    title: 'It answers to 127.0.0.1 alone, whoever holds the port under another name',
    tiers: { quick: {}, full: {} },
  },
  'left-over-worker': {
    folder: 'access',
    goal: 'G36',
    title: 'A service worker that an earlier program left at the port is gone after the first page',
    tiers: { quick: {}, full: {} },
  },
  'stalled-reader': {
    folder: 'load',
    goal: 'G11',
    title: 'A reader who stalls delays nobody',
    tiers: { quick: { pairs: 1 }, full: { pairs: 3 } },
    isTimed: true,
  },
  'fan-out': {
    folder: 'load',
    goal: 'G12',
    title: 'What is said in a full room reaches everybody at once',
    tiers: { full: { deliveries: 50_000, seconds: 10 }, long: { deliveries: 50_000, seconds: 60 } },
    isTimed: true,
  },
  flooders: {
    folder: 'load',
    goal: 'G13',
    title: 'Sockets that flood are closed, and nobody else feels them',
    tiers: { quick: { floods: 240 }, full: { floods: 600 } },
    isTimed: true,
  },
  'mixed-load': {
    folder: 'load',
    goal: 'G15',
    title: 'Whatever happens at once, nobody waits for the event loop',
    tiers: { full: { seconds: 60 } },
    isTimed: true,
  },
  soak: {
    folder: 'load',
    goal: 'G16',
    title: 'Nothing grows, however long it runs',
    tiers: { full: { minutes: 4 }, long: { minutes: 480 } },
    isTimed: true,
  },
  'idle-sockets': {
    folder: 'load',
    goal: 'G10',
    title: 'Idle sockets weigh little and stay',
    tiers: { full: { sockets: 9_500 } },
    isTimed: true,
  },
  'shutdown-sockets': {
    folder: 'load',
    goal: 'G17',
    title: 'It ends at once and in order, whoever is connected',
    tiers: { quick: { rounds: 1, sockets: 2_000 }, full: { rounds: 3, sockets: 5_000 } },
    isTimed: true,
  },
  'kill-with-turns': {
    folder: 'loss',
    goal: 'G18',
    title: 'A killed daemon leaves no program running and no turn open',
    tiers: { quick: { rounds: 1 }, full: { rounds: 3 } },
  },
  'roadmap-kill': {
    folder: 'loss',
    goal: 'G18',
    title: 'A roadmap run that is killed at each step gives nothing out twice and loses nothing',
    tiers: { quick: { rounds: 1 }, full: { rounds: 5 } },
  },
  'checkpoint-kill': {
    folder: 'loss',
    goal: 'W2',
    title:
      'Killed at any step of a checkpoint, a rewind or a revert, it loses none, and touches neither index nor HEAD',
    tiers: { quick: { kills: 12 }, full: { kills: 500 } },
  },
  'merge-kill': {
    folder: 'loss',
    goal: 'W3',
    title: 'A merge that is killed at any moment happened as a whole or not at all',
    tiers: { quick: { kills: 8 }, full: { kills: 150 } },
  },
  restart: {
    folder: 'loss',
    goal: 'G18',
    title: 'With a hundred thousand records it is ready again at once, and what was under way has ended',
    tiers: { full: { records: 100_000, looks: 5_000 }, long: { records: 100_000, looks: 100_000 } },
    isTimed: true,
  },
  'output-flood': {
    folder: 'load',
    goal: 'G19',
    title: 'An agent program that says a gigabyte fails alone',
    tiers: { quick: { megabytes: 100, programs: 1 }, full: { megabytes: 1_000, programs: 2 } },
  },
  'two-projects': {
    folder: 'money',
    goal: 'two-projects',
    title: 'A call between two projects is paid once or not at all, whichever daemon is killed at whichever step',
    tiers: { quick: { kills: 6 }, full: { kills: 60 } },
  },
  payments: {
    folder: 'money',
    goal: 'G25',
    title: 'Nothing is carried out twice and no lamport is lost, over kills',
    tiers: {
      quick: { attempts: 600, kills: 2 },
      full: { attempts: 10_000, kills: 50 },
      long: { attempts: 100_000, kills: 200 },
    },
  },
  'wall-fuzz': {
    folder: 'input',
    goal: 'G6',
    title: 'Damaged frames and requests of clusters harm nobody',
    tiers: { quick: { n: 3_000 }, full: { n: 100_000 }, long: { n: 500_000 } },
  },
  'cluster-delete': {
    folder: 'loss',
    goal: 'cluster-delete',
    title: 'Of a deleted cluster nothing is left, and nothing tells that it was',
    tiers: { full: { members: 500 } },
  },
  'clock-jumps': {
    folder: 'loss',
    goal: 'G20',
    title: 'A clock that jumps brings nothing back, and stops nothing',
    tiers: { full: {} },
  },
  'half-open': {
    folder: 'load',
    goal: 'G21',
    title: 'Whoever has stopped answering is seen to be gone',
    tiers: { full: { sockets: 200 }, long: { sockets: 1_000 } },
  },
  'slow-clients': {
    folder: 'load',
    goal: 'G14',
    title: 'Clients that take their time are cut, and delay nobody',
    tiers: { full: { clients: 400, rush: 3_000 } },
    isTimed: true,
  },
  'log-volume': {
    folder: 'load',
    goal: 'G30',
    title: 'No attack fills the log',
    tiers: { full: { seconds: 5 } },
  },
  'log-cap': {
    folder: 'load',
    goal: 'G30',
    title: 'The log stays within its size, and touches no file but its own',
    tiers: { quick: { requests: 500 }, full: { requests: 20_000 } },
  },
  'shown-text': {
    folder: 'access',
    goal: 'G34',
    title: 'Nothing that a repository is called commands a terminal, a log or a page',
    tiers: { quick: { shown: 40 }, full: { shown: 40 } },
  },
  'odd-input': {
    folder: 'input',
    goal: 'G6',
    title: 'Odd input that is well-formed gets no 5xx, and floods that no message ends are cut',
    tiers: { quick: { sessions: 1_000, frames: 5_000 }, full: { sessions: 5_000, frames: 15_000 } },
  },
  'folder-faults': {
    folder: 'loss',
    goal: 'G23',
    title: 'Folders that cannot be used are named, and nothing is taken that could not be kept',
    tiers: { full: { checkouts: 20 } },
  },
  'few-files': {
    folder: 'loss',
    goal: 'G22',
    title: 'When it may open no more files, those who are connected are served',
    tiers: { full: { files: 128 } },
  },
  'synced-first': {
    folder: 'loss',
    goal: 'G2',
    title: 'No answer goes out before its record is on the disk',
    tiers: { full: { writes: 1_000 } },
  },
  'clone-members': {
    folder: 'access',
    goal: 'G33',
    title: 'What a clone or a pull brings opens no member before the operator agrees',
    tiers: { quick: {}, full: {} },
  },
  'two-daemons': {
    folder: 'loss',
    goal: 'G24',
    title: 'One daemon runs for a project, whatever is started',
    tiers: { quick: { rounds: 1 }, full: { rounds: 20 } },
  },
  'cut-off': {
    folder: 'loss',
    goal: 'cut-off',
    title: 'A migration or a restore that is killed at any system call leaves all of the old or all of the new',
    tiers: { quick: { migrations: 3, restores: 5 }, full: { migrations: 60, restores: 200 } },
  },
  'token-timing': {
    folder: 'access',
    goal: 'G27',
    title: 'How long a token takes to be refused tells nothing of it',
    tiers: { full: { samples: 20_000 } },
    isTimed: true,
  },
  patterns: {
    folder: 'input',
    goal: 'G29',
    title: 'No regular expression takes longer than the length of its text explains',
    tiers: { full: { ms: 1_000, texts: 60 }, long: { ms: 20_000, texts: 1_000 } },
    isTimed: true,
  },
  'foreign-files': {
    folder: 'access',
    goal: 'G31',
    title: 'Whatever stands in the place of a private file, nothing behind it is touched',
    tiers: { quick: { places: 8 }, full: { places: 400 } },
  },
  'foreign-state': {
    folder: 'access',
    goal: 'G32',
    title: 'State that this machine did not make runs nothing, calls nobody and opens nothing',
    tiers: { quick: {}, full: {} },
  },
  'loop-holders': {
    folder: 'load',
    goal: 'G39',
    title: 'No body that a caller sends holds the event loop',
    tiers: { quick: { general: 1 }, full: { general: 5 } },
    isTimed: true,
  },
  'network-log': {
    folder: 'network',
    goal: 'network-log',
    title: 'The daemons of a network stay equal and lose nothing while servers and stores are cut off',
    tiers: {
      quick: { commands: 300, kills: 3 },
      full: { commands: 6_000, kills: 6 },
      long: { commands: 100_000, kills: 60 },
    },
  },
  'network-wall': {
    folder: 'network',
    goal: 'network-wall',
    title: 'What is said at one daemon of a network is heard at all others, in order and soon',
    tiers: {
      quick: { sockets: 50, messages: 1_000, perSecond: 50 },
      full: { sockets: 1_000, messages: 2_000, perSecond: 20 },
    },
    isTimed: true,
  },
  'network-join': {
    folder: 'network',
    goal: 'network-join',
    title: 'A daemon joins a large network soon, leaves it, and gets back what it had',
    tiers: { quick: { agents: 1_000, posts: 1_000 }, full: { agents: 100_000, posts: 100_000 } },
    isTimed: true,
  },
  'network-week': {
    folder: 'network',
    goal: 'network-week',
    title: 'A week of a network: daemons stay equal and near, and servers keep a bounded part',
    tiers: {
      quick: { daemons: 3, processes: 1, agents: 60, clusters: 5, hours: 30, changes: 60, write: 0 },
      full: { daemons: 10, processes: 2, agents: 1_000, clusters: 40, hours: 72, changes: 300, write: 0 },
      long: { daemons: 50, processes: 4, agents: 5_000, clusters: 200, hours: 168, changes: 500, write: 0 },
    },
    isTimed: true,
  },
  'free-tier': {
    folder: 'money',
    goal: 'G40',
    title: 'New addresses and new keys bring no more free calls',
    tiers: { quick: {} },
  },
  'post-pay': {
    folder: 'money',
    goal: 'G41',
    title: 'Keys that praise each other are given no credit',
    tiers: { quick: {} },
  },
  dependencies: {
    folder: 'access',
    goal: 'G28',
    title: 'What it is made of is pinned, current, licensed and runs nothing while it is installed',
    tiers: { quick: { audit: 0 }, full: { audit: 1 } },
  },
  'foreign-budget': {
    folder: 'access',
    goal: 'G37',
    title: 'Another user of the machine fills no store and takes no time',
    tiers: { quick: { seconds: 4, judgesLatency: 0 }, full: { seconds: 30, judgesLatency: 1 } },
    isTimed: true,
  },
  'foreign-sockets': {
    folder: 'access',
    goal: 'G38',
    title: 'Another user of the machine does not take the operator’s connections',
    tiers: { quick: { seconds: 4, judgesLatency: 0 }, full: { seconds: 30, judgesLatency: 1 } },
    isTimed: true,
  },
};
