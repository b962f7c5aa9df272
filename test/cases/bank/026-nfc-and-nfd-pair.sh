#!/usr/bin/env bash
# CASE  : 026-nfc-and-nfd-pair
# KIND  : names   WANT: exact
# SOURCE: https://github.com/daintreehq/daintree/issues/6171 ; https://github.com/zeroturnaround/zt-zip/pull/193
# STATE : two files whose names differ only in Unicode normal form, one tracked and modified (NFC), one untracked (NFD)
# EXPECT: on a file system that keeps both, both arrive; no normalising of paths as map keys.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; printf 'nfc\n' >$'caf\303\251.txt'; git add .; git_c commit -q -m n; printf 'm\n' >>$'caf\303\251.txt'; printf 'nfd\n' >$'cafe\314\201.txt'; }
claim() { [ "$(ls | grep -c '^caf')" = 2 ]; }
run "$@"
