#!/usr/bin/env bash
# CASE  : 269-settings-for-a-shared-repository-and-another-users-mask
# KIND  : config   WANT: exact
# SOURCE: git-config(1) core.sharedRepository
# STATE : core.sharedRepository=0660 with receive.denyCurrentBranch, fetch.prune, push.default and rerere.enabled set; an edit, a new file, a staged one
# EXPECT: the child is the parent; files do not become writable for the group by it
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=exact
setup() { base "$1"; git config core.sharedRepository 0660; git config rerere.enabled true; git config fetch.prune true; git config branch.autoSetupMerge always; git config branch.autoSetupRebase always; printf 'e\n' >>a.txt; printf 'n\n' >n.txt; chmod 0600 n.txt; printf 's\n' >s.txt; git add s.txt; }
claim() { [ "$(state)" = ' M a.txt;A  s.txt;?? n.txt;' ]; }
run "$@"
