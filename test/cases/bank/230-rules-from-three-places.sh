#!/usr/bin/env bash
# CASE  : 230-rules-from-three-places
# KIND  : ignore   WANT: exact
# SOURCE: gitignore(5) core.excludesFile, info/exclude ; https://github.com/vanillagreencom/kendex/pull/1703 ; combines 041 and 032
# STATE : the user's core.excludesFile ignores *.tmp, info/exclude ignores priv/, a tracked .gitignore in docs/ takes *.tmp back in; files of each kind exist
# EXPECT: exact: docs/a.tmp comes, top.tmp and priv/ stay.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=exact
setup() { printf '*.tmp\n' >"$HOME/rules"; git config --global core.excludesFile "$HOME/rules"; base "$1"; printf '!*.tmp\n' >docs/.gitignore; git add -f docs/.gitignore; git_c commit -q -m r; printf 'priv/\n' >>.git/info/exclude; mkdir priv; for f in top.tmp priv/p docs/a.tmp n.txt; do printf 'f\n' >"$f"; done; }
claim() { [ "$(state)" = '?? docs/a.tmp;?? n.txt;' ]; }
check() { [ ! -e "$2/top.tmp" ] && [ ! -e "$2/priv" ] || echo "copied what the user or the repository ignores"; }
run "$@"
