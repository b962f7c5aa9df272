#!/usr/bin/env bash
# CASE  : 209-sparse-checkout-with-files-outside-of-the-cone
# KIND  : index-flags   WANT: exact   MIN_GIT=2.37.0
# SOURCE: git-sparse-checkout(1) ; https://github.com/git/git/pull/919 ; combines 046 and 044
# STATE : cone sparse checkout of src/; docs/c.md, outside of it, was written to disk again with other bytes; docs/new.md is untracked there; src/b.txt is staged and edited again
# EXPECT: exact: the child is sparse in the same way, docs/c.md has the parent's bytes, nothing shows as deleted.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index-flags WANT=exact MIN_GIT=2.37.0
setup() { base "$1"; mkdir far; printf 'f\n' >far/f.txt; git add .; git_c commit -q -m far; git sparse-checkout set src >/dev/null 2>&1; mkdir -p docs; printf 'again\n' >docs/c.md; printf 'new\n' >docs/new.md; printf 'v2\n' >src/b.txt; git add src/b.txt; printf 'v3\n' >>src/b.txt; }
claim() { [ "$(state)" = ' M docs/c.md;MM src/b.txt;?? docs/new.md;' ] && [ ! -e far ] && git ls-files -v | grep -q '^S far/f.txt'; }
check() { [ -e "$2/.git" ] || return 0; [ ! -e "$2/far" ] || echo "the child is not sparse: far/ is there"; [ "$(git -C "$2" --no-optional-locks status --porcelain -uall | tr '\n' ';')" = ' M docs/c.md;MM src/b.txt;?? docs/new.md;' ] || echo "status of the child: $(git -C "$2" --no-optional-locks status --porcelain -uall | tr '\n' ';')"; }
run "$@"
