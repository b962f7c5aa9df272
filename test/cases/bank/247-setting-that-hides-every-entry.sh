#!/usr/bin/env bash
# CASE  : 247-setting-that-hides-every-entry
# KIND  : settings   WANT: exact
# SOURCE: git-config(1) core.ignoreStat: what a checkout writes is assumed to be unchanged
# STATE : core.ignoreStat is set in the repository after its checkout; a.txt edited
# EXPECT: the child's entries have no assume-unchanged bit, since the parent's have none: else edits in the child would be hidden from git.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=settings WANT=exact
setup() { base "$1"; git config core.ignoreStat true; printf 'more\n' >>a.txt; }
claim() { [ "$(git --no-optional-locks status --porcelain)" = ' M a.txt' ] && [ -z "$(git ls-files -v | grep -v '^H')" ]; }
run "$@"
