#!/usr/bin/env bash
# CASE  : 132-own-programs-during-the-look
# KIND  : hooks   WANT: exact
# SOURCE: https://github.com/ruvnet/ruflo/issues/3380 ; https://github.com/TheGreenCedar/CodeStory/issues/1636 ; https://github.com/risa-labs-inc/BossConsole/pull/1420 ; githooks(5) post-index-change ; git-config(1) core.fsmonitor
# STATE : core.fsmonitor of the repository is a program, core.hooksPath a folder with a hook of every name; each notes its name and folder in ../ran.log. Status in the parent would run two of them. A tracked edit (staged and not), a new file
# EXPECT: exact. The fsmonitor program never runs; in the parent no hook runs but what making a branch entails (reference-transaction): no post-index-change,
#         pre-commit, post-checkout there. In the child post-checkout may run, as git would run it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=hooks WANT=exact
setup() { base "$1"; local h l; l=$(cd .. && pwd -P)/ran.log; mkdir .git/hk; for h in applypatch-msg pre-applypatch post-applypatch pre-commit prepare-commit-msg commit-msg post-commit pre-merge-commit post-merge pre-rebase post-rewrite pre-auto-gc post-checkout post-index-change reference-transaction fsmonitor-watchman; do printf '#!/bin/sh\nprintf "%%s %%s\\n" %s "$PWD" >>"%s"\nexit 0\n' "$h" "$l" >.git/hk/$h; done; printf '#!/bin/sh\nprintf "%%s %%s\\n" fsmonitor "$PWD" >>"%s"\nexit 1\n' "$l" >.git/fsm; chmod +x .git/hk/* .git/fsm
  printf 'v2\n' >a.txt; git add a.txt; printf 'v3\n' >a.txt; printf 'n\n' >n.txt; git config core.fsmonitor "$(pwd -P)/.git/fsm"; git config core.hooksPath "$(pwd -P)/.git/hk"; }
claim() { rm -f ../ran.log; cp -a . ../probe && ( cd ../probe && touch run.sh && git status >/dev/null 2>&1 ); grep -q '^fsmonitor ' ../ran.log && grep -q '^post-index-change ' ../ran.log; local r=$?; rm -rf ../probe ../ran.log; return $r; }
check() { local n d p; p=$(cd "$1" && pwd -P); [ ! -e "$1/../ran.log" ] || while read -r n d; do case $n in fsmonitor*) echo "the fsmonitor program ran in $(basename "$d")";; reference-transaction) ;; *) [ "$d" != "$p" ] && [ "$d" != "$p/.git" ] || echo "$n ran in the parent";; esac; done <"$1/../ran.log" | sort -u; }
run "$@"
