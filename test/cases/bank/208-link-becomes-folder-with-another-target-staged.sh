#!/usr/bin/env bash
# CASE  : 208-link-becomes-folder-with-another-target-staged
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/git/git/pull/1086 ; combines 002 and 129
# STATE : the tracked link lnk -> src is staged with another target, then replaced by a real folder that has an untracked b.txt, an ignored file and a private 0700 folder
# EXPECT: exact; src/b.txt is not touched, the ignored file stays behind, the private folder stays private.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; ln -s src lnk; git add lnk; git_c commit -q -m l; ln -sfn docs lnk; git add lnk; rm lnk; mkdir -p lnk/p; chmod 700 lnk/p; printf 'mine\n' >lnk/b.txt; printf 'secret\n' >lnk/p/s; chmod 600 lnk/p/s; printf 'l\n' >lnk/x.log; }
claim() { [ "$(state)" = 'MD lnk;?? lnk/b.txt;?? lnk/p/s;' ] && [ "$(git cat-file blob :lnk)" = docs ]; }
check() { [ ! -e "$2/lnk/x.log" ] || echo "copied an ignored file"; }
run "$@"
