#!/usr/bin/env bash
# CASE  : 142-twelve-forks-of-twelve-worktrees
# KIND  : parallel   WANT: exact
# SOURCE: https://github.com/anthropics/claude-code/issues/47266 ; https://github.com/anthropics/claude-code/issues/34645 ; https://github.com/Intrect-io/OpenSwarm/pull/685 (config.lock when worktrees are made at once)
# STATE : one repository with twelve linked worktrees, each with its own staged, unstaged and new file. The driver forks the main checkout; the check then forks all twelve at the same time
# EXPECT: all twelve succeed and each child equals its own worktree, staging too; no config.lock, packed-refs.lock or index.lock is in anybody's way or left.
#         Lineage: each child's parent is its own worktree, also after git switch -c in the child.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=parallel WANT=exact
setup() { base "$1"; local i; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do git -c core.hooksPath=/dev/null worktree add -q -b wt-$i "$1.wt-$i" HEAD; ( cd "$1.wt-$i" && printf 'staged %s\n' $i >src/b.txt && git add src/b.txt && printf 'disk %s\n' $i >src/b.txt && printf 'edit %s\n' $i >>a.txt && printf 'n %s\n' $i >new-$i.txt ); done; printf 'x\n' >>a.txt; }
claim() { [ "$(git worktree list | wc -l)" = 13 ] && [ "$(git -C "$1.wt-7" --no-optional-locks status --porcelain | tr '\n' ';')" = ' M a.txt;MM src/b.txt;?? new-7.txt;' ]; }
another() { [ -x "${TOOL:-}" ] || return 1; timeout 60 "$TOOL" fork "$1" --name="$3" --dir "$2" --no-session --setup skip --launch none --json </dev/null >"$2.log" 2>&1; }
parent_of() { "$TOOL" workspaces "$1" --json </dev/null | tr -d '\n' | sed 's/": /":/g' | grep -o "\"path\":\"$2\"[^{}]*\"parent\":\"[^\"]*\"" | sed 's/.*"parent":"//; s/"$//'; }
check() { [ -e "$2/.git" ] || return 0; local i c=$2 p=$1.wt; for i in {1..12}; do another "$p-$i" "$c-$i" "kid-$i" & done; wait
  for i in {1..12}; do "${COMPARE:-false}" --index "$p-$i" "$c-$i" || echo "child $i differs from worktree $i: $(tail -1 "$c-$i.log" | cut -c1-60)"; done
  find "$1/.git" -name '*.lock' -not -path '*/sidefork/*' -printf 'left: %P\n'
  git -C "$c-1" switch -q -c kid-1-other; for i in 1 2 12; do [ "$(parent_of "$1" "$c-$i")" = "$p-$i" ] || echo "workspaces: the parent of child $i is not worktree $i"; done; }
run "$@"
