import { describe, expect, it } from 'vitest';
import { homeFolder, projectsFolder, unitsFolder } from './user-folders.js';

describe('the folder of the entries of running daemons', () => {
  it.each([
    ['below the home', { HOME: '/home/ada' }, 'linux', '/home/ada/.local/state/meshd/projects'],
    [
      'where macOS keeps such things',
      { HOME: '/Users/ada' },
      'darwin',
      '/Users/ada/Library/Application Support/meshd/projects',
    ],
    [
      'where XDG_STATE_HOME says',
      { HOME: '/home/ada', XDG_STATE_HOME: '/var/ada' },
      'linux',
      '/var/ada/meshd/projects',
    ],
    [
      'where XDG_STATE_HOME says, on macOS too',
      { HOME: '/Users/ada', XDG_STATE_HOME: '/var/ada' },
      'darwin',
      '/var/ada/meshd/projects',
    ],
    [
      'below the home when XDG_STATE_HOME is relative',
      { HOME: '/home/ada', XDG_STATE_HOME: 'state' },
      'linux',
      '/home/ada/.local/state/meshd/projects',
    ],
    ['nowhere without a home', {}, 'linux', undefined],
    ['nowhere when the home is no folder', { HOME: '' }, 'linux', undefined],
  ] as const)('is %s', (_name, variables, platform, folder) => {
    expect(projectsFolder(variables, platform)).toBe(folder);
  });
});

it('finds the folder of systemd units where the user keeps configuration', () => {
  expect(unitsFolder({ HOME: '/home/ada' })).toBe('/home/ada/.config/systemd/user');
  expect(unitsFolder({ HOME: '/home/ada', XDG_CONFIG_HOME: '/etc/ada' })).toBe('/etc/ada/systemd/user');
  expect(unitsFolder({ XDG_CONFIG_HOME: 'here' })).toBeUndefined();
  expect(homeFolder({ HOME: 'ada' })).toBeUndefined();
});
