import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../testing/temporary-folder.js';
import { lastingNode } from './lasting-node.js';
import { launchdPlist, readPlistCommand, xmlText } from './launchd-plist.js';
import { SealedFile, sealedPlist, sealedUnit } from './sealed-file.js';
import { getServiceCommand, requireNameable, type ServicePlan, serviceName } from './service-plan.js';
import { readUnitCommand, systemdUnit, unitWord } from './systemd-unit.js';

const PLAN: ServicePlan = {
  root: '/home/ada/lamp',
  node: '/usr/bin/node',
  program: '/opt/meshd/meshd.js',
  path: '/usr/bin:/home/ada/.local/bin',
  stateHome: undefined,
};
/** Characters that are valid in a path and special in a service file. */
const AWKWARD = `it's 100% "true" $HOME \\n & <b> ;#é`;

const isHere = (program: string) => spawnSync(program, ['--version']).error === undefined;
const canVerify = isHere('systemd-analyze');
if (!canVerify) console.log('There is no systemd-analyze on the PATH: the unit is not put to systemd itself.');

describe('the name of a service', () => {
  it('is derived from the project and unique to its path', () => {
    expect(serviceName('/home/ada/lamp')).toMatch(/^meshd-lamp-[0-9a-f]{6}$/);
    expect(serviceName('/home/ada/lamp')).not.toBe(serviceName('/srv/lamp'));
    expect(serviceName('/home/ada/My Lämp @2!')).toMatch(/^meshd-my-l-mp-2-[0-9a-f]{6}$/);
    expect(serviceName('/')).toMatch(/^meshd-project-[0-9a-f]{6}$/);
  });
});

describe('the systemd unit', () => {
  it('runs the daemon in the foreground by absolute paths, and restarts it on failure but not on refusal', () => {
    const unit = systemdUnit(PLAN);
    expect(unit).toContain(
      'ExecStart=:"/usr/bin/node" "/opt/meshd/meshd.js" "up" "--foreground" "--root" "/home/ada/lamp"\n',
    );
    expect(unit).toContain('\nRestart=on-failure\n');
    expect(unit).toContain('\nRestartPreventExitStatus=2 75 78\n');
    expect(unit).toContain('\nEnvironment="PATH=/usr/bin:/home/ada/.local/bin"\n');
    // Members' programs inherit these: without them sudo, rootless containers and snaps work.
    expect(unit).not.toMatch(
      /^(PrivateTmp|Protect|PrivateUsers|NoNewPrivileges|Lock|Restrict(?!Prevent|art)|SystemCall|UMask)/m,
    );
  });

  it('quotes every character of a path literally', () => {
    expect(unitWord('a b')).toBe('"a b"');
    expect(unitWord('50% "off" \\ %h')).toBe('"50%% \\"off\\" \\\\ %%h"');
    expect(systemdUnit({ ...PLAN, root: `/home/ada/${AWKWARD}` })).toContain(
      `"/home/ada/it's 100%% \\"true\\" $HOME \\\\n & <b> ;#é"\n`,
    );
  });

  it.runIf(canVerify)('is accepted by systemd without a warning, even with special characters in paths', () => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'run'), { mode: 0o700 });
    const nodeIn = (name: string) => {
      mkdirSync(join(folder, name));
      symlinkSync(process.execPath, join(folder, name, 'node'));
      return join(folder, name, 'node');
    };
    const path = join(folder, 'meshd-lamp-000000.service');
    const verify = (plan: ServicePlan) => {
      writeFileSync(path, sealedUnit(systemdUnit(plan)));
      const { status, stdout, stderr } = spawnSync('systemd-analyze', ['verify', '--user', '--man=no', path], {
        encoding: 'utf8',
        env: { PATH: process.env['PATH'], HOME: folder, XDG_RUNTIME_DIR: join(folder, 'run') },
      });
      return { status, said: stdout + stderr };
    };
    const awkward = nodeIn(AWKWARD);
    const plan = { ...PLAN, root: dirname(awkward), path: `/usr/bin:${dirname(awkward)}`, stateHome: dirname(awkward) };
    // systemd itself resolves the program: it finds it only when the quoting is correct.
    const node = nodeIn('100% $HOME & <b> ;#é');
    expect(verify({ ...plan, node })).toEqual({ status: 0, said: '' });
    expect(verify({ ...plan, node: `${node}-absent` }).status).toBe(1);
    // A program with quotes in its name is started through another one.
    expect(verify({ ...plan, node: awkward })).toEqual({ status: 0, said: '' });
  });
});

