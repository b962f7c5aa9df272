#!/usr/bin/env bash
# CASE  : 021-hard-links
# KIND  : links   WANT: exact
# SOURCE: https://github.com/manaflow-ai/cmux/issues/5941 ("copy, not hardlink")
# STATE : two untracked names share one inode
# EXPECT: both names with the same bytes in the child, on inodes of their own: a write in the child must not reach the parent.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=links WANT=exact
setup() { base "$1"; printf 'shared\n' >h1; ln h1 h2; }
claim() { [ h1 -ef h2 ]; }
run "$@"
