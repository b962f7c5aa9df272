#!/usr/bin/env bash
# CASE  : 129-link-becomes-folder-with-its-targets-names
# KIND  : type-change   WANT: exact
# SOURCE: https://github.com/zzunkie/yardlet/issues/37 (copy through a tracked symlink) ; https://github.com/git/git/pull/1086
# STATE : tracked links lnk -> src and deep/l -> ../docs (tracked folders) were replaced by real folders; lnk/b.txt and deep/l/c.md have the names that exist behind the links, lnk/new/x.txt is new
# EXPECT: exact. Written through the child's link before that is removed, the new bytes land in src/b.txt and docs/c.md. "No link on the path" is judged after
#         the plan's own removals: no reason to refuse.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=type-change WANT=exact
setup() { base "$1"; mkdir deep; ln -s src lnk; ln -s ../docs deep/l; git add lnk deep; git_c commit -q -m links; rm lnk deep/l; mkdir -p lnk/new deep/l; printf 'mine\n' >lnk/b.txt; printf 'new\n' >lnk/new/x.txt; printf 'mine too\n' >deep/l/c.md; }
claim() { [ "$(git --no-optional-locks status --porcelain -uall | tr '\n' ';')" = ' D deep/l; D lnk;?? deep/l/c.md;?? lnk/b.txt;?? lnk/new/x.txt;' ] && [ -d lnk ] && [ ! -L lnk ] && grep -q alpha src/b.txt; }
run "$@"
