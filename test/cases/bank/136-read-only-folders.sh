#!/usr/bin/env bash
# CASE  : 136-read-only-folders
# KIND  : permissions   WANT: exact   AS: nobody
# SOURCE: cp(1), chmod(2) ; git behaviour, reproduced
# STATE : run as an ordinary user; an untracked folder ro/ (0555) with ro/inner/ (0555) and files, one of them 0444; the tracked folder docs/ is 0555, with an edit and a new file in it
# EXPECT: exact: all files arrive, ro/ and ro/inner/ are 0555 in the child (set after they were filled), and the parent's modes stay.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=permissions WANT=exact AS='nobody'
setup() { base "$1"; mkdir -p ro/inner; printf 'r\n' >ro/f.txt; chmod 444 ro/f.txt; printf 'i\n' >ro/inner/g.txt; printf 'edited\n' >docs/c.md; printf 'new\n' >docs/new.md; chmod 555 ro/inner ro docs; }
claim() { [ "$(id -u)" != 0 ] && ! ( : >ro/probe ) 2>/dev/null && [ "$(git --no-optional-locks status --porcelain -uall | tr '\n' ';')" = ' M docs/c.md;?? docs/new.md;?? ro/f.txt;?? ro/inner/g.txt;' ]; }
check() { local d; for d in ro ro/inner; do [ ! -d "$2" ] || [ "$(stat -c %a "$2/$d" 2>/dev/null)" = 555 ] || echo "folder $d is $(stat -c %a "$2/$d" 2>/dev/null), parent 555"; done; }
cleanup() { chmod -R u+w "$1" "$2"; }
run "$@"
