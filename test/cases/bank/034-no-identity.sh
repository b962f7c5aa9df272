#!/usr/bin/env bash
# CASE  : 034-no-identity
# KIND  : config   WANT: exact
# SOURCE: https://github.com/composer/composer/issues/7059 ; https://github.com/Homebrew/legacy-homebrew/pull/46939
# STATE : no user.name/user.email anywhere and user.useConfigOnly=true: an ordinary commit is refused
# EXPECT: exact. The snapshot must not need the user's identity (set GIT_AUTHOR_*/GIT_COMMITTER_* for the child process), and must not write config.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=exact
setup() { base "$1"; git config --unset user.name; git config --unset user.email; git config user.useConfigOnly true; printf 'x\n' >>a.txt; }
claim() { ! env -u GIT_AUTHOR_DATE -u GIT_COMMITTER_DATE git commit -q -am t 2>/dev/null; }
run "$@"
