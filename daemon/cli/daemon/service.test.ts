import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sha256Hex } from '../../lib/crypto/digests.js';
import { FakeClock } from '../../testing/fake-clock.js';
import { daemon, meshdIn, PROGRAM } from '../../testing/processes/command-line.js';
import { putFiles, temporaryFolder } from '../../testing/temporary-folder.js';
import { heldClock } from './service/held-clock.js';
import { getServiceCommand, getServiceEnvironment, serviceName } from './service/service-plan.js';

const SYSTEMCTL = fileURLToPath(new URL('../../testing/stand-ins/scripted-systemctl.sh', import.meta.url));
const PATH = '/usr/bin:/bin';

interface Machine {
  home: string;
  root: string;
  platform: NodeJS.Platform;
  path: string;
}

/** A user's machine with a project, on which the service manager is a script that records its arguments. */
function aMachine(platform: NodeJS.Platform = 'linux', root = temporaryFolder({ 'README.md': '# Lamp\n' })): Machine {
  const home = temporaryFolder();
  const bin = join(home, 'bin');
  mkdirSync(bin);
  symlinkSync(SYSTEMCTL, join(bin, 'systemctl'));
  return { home, root, platform, path: `${bin}:${PATH}` };
}

function putProgram({ home }: Machine, name: string, script: string): void {
  putFiles(home, { [`bin/${name}`]: `#!/bin/sh\n${script}\n` });
  chmodSync(join(home, 'bin', name), 0o755);
}

/** A clock on which every wait is over at once, and counts as ten. */
class HurriedClock extends FakeClock {
  override after(ms: number, run: () => void): () => void {
    const cancel = super.after(ms, run);
    setImmediate(() => this.advance(10 * ms));
    return cancel;
  }
}

const inMachine = ({ home, platform, path }: Machine) => ({
  platform,
  clock: new HurriedClock(),
  variables: { HOME: home, PATH: path },
});
const meshd = (machine: Machine, ...args: string[]) => meshdIn(machine.root, inMachine(machine), 'service', ...args);

const getUnit = ({ home, root }: Machine) => join(home, '.config/systemd/user', `${serviceName(root)}.service`);
const calls = ({ home }: Machine) => readFileSync(join(home, 'calls'), 'utf8').trim().split('\n');
const json = async (machine: Machine, ...args: string[]) => {
  const { exit, out } = await meshd(machine, ...args, '--json');
  return { exit, said: JSON.parse(out) as Record<string, unknown> };
};

