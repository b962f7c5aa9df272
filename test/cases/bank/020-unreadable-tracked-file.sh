#!/usr/bin/env bash
# CASE  : 020-unreadable-tracked-file
# KIND  : permissions   WANT: refuse   AS: nobody
# SOURCE: https://github.com/open-telemetry/opentelemetry-cpp/issues/3265
# STATE : run as an ordinary user; a tracked, modified file cannot be read
# EXPECT: refused with the path; nothing created.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=permissions WANT=refuse AS='nobody' CODE=unreadable
setup() { base "$1"; printf 'changed\n' >a.txt; chmod 000 a.txt; }
claim() { [ ! -r a.txt ]; }
cleanup() { chmod 644 "$1/a.txt"; }
run "$@"
