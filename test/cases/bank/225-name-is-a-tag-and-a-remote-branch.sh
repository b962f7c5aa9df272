#!/usr/bin/env bash
# CASE  : 225-name-is-a-tag-and-a-remote-branch
# KIND  : branch   WANT: exact   BRANCH='v1'
# SOURCE: git-worktree(1) --guess-remote ; https://github.com/openai/codex/issues/42708 ; combines 066 and 081
# STATE : the wanted name is also a tag at an older commit and a branch of the remote; checkout.defaultRemote and worktree.guessRemote are set, branch.autoSetupMerge=always
# EXPECT: exact, from the parent's commit, not the tag's; the branch gets no upstream.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=branch WANT=exact BRANCH='v1'
setup() { base "$1"; git tag v1; printf 'l\n' >>a.txt; git_c commit -q -am l; git update-ref refs/remotes/origin/v1 HEAD~1; git config remote.origin.url "$1.gone"; git config remote.origin.fetch '+refs/heads/*:refs/remotes/origin/*'; git config worktree.guessRemote true; git config branch.autoSetupMerge always; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { [ "$(git rev-parse refs/tags/v1)" != "$(git rev-parse HEAD)" ] && [ "$(state)" = ' M a.txt;?? n.txt;' ]; }
check() { [ -e "$2/.git" ] || return 0; [ "$(git -C "$2" rev-parse HEAD)" = "$(git -C "$1" rev-parse HEAD)" ] || echo "the child is not at the parent's commit"; [ -z "$(git -C "$1" config branch.v1.merge)" ] || echo "the branch follows $(git -C "$1" config branch.v1.merge)"; }
run "$@"