describe('meshd service with systemd', () => {
  it('installs, reports and removes the service without a trace, idempotently', async () => {
    const machine = aMachine();
    const unit = getUnit(machine);
    const name = `${serviceName(machine.root)}.service`;
    expect(await json(machine, 'status')).toEqual({
      exit: 4,
      said: {
        manager: 'systemd',
        name,
        path: unit,
        installed: false,
        edited: false,
        enabled: false,
        active: false,
        state: 'inactive, dead',
        pid: null,
        last_exit: null,
        missing: null,
        outdated: false,
      },
    });
    expect(await meshd(machine, 'install')).toMatchObject({ exit: 0, out: `Installed ${unit}\n` });
    expect(calls(machine).slice(-2)).toEqual([
      'systemctl --user daemon-reload',
      `systemctl --user enable --now ${name}`,
    ]);
    expect(await json(machine, 'install')).toMatchObject({
      exit: 0,
      said: { path: unit, changed: false, started: true },
    });
    const { exit, out } = await meshd(machine, 'status');
    expect(exit).toBe(0);
    expect(out).toBe(
      `Service   ${name} (systemd)\nFile      ${unit}\nAt login  starts\nNow       active, running, pid 4321\n`,
    );
    expect(await json(machine, 'uninstall')).toEqual({
      exit: 0,
      said: { manager: 'systemd', name, path: unit, removed: true },
    });
    expect(readdirSync(join(machine.home, '.config/systemd/user'))).toEqual([]);
    expect(calls(machine).slice(-4, -1)).toEqual([
      expect.stringContaining('--property=Version'),
      `systemctl --user disable --now ${name}`,
      'systemctl --user daemon-reload',
    ]);
    expect(await meshd(machine, 'uninstall')).toMatchObject({
      exit: 0,
      out: `No service is installed for ${machine.root}.\n`,
    });
  });

  it('names the folder of a Node.js that fnm has linked for one shell, the same from every shell', async () => {
    const machine = aMachine();
    const version = join(machine.home, 'fnm/node-versions/v24.1.0/installation');
    const shells = join(machine.home, 'run/fnm_multishells');
    mkdirSync(join(version, 'bin'), { recursive: true });
    mkdirSync(shells, { recursive: true });
    for (const shell of ['17_1', '18_2']) symlinkSync(version, join(shells, shell));
    const from = (...found: string[]) => ({
      ...machine,
      path: [...found.map((shell) => join(shells, shell, 'bin')), machine.path].join(':'),
    });
    expect(await meshd(from('17_1'), 'install')).toMatchObject({ exit: 0 });
    expect(readFileSync(getUnit(machine), 'utf8')).toContain(`PATH=${version}/bin:${machine.path}"`);
    const again = await json(from('18_2', '17_1', 'ended'), 'install');
    expect(again).toMatchObject({ exit: 0, said: { changed: false } });
  });

  it('reports the exit status of an ended service', async () => {
    const machine = aMachine();
    await meshd(machine, 'install');
    rmSync(join(machine.home, 'units/active'));
    putFiles(machine.home, { 'units/failed': '' });
    const { exit, out } = await meshd(machine, 'status');
    expect(exit).toBe(3);
    expect(out).toContain('Last exit  78: see `meshd service logs`');
    expect((await json(machine, 'status')).said).toMatchObject({
      active: false,
      pid: null,
      last_exit: 78,
      state: 'failed, failed',
    });
  });

  it.each(['linux', 'darwin'] as const)('reports that the Node.js in the file has vanished (%s)', async (platform) => {
    const machine = aMachine(platform);
    putProgram(machine, 'launchctl', 'exit 0');
    await meshd(machine, 'install');
    const { said } = await json(machine, 'status');
    expect(said).toMatchObject({ missing: null });
    const file = String(said['path']);
    writeFileSync(file, readFileSync(file, 'utf8').replace(process.execPath, '/nowhere/22.1/bin/node'));
    expect((await json(machine, 'status')).said).toMatchObject({ missing: '/nowhere/22.1/bin/node' });
    expect((await meshd(machine, 'status')).out).toContain(
      'Missing   /nowhere/22.1/bin/node: `meshd service install` again\n',
    );
  });

  it.each(['linux', 'darwin'] as const)('tells that the file is of an earlier installation (%s)', async (platform) => {
    const machine = aMachine(platform);
    putProgram(machine, 'launchctl', 'exit 0');
    await meshd(machine, 'install');
    const { said } = await json(machine, 'status');
    const file = String(said['path']);
    const doctor = async () => {
      const { out } = await meshdIn(machine.root, inMachine(machine), 'doctor', '--json');
      return (JSON.parse(out) as { checks: { id: string }[] }).checks.find(({ id }) => id === 'service');
    };
    // The PATH of another shell is no other meshd.
    machine.path += ':/usr/sbin';
    expect([(await json(machine, 'status')).said['outdated'], await doctor()]).toEqual([false, undefined]);
    const other = join(temporaryFolder({ 'meshd.js': '' }), 'meshd.js');
    const blank = readFileSync(file, 'utf8')
      .replace(join(dirname(PROGRAM), 'meshd.js'), other)
      .replace(/meshd-sha256: \w+/, `meshd-sha256: ${'0'.repeat(64)}`);
    writeFileSync(file, blank.replace(/0{64}/, sha256Hex(blank)));
    expect((await json(machine, 'status')).said).toMatchObject({ missing: null, edited: false, outdated: true });
    const row = 'Outdated  of an earlier installation of meshd or Node.js: `meshd service install` again\n';
    expect((await meshd(machine, 'status')).out).toContain(row);
    expect(await doctor()).toMatchObject({ state: 'warn', fix: 'meshd service install' });
    await meshd(machine, 'install');
    expect((await json(machine, 'status')).said['outdated']).toBe(false);
  });

  it('prints with --dry-run what it would do and does nothing, even without systemd', async () => {
    const machine = { ...aMachine(), path: '/nowhere' };
    const { exit, out } = await meshd(machine, 'install', '--dry-run');
    expect(exit).toBe(0);
    expect(out).toContain(`# ${getUnit(machine)}\n`);
    expect(out).toContain(`"up" "--foreground" "--root" "${machine.root}"\n`);
    expect(out).toContain(`\n$ systemctl --user enable --now ${serviceName(machine.root)}.service\n`);
    expect(await json(machine, 'install', '--dry-run')).toMatchObject({
      exit: 0,
      said: {
        path: getUnit(machine),
        text: expect.stringContaining('[Service]'),
        commands: expect.arrayContaining([expect.any(String)]),
      },
    });
    expect(readdirSync(machine.home)).toEqual(['bin']);
  });

  it('exits 5 with the reason when systemd is missing or does not respond', async () => {
    const machine = aMachine();
    const missing = await meshd({ ...machine, path: '/nowhere' }, 'install');
    expect(missing.exit).toBe(5);
    expect(missing.err).toContain(
      'systemd is not here: there is no `systemctl` on the PATH. `meshd up` starts the daemon without a service.',
    );
    putFiles(machine.home, { 'no-bus': '' });
    for (const command of ['install', 'uninstall', 'status']) {
      const { exit, err } = await meshd(machine, command);
      expect([command, exit]).toEqual([command, 5]);
      expect(err).toContain('The systemd of your user does not answer (Failed to connect to bus: No medium found)');
    }
    const refused = await meshd(machine, 'status', '--json');
    expect(JSON.parse(refused.out)).toMatchObject({ error: 'no_service_manager' });
    expect(existsSync(getUnit(machine))).toBe(false);
  });

  it('does not replace or remove a file that the user wrote or edited, except with --force', async () => {
    const machine = aMachine();
    await meshd(machine, 'install');
    const edited = `${readFileSync(getUnit(machine), 'utf8')}# mine\n`;
    writeFileSync(getUnit(machine), edited);
    for (const command of ['install', 'uninstall']) {
      const { exit, err } = await meshd(machine, command);
      expect([command, exit]).toEqual([command, 6]);
      expect(err).toContain('was edited since meshd wrote it');
    }
    expect(readFileSync(getUnit(machine), 'utf8')).toBe(edited);
    expect((await meshd(machine, 'status')).out).toContain('changed by hand');
    expect((await meshd(machine, 'uninstall', '--force')).exit).toBe(0);
    expect(existsSync(getUnit(machine))).toBe(false);
  });

  it('suggests lingering only when the service ends at logout', async () => {
    const machine = aMachine();
    putProgram(machine, 'loginctl', 'echo Linger=no');
    expect((await meshd(machine, 'install')).err).toContain('`loginctl enable-linger`');
    putProgram(machine, 'loginctl', 'echo Linger=yes');
    expect((await meshd(machine, 'install')).err).not.toContain('linger');
    expect((await json(machine, 'install')).said).toMatchObject({ lingers: true });
  });

  it('does not start the service beside a manually started daemon, and prints how to switch', async () => {
    const app = await daemon();
    const machine = aMachine('linux', app.root);
    const { exit, err } = await meshd(machine, 'install');
    expect(exit).toBe(0);
    const name = `${serviceName(app.root)}.service`;
    expect(calls(machine)).toContain(`systemctl --user enable ${name}`);
    expect(err).toContain(`A daemon that was started by hand runs (pid ${process.pid}).`);
    expect(err).toContain(`\`meshd down && systemctl --user start ${name}\``);
  });

  it('prints the journal of its unit line by line, and each line as an object with --json', async () => {
    const machine = aMachine();
    putProgram(
      machine,
      'journalctl',
      `echo "$*" > "$HOME/asked"\necho '{"level":30,"msg":"listening"}'\nprintf 'meshd: \\033[31mno\\n'`,
    );
    const { exit, out } = await meshd(machine, 'logs', '--lines', '7', '--follow');
    expect({ exit, out }).toEqual({ exit: 0, out: '{"level":30,"msg":"listening"}\nmeshd: \\x1b[31mno\n' });
    const unit = `--unit=${serviceName(machine.root)}.service`;
    expect(readFileSync(join(machine.home, 'asked'), 'utf8').trim()).toBe(
      `--user ${unit} --output=cat --no-pager --lines=7 --follow`,
    );
    const lines = (await meshd(machine, 'logs', '--json')).out.trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { level: 30, msg: 'listening' },
      { msg: 'meshd: \u001b[31mno' },
    ]);
    const missing = await meshd({ ...machine, path: '/nowhere' }, 'logs');
    expect(missing).toMatchObject({ exit: 5, err: expect.stringContaining('.mesh/state/daemon.log') });
  });
});

