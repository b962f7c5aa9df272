#!/usr/bin/env bash
# CASE  : 083-owned-by-somebody-else
# KIND  : environment   WANT: refuse   NEEDS: root
# SOURCE: https://github.com/openai/codex/issues/24484 ; https://github.com/zed-industries/zed/issues/56795 ; https://github.com/paperclipai/paperclip/issues/1684
# STATE : the repository belongs to another user: git says "dubious ownership"
# EXPECT: refused with that reason (not "not a git repository", not "no changes"); the tool must not add safe.directory to the user's config.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=environment WANT=refuse NEEDS='root' CODE=unsafeOwner
setup() { base "$1"; printf 'x\n' >>a.txt; chown -R 65534:65534 "$1"; }
claim() { ! git status >/dev/null 2>&1; }
run "$@"
