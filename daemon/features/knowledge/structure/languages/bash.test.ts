import { expect, it } from 'vitest';
import { openCode, showCode } from '../../../../testing/parts/code-structure.js';

const read = openCode();

it('declares functions and variables, and calls what commands name', () => {
  const found = read(
    'a.sh',
    `#!/bin/sh
# Sells. Well.
sell() { local own=1; load "$1"; }
function close { go; }
LIMIT=5
export MADE=6
readonly FIXED=7
FOUND=$(find x)
JOINED="a$(find x)"
LIST=(a b)
ONCE=1 run
alias ll='ls -l'
sell 1 | close
"$command" x
$command2
`,
  );
  expect(showCode(found)).toEqual([
    'export function sell 3: Sells.',
    'export function close 4',
    'variable LIMIT 5',
    'export variable MADE 6',
    'variable FIXED 7',
    'variable FOUND 8',
    'variable JOINED 9',
    'variable LIST 10',
    'call load 3 in sell',
    'call go 4 in close',
    'call find 8',
    'call find 9',
    'call run 11',
    'call sell 13',
    'call close 13',
    'value LIMIT = 5 5',
    'value MADE = 6 6',
    'value FIXED = 7 7',
    'value LIST = (a b) 10',
    'entry script script 1',
  ]);
});

it('imports what it sources', () => {
  const found = read(
    'lib/a.sh',
    `. ./store.sh
source /lib/other.sh
source lamp.sh
. "$DIR/road.sh"
. "wall.sh"
source "\${HERE}/gates/gate.bash"
. "$path"
. $(find x)
`,
  );
  expect(showCode(found)).toEqual([
    'a module',
    'import ./store.sh (*) 1',
    'import ./lib/other.sh (*) 2',
    'import ./lamp.sh (*) 3',
    'import ./DIR/road.sh (*) 4',
    'import ./wall.sh (*) 5',
    'import ./gates/gate.bash (*) 6',
    'call find 8',
  ]);
});

it('reads the environment where no value was given before', () => {
  const found = read(
    'a.sh',
    `echo "\${HOME_A:-x}" "\${HOME_B:=y}" "\${HOME_C-z}" "\${HOME_D:?no}" "\${HOME_E:+w}" "\${HOME_F=v}"
echo "$PLAIN" "\${PLAIN2}" "\${PLAIN3#x}" "\${#PLAIN4}" "\${PLAIN5%%x}"
echo "\${lower:-x}" "\${PWD:-x}" "\${1:-x}" "\${BASH_VERSION:-x}" "\${MYPWD:-x}"
GIVEN=1
echo "\${GIVEN:-x}" "$GIVEN" "\${OTHER:-$GIVEN}"
export SHOWN GIVEN
export SET=1
readonly NOT
declare -x NOT2
f() { INNER=1; echo "\${INNER:-2}"; }
`,
  );
  expect(showCode(found)).toEqual([
    'variable GIVEN 4',
    'export variable SET 7',
    'export function f 10',
    'call echo 1',
    'call echo 2',
    'call echo 3',
    'call echo 5',
    'read GIVEN 5',
    'call echo 10 in f',
    'read INNER 10 in f',
    'reads HOME_A = x 1',
    'reads HOME_B = y 1',
    'reads HOME_C = z 1',
    'reads HOME_D = no 1',
    'reads HOME_E = w 1',
    'reads HOME_F = v 1',
    'reads MYPWD = x 3',
    'reads OTHER = $GIVEN 5',
    'reads SHOWN 6',
    'value GIVEN = 1 4',
    'value SET = 1 7',
  ]);
});

it('is no script without a mark', () => {
  const found = read(
    'a.sh',
    `go
`,
  );
  expect(showCode(found)).toEqual(['call go 1']);
});
