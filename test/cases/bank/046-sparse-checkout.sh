#!/usr/bin/env bash
# CASE  : 046-sparse-checkout
# KIND  : index-flags   WANT: either
# SOURCE: https://github.com/gitgitgadget/git/pull/355 ; https://github.com/git/git/pull/919 ; https://github.com/Dimillian/CodexMonitor/pull/172
# STATE : cone sparse checkout of src/; an edit inside the cone, an untracked file outside of it (docs/new.md)
# EXPECT: child is sparse in the same way (or full, said so); the edit and docs/new.md are there; no file of the rest shows up as deleted.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index-flags WANT=either
setup() { base "$1"; git sparse-checkout set src >/dev/null 2>&1; printf 'x\n' >>src/b.txt; mkdir -p docs; printf 'new\n' >docs/new.md; }
claim() { [ ! -e docs/c.md ] && git ls-files -v | grep -q '^S docs/c.md' && git status --porcelain | grep -q '?? docs/'; }
run "$@"