describe('meshd service with launchd', () => {
  const LAUNCHCTL = `echo "launchctl $*" >> "$HOME/calls"
case "$1 $2" in
  print\\ gui/*/*) [ -e "$HOME/loaded" ] || exit 113; printf '\\tstate = running\\n\\tpid = 77\\n\\tlast exit code = 0\\n' ;;
  bootstrap*) touch "$HOME/loaded" ;;
  bootout*) rm "$HOME/loaded" ;;
esac`;

  it('installs, reports and removes an agent without a trace, idempotently', async () => {
    const machine = aMachine('darwin');
    putProgram(machine, 'launchctl', LAUNCHCTL);
    const name = serviceName(machine.root);
    const plist = join(machine.home, 'Library/LaunchAgents', `${name}.plist`);
    const target = `gui/${process.getuid?.()}`;
    expect(await meshd(machine, 'install')).toMatchObject({ exit: 0, out: `Installed ${plist}\n` });
    expect(calls(machine)).toContain(`launchctl enable ${target}/${name}`);
    expect(calls(machine).at(-1)).toBe(`launchctl bootstrap ${target} ${plist}`);
    expect(await meshd(machine, 'install')).toMatchObject({ exit: 0, out: `Installed already: ${plist}\n` });
    expect(calls(machine).filter((call) => call.includes('bootstrap'))).toHaveLength(1);
    expect(await json(machine, 'status')).toMatchObject({
      exit: 0,
      said: { manager: 'launchd', name, active: true, pid: 77, enabled: true },
    });
    expect(await meshd(machine, 'uninstall')).toMatchObject({ exit: 0, out: `Removed ${plist}\n` });
    expect(calls(machine)).toContain(`launchctl bootout ${target}/${name}`);
    expect(readdirSync(join(machine.home, 'Library/LaunchAgents'))).toEqual([]);
    expect((await json(machine, 'status')).exit).toBe(4);
  });

  // launchd unloads for a while after `bootout` has returned, and loads nothing under that label meanwhile.
  const DRAINING = `echo "launchctl $*" >> "$HOME/calls"
case "$1 $2" in
  print\\ gui/*/*) [ ! -e "$HOME/draining" ] || exec rm "$HOME/draining"
    [ -e "$HOME/loaded" ] || exit 113; printf '\\tstate = running\\n' ;;
  bootstrap*) for code in 5 37; do
      [ ! -e "$HOME/refuses-$code" ] || { rm "$HOME/refuses-$code"; echo 'Bootstrap failed' >&2; exit $code; }
    done
    touch "$HOME/loaded" ;;
  bootout*) rm "$HOME/loaded"; touch "$HOME/draining" "$HOME/refuses-5" "$HOME/refuses-37"; exit 36 ;;
esac`;

  it('starts the daemon again when the file changed, though launchd takes its time to unload', async () => {
    const machine = aMachine('darwin');
    putProgram(machine, 'launchctl', DRAINING);
    const plist = join(machine.home, 'Library/LaunchAgents', `${serviceName(machine.root)}.plist`);
    await meshd(machine, 'install');
    const moved = { ...machine, path: `${machine.path}:/opt/bin` };
    const { exit, out, err } = await meshd(moved, 'install');
    expect({ exit, out }).toEqual({ exit: 0, out: `Installed ${plist}\n` });
    expect(err).toContain('The file has changed, so the daemon was ended and started again.');
    expect(
      calls(machine)
        .slice(-6)
        .map((call) => call.split(' ')[1]),
    ).toEqual(['bootout', 'print', 'print', 'bootstrap', 'bootstrap', 'bootstrap']);
    expect(await json(moved, 'status')).toMatchObject({ exit: 0, said: { active: true } });
    expect(await meshd(moved, 'uninstall')).toMatchObject({ exit: 0, out: `Removed ${plist}\n` });
    expect(
      calls(machine)
        .slice(-3)
        .map((call) => call.split(' ')[1]),
    ).toEqual(['bootout', 'print', 'print']);
  });

  it('reports a service that is not unloaded in time and keeps its file, and one that cannot be loaded', async () => {
    const machine = aMachine('darwin');
    putProgram(machine, 'launchctl', LAUNCHCTL);
    const plist = join(machine.home, 'Library/LaunchAgents', `${serviceName(machine.root)}.plist`);
    await meshd(machine, 'install');
    putProgram(machine, 'launchctl', 'exit 0');
    const kept = await meshd(machine, 'uninstall');
    expect(kept).toMatchObject({ exit: 1, err: expect.stringContaining('the service has not ended within 25 s') });
    expect(existsSync(plist)).toBe(true);
    const refusing = (bootstrap: string) =>
      putProgram(machine, 'launchctl', `case "$1 $2" in print\\ gui/*/*) exit 113 ;; bootstrap*) ${bootstrap} ;; esac`);
    refusing('echo 5: Input/output error >&2; exit 5');
    expect(await meshd(machine, 'install')).toMatchObject({ exit: 1, err: expect.stringContaining('5: Input/output') });
    refusing('echo once >> "$HOME/tries"; exit 78');
    expect((await meshd(machine, 'install')).exit).toBe(1);
    expect(readFileSync(join(machine.home, 'tries'), 'utf8')).toBe('once\n');
  });

  it('keeps the command alive while it waits for launchd', () => {
    const timers = () => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
    const before = timers();
    const cancel = heldClock.after(60_000, () => undefined);
    expect(timers()).toBe(before + 1);
    cancel();
    expect(timers()).toBe(before);
  });

  it('exits 5 with the reason when launchd is missing', async () => {
    const { exit, err } = await meshd({ ...aMachine('darwin'), path: '/nowhere' }, 'install');
    expect(exit).toBe(5);
    expect(err).toContain('launchd is not here: there is no `launchctl` on the PATH');
  });
});

