import { randomUUID } from 'node:crypto';
import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  LOCAL_NETWORK,
  NETWORKS,
  type NetworkName,
  type TransferBody,
  type TransferDone,
  WALLET_DEFAULT,
  type Wallet,
  type WalletList,
} from '../../contract/payments.js';
import { readChainPayUrl } from '../../lib/agents/chain-pay-url.js';
import { isLocalNetworkName } from '../../lib/agents/local-network-name.js';
import { formatSol, lamportsOfSol } from '../../lib/text/sol-amount.js';
import { action, type Common, examples } from '../action.js';
import { quoted } from '../daemon/doctor/check.js';
import { getDaemon } from '../daemon/project.js';
import { CommandError, EXIT } from '../exit-codes.js';
import type { HttpClient } from '../http-client.js';
import { untilInterrupted } from '../interrupt.js';
import { findProjectRoot } from '../team/member-place.js';
import { printable, type Terminal } from '../terminal.js';
import { isConfirmed } from '../yes-or-no.js';

const NOT_REAL = `${LOCAL_NETWORK} is this daemon's own network: its lamports are not real money.`;
const NOT_REAL_THERE = 'Members of that project are paid there: its lamports are not real money.';
/** A public network may take 150 s until a payment is confirmed, and as long again when it has to be signed anew. */
const PAY_TIMEOUT_MS = 320_000;
/** Exit statuses after which the outcome of a payment is unknown. */
const UNKNOWN_AFTER: ReadonlySet<number> = new Set([EXIT.unreachable, EXIT.deadline, EXIT.failed]);
const FUND_DEFAULT = 1_000_000_000;

interface Amount {
  sol?: number;
  lamports?: number;
}

interface RpcAnswer {
  result?: unknown;
  error?: { message: string };
}

interface PayOptions extends Amount {
  from: string;
  memo?: string;
  network?: NetworkName;
  once?: string;
  yes?: boolean;
}

/** Validates an amount of lamports for a request: above 0 and a safe integer. */
function payable(lamports: bigint | undefined, message: string): number {
  if (lamports === undefined || lamports < 1n || lamports > BigInt(Number.MAX_SAFE_INTEGER))
    throw new InvalidArgumentError(message);
  return Number(lamports);
}

const parseSol = (text: string) =>
  payable(lamportsOfSol(text), 'It must be an amount of SOL above 0 with at most nine decimals.');
const parseLamports = (text: string) =>
  payable(/^\d{1,16}$/.test(text) ? BigInt(text) : undefined, 'It must be a whole number above 0.');

/** Adds the options for an amount in either unit, of which only one may be given. */
function addAmount(command: Command): Command {
  return command
    .addOption(new Option('--sol <amount>', 'the amount in SOL').argParser(parseSol).conflicts('lamports'))
    .addOption(
      new Option('--lamports <count>', 'the amount in lamports, of which a SOL has 1,000,000,000').argParser(
        parseLamports,
      ),
    );
}

/** Argument parser for the name of a network, which may be the local one of another project. */
function parseNetwork(text: string): NetworkName {
  if ((NETWORKS as readonly string[]).includes(text) || isLocalNetworkName(text)) return text as NetworkName;
  throw new InvalidArgumentError(
    `It must be one of ${NETWORKS.join(', ')}, or the local network of another running project of yours as ` +
      '`meshd wallet show` names it.',
  );
}

const walletPath = (name: string) => `/wallets/${encodeURIComponent(name)}`;
const held = ({ lamports }: Wallet) => (lamports === null ? 'not reachable' : `${formatSol(lamports)} SOL`);

function showWallets(terminal: Terminal, wallets: readonly Wallet[]): void {
  const hasOthers = wallets.some(({ project }) => project !== undefined);
  const rows = wallets.map((wallet) => [
    wallet.name,
    wallet.address,
    wallet.network,
    held(wallet),
    ...(hasOthers ? [printable(wallet.project ?? '')] : []),
  ]);
  terminal.table(rows, ['WALLET', 'ADDRESS', 'NETWORK', 'BALANCE', ...(hasOthers ? ['PROJECT'] : [])]);
  if (wallets.some(({ network }) => network === LOCAL_NETWORK)) terminal.note(NOT_REAL);
}

