#!/usr/bin/env bash
# CASE  : 143-worktreeinclude-hostile
# KIND  : ignore   WANT: report
# SOURCE: https://github.com/anthropics/claude-code/issues/15327 ; https://github.com/kbwo/ccmanager/pull/330
# STATE : .worktreeinclude asks for ignored files, and also for tracked ones, .git, paths outside, a repository and a pipe inside an ignored folder
# EXPECT: what is ignored and matches comes as it is; the rest of the ignored, the repository and the pipe stay and are named; nothing else comes.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=ignore WANT=report
setup() {
  base "$1" && printf '%s\n' '.env' '/ignored/' '*.txt' '.git' '.git/*' '../*' '/etc/*' '!*.secret' >.worktreeinclude && git add -A && git_c commit -q -m include
  printf 'KEY=1\n' >.env && chmod 600 .env && touch -d 2001-02-03T04:05:06Z .env
  mkdir -p ignored/deep && printf 'm\n' >ignored/deep/m.js && ln -s /etc/passwd ignored/passwd && mkfifo ignored/ctl
  git init -q --template= ignored/dep && printf 'd\n' >ignored/dep/d.js
  printf 'l\n' >x.log && printf 'x\n' >>a.txt
}
claim() { [ "$(git status --porcelain)" = ' M a.txt' ] && [ -p ignored/ctl ]; }
check() {
  [ "$(stat -c '%a %Y' "$2/.env")" = "$(stat -c '%a %Y' "$1/.env")" ] && cmp -s "$1/.env" "$2/.env" || echo ".env is another one"
  cmp -s "$1/ignored/deep/m.js" "$2/ignored/deep/m.js" || echo "ignored/deep/m.js did not come"
  [ "$(readlink "$2/ignored/passwd")" = /etc/passwd ] || echo "ignored/passwd is not the link"
  local f
  for f in ignored/ctl ignored/dep x.log; do [ ! -e "$2/$f" ] || echo "$f came"; done
  left ignored/ctl specialFile && left ignored/dep nestedRepository && left x.log ignored || echo "not all that stays is named"
}
run "$@"
