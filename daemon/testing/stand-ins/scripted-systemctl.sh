#!/bin/sh
# Replaces systemctl in tests: appends each call to $HOME/calls, and stores the enabled and active states as files in
# $HOME/units.
state="$HOME/units"
mkdir -p "$state"
echo "systemctl $*" >> "$HOME/calls"
[ -e "$HOME/no-bus" ] && { echo "Failed to connect to bus: No medium found" >&2; exit 1; }
shift
for last in "$@"; do :; done
case "$1" in
  enable)
    touch "$state/enabled"
    [ "$2" = --now ] && touch "$state/active" ;;
  disable) rm -f "$state/enabled" "$state/active" ;;
  show)
    if [ "$2" = --property=Version ]; then echo "Version=252"; exit 0; fi
    if [ -e "$state/active" ]; then echo "MainPID=4321"; echo "ActiveState=active"; echo "SubState=running"
    elif [ -e "$state/failed" ]; then echo "MainPID=0"; echo "ActiveState=failed"; echo "SubState=failed"
    else echo "MainPID=0"; echo "ActiveState=inactive"; echo "SubState=dead"; fi
    [ -e "$state/failed" ] && echo "ExecMainStatus=78" || echo "ExecMainStatus=0"
    if [ -e "$state/enabled" ]; then echo "UnitFileState=enabled"; else echo "UnitFileState="; fi ;;
esac
exit 0
