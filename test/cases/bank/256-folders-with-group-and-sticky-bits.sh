#!/usr/bin/env bash
# CASE  : 256-folders-with-group-and-sticky-bits
# KIND  : mode   WANT: exact
# SOURCE: chmod(1): setgid folders of a shared checkout
# STATE : new folders with setgid and sticky bits, a file of mode 0640 and one of 0777 in them, and a tracked file that became 0600
# EXPECT: folders and files have the parent's bits, whatever the umask is
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=mode WANT=exact
setup() { base "$1"; mkdir -p shared/in; printf 's\n' >shared/in/f; printf 't\n' >shared/g; chmod 0640 shared/in/f; chmod 0777 shared/g; chmod 2775 shared; chmod 1777 shared/in; printf 'e\n' >>a.txt; chmod 0600 a.txt; }
claim() { [ "$(stat -c %a shared)" = 2775 ] && [ "$(stat -c %a shared/in)" = 1777 ]; }
run "$@"
