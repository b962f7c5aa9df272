#!/usr/bin/env bash
# naive.sh PARENT CHILD BRANCH: a careful fork as one would write it by hand, without roll-back. The judge must let it
# pass where it is right and catch it where it is wrong (TestJudgeIsNotBlind); `go test -recipe naive.sh` shows the rest.
set -eu
cd "$(git -C "$1" rev-parse --show-toplevel)"
own=$(mktemp -d)
trap 'rm -rf "$own"' EXIT
git -c core.hooksPath=/dev/null worktree add -q -b "$3" "$2" "$(git rev-parse HEAD)"
cp -p "$(git rev-parse --git-path index)" "$own/index" # -p: an index younger than a file hides a change of the same size
GIT_ALTERNATE_OBJECT_DIRECTORIES=$(git rev-parse --path-format=absolute --git-path objects)
export GIT_ALTERNATE_OBJECT_DIRECTORIES GIT_OBJECT_DIRECTORY=$own
stash=$(GIT_INDEX_FILE=$own/index git -c user.name=T -c user.email=t@example.invalid stash create)
[ -z "$stash" ] || git -C "$2" stash apply -q --index "$stash"
git ls-files -z --others --exclude-standard | xargs -0 -r cp -a --parents -t "$2" --
