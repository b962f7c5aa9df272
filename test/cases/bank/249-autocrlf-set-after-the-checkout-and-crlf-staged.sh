#!/usr/bin/env bash
# CASE  : 249-autocrlf-set-after-the-checkout-and-crlf-staged
# KIND  : eol   WANT: exact
# SOURCE: gitattributes(5) end-of-line conversion ; git-config(1) core.autocrlf
# STATE : core.autocrlf=true was set after files had been checked out with LF (status is clean); one file has CRLF on disk and staged, another has mixed line ends and is untracked
# EXPECT: every file has the parent's line ends, though a checkout in the child writes CRLF; the staged entry is the parent's
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=eol WANT=exact
setup() { base "$1"; sleep 0.02; git update-index -q --refresh; git config core.autocrlf true; printf 'one\r\ntwo\r\n' >a.txt; git add a.txt 2>/dev/null; printf 'x\r\ny\nz\r\n' >mixed.txt; }
claim() { [ "$(state)" = 'M  a.txt;?? mixed.txt;' ] && ! grep -q $'\r' src/b.txt; }
run "$@"
