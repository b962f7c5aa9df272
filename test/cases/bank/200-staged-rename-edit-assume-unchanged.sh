#!/usr/bin/env bash
# CASE  : 200-staged-rename-edit-assume-unchanged
# KIND  : index   WANT: exact
# SOURCE: git-update-index(1) --assume-unchanged ; https://github.com/desktop/desktop/issues/17860 ; combines 008 and 126
# STATE : a.txt was moved with git mv, the new path edited again, then marked assume-unchanged: status shows the rename alone
# EXPECT: the old path is gone, the new one has the edit on disk, the committed bytes in the index, and the bit.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; git mv a.txt moved.txt; printf 'four\n' >>moved.txt; git update-index --assume-unchanged moved.txt; }
claim() { [ "$(state --no-renames)" = 'D  a.txt;A  moved.txt;' ] && git ls-files -v | grep -q '^h moved.txt' && grep -q four moved.txt; }
run "$@"