describe('the launchd property list', () => {
  it('runs the daemon at login, and restarts it on failure', () => {
    const plist = launchdPlist(PLAN, 'meshd-lamp-000000', '/home/ada/Library/Logs/meshd-lamp-000000.log');
    expect(plist).toMatch(/<key>RunAtLoad<\/key>\s*<true\/>/);
    expect(plist).toMatch(/<key>KeepAlive<\/key>\s*<dict>\s*<key>SuccessfulExit<\/key>\s*<false\/>/);
    expect(plist).toMatch(
      /<string>up<\/string>\s*<string>--foreground<\/string>\s*<string>--root<\/string>\s*<string>\/home\/ada\/lamp<\/string>/,
    );
  });

  it('is read by a property list parser as intended, even with special characters in paths', () => {
    const root = `/Users/ada/${AWKWARD}`;
    expect(xmlText(`<&'">`)).toBe('&lt;&amp;&apos;&quot;&gt;');
    const text = sealedPlist(launchdPlist({ ...PLAN, root, stateHome: root }, 'meshd-lamp-000000', `${root}.log`));
    const script = 'import json, plistlib, sys; print(json.dumps(plistlib.loads(sys.stdin.buffer.read())))';
    expect(JSON.parse(execFileSync('python3', ['-c', script], { input: text, encoding: 'utf8' }))).toEqual({
      Label: 'meshd-lamp-000000',
      ProgramArguments: ['/usr/bin/node', '/opt/meshd/meshd.js', 'up', '--foreground', '--root', root],
      EnvironmentVariables: { PATH: PLAN.path, XDG_STATE_HOME: root },
      RunAtLoad: true,
      KeepAlive: { SuccessfulExit: false },
      ThrottleInterval: 30,
      ExitTimeOut: 20,
      ProcessType: 'Interactive',
      StandardOutPath: '/dev/null',
      StandardErrorPath: `${root}.log`,
    });
  });
});

describe('the command in a service file', () => {
  it('is read as it was written, even with special characters in paths', () => {
    const plan = { ...PLAN, root: `/home/ada/${AWKWARD} %% &amp;`, program: `/opt/${AWKWARD}/meshd.js` };
    expect(readUnitCommand(systemdUnit(plan))).toEqual(getServiceCommand(plan));
    expect(readPlistCommand(launchdPlist(plan, 'a', '/a.log'))).toEqual(getServiceCommand(plan));
  });
});

describe('the Node.js of a service', () => {
  it('is the link that Homebrew keeps over upgrades, while it leads to the same file', () => {
    const kegs = 'Cellar/node@22';
    const prefix = temporaryFolder({ [`${kegs}/22.1/bin/node`]: '', [`${kegs}/22.2/bin/node`]: '', 'bin/node': '' });
    const old = join(prefix, kegs, '22.1/bin/node');
    expect(lastingNode(old)).toBe(old);
    mkdirSync(join(prefix, 'opt'));
    symlinkSync('../Cellar/node@22/22.2', join(prefix, 'opt/node@22'));
    expect(lastingNode(old)).toBe(old);
    expect(lastingNode(join(prefix, kegs, '22.2/bin/node'))).toBe(join(prefix, 'opt/node@22/bin/node'));
    expect(lastingNode(join(prefix, 'bin/node'))).toBe(join(prefix, 'bin/node'));
  });

  it('is the link that snap keeps over refreshes, and that of a profile of Nix', () => {
    const root = temporaryFolder({ 'snap/node/7/bin/node': '', 'snap/node/8/bin/node': '', 'nix/1-node/bin/node': '' });
    symlinkSync('8', join(root, 'snap/node/current'));
    const inSnap = (revision: string) => join(root, 'snap/node', revision, 'bin/node');
    expect([lastingNode(inSnap('8')), lastingNode(inSnap('7'))]).toEqual([inSnap('current'), inSnap('7')]);
    symlinkSync('nix/1-node', join(root, 'profile'));
    const store = join(root, 'nix/');
    const stored = join(store, '1-node/bin/node');
    const folders = ['', 'bin', '/nowhere', dirname(stored), join(root, 'profile/bin')];
    expect(lastingNode(stored, folders, store)).toBe(join(root, 'profile/bin/node'));
    expect(lastingNode(stored, [dirname(stored)], store)).toBe(stored);
  });
});

describe('a path that no service file can hold', () => {
  it.each(['/home/ada/a\nExecStartPost=/bin/x', '/home/ada/a\u0007'])('is rejected: %j', (root) => {
    expect(() => requireNameable({ ...PLAN, root })).toThrow(expect.objectContaining({ code: 'bad_root', exit: 2 }));
  });
});

describe('a file that meshd wrote', () => {
  const state = (text: string) => {
    const file = new SealedFile(join(temporaryFolder({ 'a.service': text }), 'a.service'));
    return file.getState();
  };

  it('is recognized until the user edits it', () => {
    const text = sealedUnit(systemdUnit(PLAN));
    expect(state(text)).toBe('ours');
    expect(state(sealedPlist(launchdPlist(PLAN, 'a', '/a.log')))).toBe('ours');
    expect(state(`${text}# and one more line\n`)).toBe('edited');
    expect(state(text.replace('RestartSec=2', 'RestartSec=9'))).toBe('edited');
    expect(state('[Service]\nExecStart=/bin/true\n')).toBe('foreign');
    expect(new SealedFile('/nonexistent/a.service').getState()).toBe('absent');
    const link = join(temporaryFolder(), 'a.service');
    symlinkSync('/nonexistent', link);
    expect(new SealedFile(link).getState()).toBe('foreign');
  });

  it('is neither replaced nor removed once the user has edited it, unless forced', () => {
    const folder = temporaryFolder({ 'a.service': '[Service]\n' });
    chmodSync(folder, 0o700);
    const file = new SealedFile(join(folder, 'a.service'));
    const text = sealedUnit(systemdUnit(PLAN));
    expect(() => file.write(text, false)).toThrow(expect.objectContaining({ code: 'conflict', exit: 6 }));
    expect(() => file.remove(false)).toThrow(/was not written by meshd.*--force/);
    expect(readFileSync(file.path, 'utf8')).toBe('[Service]\n');
    expect(file.write(text, true)).toBe(true);
    expect(file.write(text, false)).toBe(false);
    file.remove(false);
    expect(existsSync(file.path)).toBe(false);
  });
});
