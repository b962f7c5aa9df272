#!/usr/bin/env bash
# CASE  : 229-link-that-a-folder-rule-does-not-ignore
# KIND  : ignore   WANT: exact
# SOURCE: gitignore(5), patterns that end with a slash ; combines 016 and 041
# STATE : .gitignore (edited, not staged) has "build/", "cache" and "!keep/cache"; untracked: build is a link to a folder outside, other/build/ a real folder, cache a link, keep/cache a link
# EXPECT: build (a link, not a folder) and keep/cache come as links, other/build/ and cache stay; nothing behind a link is read.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=exact
setup() { base "$1"; mkdir -p ../outside other/build keep; printf 'o\n' >../outside/o; printf 'build/\ncache\n!keep/cache\n' >>.gitignore; ln -s ../outside build; printf 'x\n' >other/build/x; printf 'y\n' >other/y; ln -s docs cache; ln -s ../docs keep/cache; }
claim() { [ "$(state)" = ' M .gitignore;?? build;?? keep/cache;?? other/y;' ]; }
check() { [ ! -e "$2/other/build" ] || echo "copied an ignored folder"; [ ! -L "$2/cache" ] || echo "copied an ignored link"; }
run "$@"
