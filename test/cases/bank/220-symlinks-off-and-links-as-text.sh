#!/usr/bin/env bash
# CASE  : 220-symlinks-off-and-links-as-text
# KIND  : links   WANT: exact
# SOURCE: git-config(1) core.symlinks ; combines 009 and 016
# STATE : core.symlinks=false: the committed link lnk is a plain file that holds its target, edited; a second one is untouched; an untracked real link exists
# EXPECT: exact: both are plain files in the child, entries stay 120000, the untracked link is a link.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=links WANT=exact
setup() { base "$1"; ln -s a.txt lnk; ln -s docs two; git add .; git_c commit -q -m l; git config core.symlinks false; rm lnk two; git checkout -q -- lnk two; printf 'run.sh' >lnk; ln -s src real; }
claim() { [ "$(state)" = ' M lnk;?? real;' ] && [ -f two ] && [ ! -L two ] && git ls-files -s lnk | grep -q ^120000; }
run "$@"