/** The payment to make. A payment URL contains all of it, and options may not override it. */
function parsePayment(
  terminal: Terminal,
  recipient: string,
  { sol, lamports, memo, network }: PayOptions,
): TransferBody {
  const asked = recipient.startsWith('solana:') ? readChainPayUrl(recipient) : undefined;
  if (recipient.startsWith('solana:') && !asked)
    throw new CommandError(
      EXIT.usage,
      'This payment address asks for no amount of SOL: give the address and the amount.',
      'bad_request',
    );
  if (asked && (sol ?? lamports ?? memo) !== undefined)
    throw new CommandError(
      EXIT.usage,
      'The payment address says amount and memo itself: leave --sol, --lamports and --memo out.',
      'bad_request',
    );
  const amount = asked ? Number(asked.lamports) : (sol ?? lamports);
  if (amount === undefined || amount === 0)
    throw new CommandError(EXIT.usage, 'Say how much: --sol 0.5, or --lamports 500.', 'bad_request');
  if (asked?.label !== undefined) terminal.note(printable(`It says that it is from: ${asked.label}`));
  const note = asked ? asked.memo : memo;
  return {
    to: asked?.address ?? recipient,
    lamports: amount,
    ...(note === undefined ? {} : { memo: note }),
    ...(network && { network }),
  };
}

/** Adds to a failure that leaves the outcome of a payment unknown how to repeat it safely. */
function toUnknownOutcomeError(error: unknown, key: string): unknown {
  if (!(error instanceof CommandError) || !UNKNOWN_AFTER.has(error.exit)) return error;
  const message = `${error.message} Whether it was paid is not known: repeat it with --once ${key}, and it is paid once.`;
  return new CommandError(error.exit, message, error.code, { ...error.details, once: key });
}

function addWalletNew(wallet: Command, terminal: Terminal): void {
  wallet
    .command('new')
    .summary('create a wallet')
    .description('Create a wallet. An existing one of that name is not changed.')
    .argument('[wallet]', 'its name', WALLET_DEFAULT)
    .addHelpText('after', examples('meshd wallet new', 'meshd wallet new savings'))
    .action(
      action<object, [string]>(terminal, async ({ root, json }, name) => {
        const { client } = await getDaemon(root);
        const made = await client.send<Wallet>('POST', '/wallets', { body: { name } });
        if (json) return terminal.object(made);
        terminal.answer(made.address);
        terminal.note(`${name} holds ${held(made)} on ${made.network}. ${NOT_REAL}`);
      }),
    );
}

function addWalletShow(wallet: Command, terminal: Terminal): void {
  wallet
    .command('show')
    .summary('list wallets with their balances')
    .description(
      'List every wallet on every network that this machine knows, or one of them. The local networks of your other ' +
        'running projects are listed where a wallet holds something; for one wallet, always.',
    )
    .argument('[wallet]', 'only this one (default: all)')
    .addHelpText('after', examples('meshd wallet show', "meshd wallet show main --json | jq '.wallets[0].lamports'"))
    .action(
      action<object, [string | undefined]>(terminal, async ({ root, json }, name) => {
        const { client } = await getDaemon(root);
        const all = (await client.get<WalletList>('/wallets?neighbours=true')).wallets;
        const isShown = ({ lamports, project }: Wallet) => project === undefined || lamports !== 0;
        const wallets = all.filter((one) => (name === undefined ? isShown(one) : one.name === name));
        if (name !== undefined && wallets.length === 0)
          throw new CommandError(
            EXIT.notFound,
            `There is no wallet ${name}: create it with \`meshd wallet new ${name}\`.`,
            'not_found',
          );
        if (json) return terminal.object({ wallets, count: wallets.length });
        if (wallets.length === 0) terminal.note('No wallets yet: create one with `meshd wallet new`.');
        showWallets(terminal, wallets);
      }),
    );
}

/** Funds an address from the faucet of another project's local network. Returns its balance there. */
async function fundAt(client: HttpClient, address: string, lamports: number): Promise<number> {
  const rpc = async (method: string, params: readonly unknown[]) => {
    const body = { jsonrpc: '2.0', id: 1, method, params };
    const { result, error } = await client.send<RpcAnswer>('POST', '/chain', { body });
    if (error) throw new CommandError(EXIT.failed, `The faucet refused: ${error.message}.`, 'bad_request');
    return result;
  };
  await rpc('requestAirdrop', [address, lamports]);
  return ((await rpc('getBalance', [address])) as { value: number }).value;
}

