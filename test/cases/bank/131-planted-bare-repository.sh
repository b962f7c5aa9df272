#!/usr/bin/env bash
# CASE  : 131-planted-bare-repository
# KIND  : config   WANT: either   CWD: vendor/evil
# SOURCE: https://github.com/AGGIB/Stroq/pull/56 (a bare repository committed as plain files) ; git-config(1) safe.bareRepository, core.fsmonitor
# STATE : the tracked folder vendor/evil holds a whole bare repository as plain files; its config points core.worktree at itself and core.fsmonitor at a program that leaves a mark. The tool is given that folder
# EXPECT: the program does not run, whatever is answered: refused, or the OUTER worktree is forked exactly. A worktree of the planted repository is wrong.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=either CWD=vendor/evil
setup() { base "$1"; mkdir vendor; git init -q -b main --bare vendor/evil; local E="git --git-dir=vendor/evil"; local t; t=$(printf '100644 blob %s\tevil.txt\n' "$(printf 'evil\n' | $E hash-object -w --stdin)" | $E mktree); $E update-ref refs/heads/main "$(git_c --git-dir=vendor/evil commit-tree -m evil "$t")"; rm -rf vendor/evil/hooks vendor/evil/info vendor/evil/description vendor/evil/branches
  printf '#!/bin/sh\n: >../../../planted-ran\nexit 1\n' >vendor/evil/fsm; chmod 755 vendor/evil/fsm; git config -f vendor/evil/config core.bare false; git config -f vendor/evil/config core.worktree .; git config -f vendor/evil/config core.fsmonitor ./fsm
  git add -f vendor; git_c commit -q -m vendor; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { git ls-files --error-unmatch vendor/evil/HEAD >/dev/null && cp -a vendor/evil ../probe-evil && mkdir -p ../p/q && mv ../probe-evil ../p/q/r && ( cd ../p/q/r && git --no-optional-locks status >/dev/null 2>&1; [ -e ../../../planted-ran ] ); local r=$?; rm -rf ../p ../planted-ran; [ $r = 0 ] && [ -z "$(git --no-optional-locks status --porcelain vendor)" ]; }
check() { [ ! -e "$1/../planted-ran" ] || echo "the program of the planted repository ran"; }
run "$@"
