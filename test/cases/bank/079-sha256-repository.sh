#!/usr/bin/env bash
# CASE  : 079-sha256-repository
# KIND  : format   WANT: exact
# SOURCE: https://github.com/microsoft/vscode/pull/327494 ; https://github.com/gitpython-developers/GitPython/issues/1475
# STATE : object format sha256: ids have 64 digits
# EXPECT: exact; no /[0-9a-f]{40}/ anywhere.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=format WANT=exact
setup() { base --object-format=sha256 "$1"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { [ "$(git rev-parse HEAD | wc -c)" = 65 ]; }
run "$@"
