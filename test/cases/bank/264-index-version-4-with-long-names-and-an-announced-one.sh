#!/usr/bin/env bash
# CASE  : 264-index-version-4-with-long-names-and-an-announced-one
# KIND  : format   WANT: exact
# SOURCE: gitformat-index(5) version 4: names share their beginnings
# STATE : an index of version 4 with names that share 200 bytes, one of them announced by git add -N, one skip-worktree and edited, one staged and gone
# EXPECT: entries, bits and bytes are the parent's
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=format WANT=exact
setup() { base "$1"; local d i; d=long/$(printf 'n%.0s' {1..190}); mkdir -p $d; for i in 1 2 3 4; do printf '%s\n' $i >$d/$i; done; git add long; git_c commit -qm long; git update-index --index-version 4; git update-index --skip-worktree $d/1; printf 'hidden\n' >$d/1; printf 'new\n' >$d/5; git add -N $d/5; printf 'staged\n' >$d/2; git add $d/2; rm $d/2; }
claim() { [ "$(head -c 8 .git/index | od -An -tu1 | tr -s ' ')" = ' 68 73 82 67 0 0 0 4' ]; }
run "$@"
