#!/usr/bin/env bash
# CASE  : 206-ignored-file-added-by-force-and-taken-back
# KIND  : ignore   WANT: report
# SOURCE: git-add(1) -f, git-rm(1) --cached ; https://github.com/kunchenguid/treehouse/issues/43 ; combines 042 and 123
# STATE : .env (never committed) was added by force and then taken out again by git rm --cached; ignored/keep.txt was added by force and is still staged, with a later edit
# EXPECT: .env is an ignored file again: left and named. ignored/keep.txt comes, staged version and edit, though its folder is ignored; its neighbour stays.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=report
setup() { base "$1"; printf 'K=1\n' >.env; git add -f .env; git rm -q --cached .env; mkdir ignored; printf 's\n' >ignored/keep.txt; printf 'no\n' >ignored/not.txt; git add -f ignored/keep.txt; printf 'later\n' >>ignored/keep.txt; }
claim() { [ "$(state)" = 'AM ignored/keep.txt;' ] && [ -f .env ]; }
check() { [ -e "$2/.git" ] || return 0; left .env ignored || echo ".env is not named"; [ ! -e "$2/ignored/not.txt" ] || echo "copied an ignored file"; [ ! -e "$2/.env" ] || echo "copied .env"; }
run "$@"