function addWalletFund(wallet: Command, terminal: Terminal): void {
  addAmount(
    wallet
      .command('fund')
      .summary('fund a wallet on the local network')
      .description(`Fund a wallet from the local network's faucet, with 1 SOL by default. ${NOT_REAL}`)
      .argument('[wallet]', 'its name', WALLET_DEFAULT),
  )
    .option(
      '--project <name>',
      'on the local network of another running project of yours, whose members are paid there',
    )
    .addHelpText(
      'after',
      examples('meshd wallet fund', 'meshd wallet fund savings --sol 0.25', 'meshd wallet fund --project lamp'),
    )
    .action(
      action<Amount & { project?: string }, [string]>(terminal, async (options, name) => {
        const { root, json, sol, lamports, project } = options;
        const { client } = await getDaemon(root);
        const body = { lamports: sol ?? lamports ?? FUND_DEFAULT };
        if (project !== undefined) {
          const place = await findProjectRoot(project, root, terminal.environment.variables ?? {});
          const there = (await getDaemon(place)).client;
          const { address } = await client.send<Wallet>('POST', '/wallets', { body: { name } });
          const lamportsThere = await fundAt(there, address, body.lamports);
          if (json) return terminal.object({ name, address, project, lamports: lamportsThere });
          terminal.answer(
            `${name} holds ${formatSol(lamportsThere)} SOL on the local network of ${printable(project)} now.`,
          );
          return terminal.note(NOT_REAL_THERE);
        }
        const funded = await client.send<Wallet>('POST', `${walletPath(name)}/fund`, { body });
        if (json) return terminal.object(funded);
        terminal.answer(`${name} holds ${held(funded)} now.`);
        terminal.note(NOT_REAL);
      }),
    );
}

async function pay(
  terminal: Terminal,
  { root, json, ...options }: PayOptions & Common,
  recipient: string,
): Promise<void> {
  const body = parsePayment(terminal, recipient, options);
  const { network = LOCAL_NETWORK } = body;
  const isReal = network === 'solana:mainnet';
  const question = `Pay ${formatSol(body.lamports)} SOL of real money to ${body.to}?`;
  if (isReal && !options.yes && !(await isConfirmed(terminal, question)))
    throw new CommandError(EXIT.failed, 'Nothing was paid.', 'cancelled');
  const { client } = await getDaemon(root);
  const key = options.once ?? randomUUID();
  const call = { body, headers: { 'idempotency-key': key }, timeoutMs: PAY_TIMEOUT_MS };
  const paying = client.send<TransferDone>('POST', `${walletPath(options.from)}/pay`, call);
  const goesOn = `The payment goes on: repeat the command with --once ${quoted(key)}, and it is paid once.`;
  const done = await untilInterrupted(terminal, goesOn, { once: key }, paying).catch((error: unknown) => {
    throw toUnknownOutcomeError(error, key);
  });
  if (json) return terminal.object(done);
  terminal.answer(done.signature);
  terminal.note(`Paid ${formatSol(body.lamports)} SOL on ${network}; ${options.from} holds ${held(done.wallet)} now.`);
  if (network === LOCAL_NETWORK) terminal.note(NOT_REAL);
  else if (isLocalNetworkName(network)) terminal.note(NOT_REAL_THERE);
}

function addWalletPay(wallet: Command, terminal: Terminal): void {
  addAmount(
    wallet
      .command('pay')
      .summary('pay an address')
      .description('Pay an address, or a payment request (solana:…). Returns when the payment is confirmed.')
      .argument('<address>', 'who is paid: an address, or a payment address (solana:…)'),
  )
    .option('--memo <text>', 'the memo; payment requests for calls need one')
    .option('--from <wallet>', 'the wallet that pays', WALLET_DEFAULT)
    .addOption(
      new Option(
        '--network <network>',
        `where; also solana:local-<8 hex> of another running project (default: ${LOCAL_NETWORK})`,
      )
        .choices([...NETWORKS])
        .argParser(parseNetwork),
    )
    .option('--once <name>', 'a name for this payment: repeating it under the same name pays once')
    .option('--yes', 'pay real money without being asked')
    .addHelpText(
      'after',
      examples(
        "meshd wallet pay 'solana:4Nd1m…?amount=0.000001&memo=n_7f3a'",
        'meshd wallet pay 4Nd1mYt7QGBnbSkLjmS4kXcFUfVZhZh5Qf6k3oDqRKzC --lamports 1000 --memo n_7f3a',
      ),
    )
    .action(action<PayOptions, [string]>(terminal, (options, recipient) => pay(terminal, options, recipient)));
}

export function addWallet(program: Command, terminal: Terminal): void {
  const wallet = program
    .command('wallet')
    .summary('wallets, and payments by hand')
    .description(
      'The wallets that your members and you pay with and are paid to. Their keys stay in ' +
        `.mesh/credentials. ${NOT_REAL}`,
    );

  addWalletNew(wallet, terminal);
  addWalletShow(wallet, terminal);
  addWalletFund(wallet, terminal);
  addWalletPay(wallet, terminal);
}
