/** A page of `meshd help` that is not about a command: a title and a list of terms. */
export interface Topic {
  about: string;
  items: readonly (readonly [term: string, meaning: string])[];
  after?: string;
}

export const TOPICS: Readonly<Record<string, Topic>> = {
  'exit-codes': {
    about: 'Exit status of meshd',
    items: [
      ['0', 'ok'],
      ['1', 'failed'],
      ['2', 'usage: the command line or its input is wrong'],
      ['3', 'the daemon is not reachable'],
      ['4', 'not found'],
      ['5', 'refused'],
      ['6', 'conflict'],
      ['7', 'the member, or the agent, answered with an error'],
      ['8', 'the deadline passed; the request continues, and its id is printed'],
      ['9', 'a person must decide'],
      ['70', 'internal error of the daemon'],
      ['75', 'a daemon runs for the project already, or the port is taken by another program'],
      ['78', 'the configuration is wrong'],
      ['130', 'ended with Ctrl-C'],
    ],
    after:
      'A failure is one sentence on stderr; with --json it is one object on stdout, {"error": "<code>", ' +
      '"message": "…"}, with the code that the daemon gave. A closed pipe (`meshd requests ls | head -1`) is ' +
      'not a failure.',
  },
  output: {
    about: 'Output of meshd',
    items: [
      ['stdout', 'the answer, and nothing else'],
      ['stderr', 'remarks, progress, questions and failures'],
      ['--json', 'one JSON object on stdout, the answer or the failure, and nothing else anywhere'],
      ['--jsonl', 'of commands that list or follow: one JSON object a line'],
      ['NO_COLOR', 'any value but the empty one: no colours; nor are there any where stdout is no terminal'],
    ],
    after:
      'Text from other programs is printed without terminal control sequences. Tokens and keys are never taken ' +
      'from the command line: they are read from .mesh/credentials, from stdin or from the environment.',
  },
  environment: {
    about: 'Environment variables of meshd',
    items: [
      ['VISUAL, EDITOR', 'the editor of `meshd team edit`, with arguments if need be'],
      ['NO_COLOR, TERM', 'any NO_COLOR but the empty one, or the TERM dumb: no colours'],
      ['DISPLAY', 'whether a browser can be opened; without one the address is printed'],
      ['WAYLAND_DISPLAY', 'the same'],
      ['WSL_DISTRO_NAME', 'the same'],
      ['PATH', 'where git, the editor, the browser and the programs that run members are found'],
      ['MESHD_CLUSTER_TOKEN', 'the cluster token for a command, instead of the saved one'],
      ['MESHD_COMPLETE_MS', 'how long completion waits for the daemon, in milliseconds (default: 1000)'],
      ['HOME', 'your home folder; without one nothing is registered for `meshd ls`, and `backup` needs a file'],
      ['XDG_STATE_HOME', 'where running daemons of a user are registered, for `meshd ls` (default: ~/.local/state)'],
      ['XDG_CONFIG_HOME', 'where `meshd service` writes the unit of systemd (default: ~/.config)'],
      ['XDG_RUNTIME_DIR, XDG_DATA_HOME', 'handed to the editor that files are opened in'],
      ['XDG_CACHE_HOME', 'handed to that editor too'],
      ['XDG_CURRENT_DESKTOP', 'handed to that editor too'],
      ['MESHD_HOST', '127.0.0.1: any other address is refused'],
      ['MESHD_LOG_LEVEL', 'what the daemon logs: fatal, error, warn, info (default), debug or trace'],
      ['MESHD_CLAUDE_COMMAND', 'another claude than the one on the PATH'],
      [
        'MESHD_ACP_COMMAND',
        'a program that speaks the Agent Client Protocol, as a command or a JSON list of its words',
      ],
      ['MESHD_ACP_KEYS', 'names of the variables that it may see, with commas'],
      ['MESHD_API_PROVIDER', 'openai-compatible or anthropic: runs members on a model behind an API'],
      ['MESHD_API_BASE_URL', 'its address'],
      ['MESHD_API_MODEL', 'models there, with commas, the strongest first'],
      ['ANTHROPIC_API_KEY', 'the key of that provider, also for the programs that run members on it'],
      ['OPENAI_API_KEY', 'the same'],
      ['ANTHROPIC_AUTH_TOKEN', 'passed to the programs of that provider which run members'],
      ['ANTHROPIC_BASE_URL', 'the same'],
      ['CLAUDE_CODE_OAUTH_TOKEN', 'the same'],
      ['CLAUDE_CONFIG_DIR', 'the same'],
      ['CODEX_API_KEY', 'the same'],
      ['CODEX_HOME', 'the same'],
      ['GEMINI_API_KEY', 'the same'],
      ['GOOGLE_API_KEY', 'the same'],
      ['GOOGLE_CLOUD_PROJECT', 'the same'],
      ['GOOGLE_GEMINI_BASE_URL', 'the same'],
      ['OPENAI_BASE_URL', 'the same'],
      ['OPENCODE_API_KEY', 'the same'],
      ['OPENROUTER_API_KEY', 'the same'],
      ['CLAUDE_CODE_CLIENT_CERT', 'the same'],
      ['CLAUDE_CODE_CLIENT_KEY', 'the same'],
      ['CLAUDE_CODE_CLIENT_KEY_PASSPHRASE', 'the same'],
      [
        'HTTP_PROXY, HTTPS_PROXY, ALL_PROXY',
        'passed to all programs which run members, in lower case too; a password in them is kept out of what is shown',
      ],
      ['NO_PROXY', 'the same; where there is a proxy, with 127.0.0.1 and localhost added'],
      ['NODE_EXTRA_CA_CERTS', 'the same: authorities to trust besides; the daemon trusts them too'],
      ['NODE_USE_SYSTEM_CA', 'the same, with 1: those of the system'],
      ['SSL_CERT_FILE, SSL_CERT_DIR', 'the same, for programs that are not made with Node.js'],
      ['GH_HOST', 'the host of pull requests, when it is not github.com; as gh reads it'],
      ['MESHD_SOLANA_DEVNET_URL', 'the JSON-RPC address of that network; without one it is not used'],
      ['MESHD_SOLANA_MAINNET_URL', 'the same for real money'],
      ['MESHD_EMBEDDINGS_URL', 'a service that turns words into vectors for `meshd find`'],
      ['MESHD_EMBEDDINGS_MODEL', 'the model there'],
      ['MESHD_EMBEDDINGS_KEY_NAME', 'the name of the variable that holds its key'],
      ['MESHD_LAMPORTS_USD', 'what a lamport is worth in US dollars, for prices in both'],
      ['MESHD_RATES', 'what the amount 1 of other currencies is worth in US dollars, with commas: EUR=1.08'],
      ['MESHD_PROMOTED_AGENTS', 'agents that `meshd find` ranks higher, with commas: id or id=0.03'],
      ['MESHD_PARTNER_KEYS', 'name:key with commas: who may register reserved ids'],
      [
        'MESHD_LOOPBACK_ENDPOINTS',
        'host:port of agents on this machine whose cards may be read over plain http, with commas',
      ],
    ],
    after:
      'The daemon takes them when it starts: `meshd down && meshd up` after a change. It uses no proxy of the ' +
      'environment itself; `meshd doctor` warns of one that does not spare 127.0.0.1. Gemini before 0.44.0 does not ' +
      "obey NO_PROXY: behind a proxy it is not given the daemon's tools.",
  },
  files: {
    about: 'Files of meshd in the project',
    items: [
      ['.mesh/team/*.md', 'the members, committed'],
      ['.mesh/roadmap.md', 'the tasks, committed'],
      ['.mesh/INSTRUCTIONS.md', 'how to work in this project, committed; text outside the kept block is yours'],
      ['.mesh/STANDARD_VERSION', 'the revision of the conventions, committed'],
      ['.mesh/.gitignore', 'keeps the two folders below out of git'],
      ['.mesh/credentials/', 'tokens and keys: yours alone (0700, files 0600), never committed'],
      ['.mesh/state/mesh.db', 'requests, conversations and all other records'],
      ['.mesh/state/knowledge.db', 'the index over the project; it is made anew when it is gone'],
      ['.mesh/state/daemon.json', 'address and proof secret of the running daemon'],
      ['.mesh/state/daemon.log', "the daemon's log"],
      ['.mesh/state/id', "identifies the state as this machine's; `~/.local/state/meshd/states` remembers it"],
      ['~/.local/state/meshd/worktrees/', 'outside the project: the git worktrees of conversations'],
      ['.mesh/foreign-*/', 'state from another machine, set aside unread; `meshd adopt` takes it over'],
      ['.mesh/state/before-restore-*/', 'what a restore has put aside; `meshd restore --undo` puts it back'],
    ],
    after:
      'The project is the nearest folder upwards with a .mesh, else git’s top level, else the current folder; ' +
      '--root names another. The home folder and / are only taken from within themselves, and a .mesh that ' +
      'another user made only with --root.',
  },
};