describe('meshd service on other systems', () => {
  it('is refused on a system with neither manager, and for a user without a home', async () => {
    const { exit, err } = await meshd(aMachine('win32'), 'install');
    expect(exit).toBe(5);
    expect(err).toContain('A service needs systemd or launchd, and win32 has neither.');
    expect((await meshd({ ...aMachine(), home: 'nowhere' }, 'install')).err).toContain('HOME names no folder');
  });
});

describe('the command of a service', () => {
  it('starts from any folder with its own environment, and one signal to its first process ends all of it', async () => {
    const root = temporaryFolder({ "it's 100% $HOME/README.md": '# Lamp\n' });
    const plan = {
      root: join(root, "it's 100% $HOME"),
      node: process.execPath,
      program: PROGRAM,
      path: PATH,
      stateHome: join(root, 'state'),
    };
    mkdirSync(join(plan.root, '.mesh/state'), { recursive: true });
    const [node = '', ...args] = getServiceCommand(plan);
    const child = spawn(node, [...args, '--port', '0', '--json'], {
      cwd: '/',
      env: Object.fromEntries(getServiceEnvironment(plan)),
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    let output = '';
    child.stdout.setEncoding('utf8');
    for await (const piece of child.stdout) {
      output += piece;
      if (output.includes('}')) break;
    }
    const { pid, address } = JSON.parse(output) as { pid: number; address: string };
    expect((await fetch(`${address}/health`)).status).toBe(200);
    expect(pid).not.toBe(child.pid);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
  });
});
