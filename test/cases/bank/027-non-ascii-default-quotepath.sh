#!/usr/bin/env bash
# CASE  : 027-non-ascii-default-quotepath
# KIND  : names   WANT: exact
# SOURCE: https://github.com/nextpad-plus-plus/nextpad-plus-plus-macos/pull/256 ; https://github.com/jarrodwatts/claude-hud/pull/543
# STATE : untracked "ä ö.txt" and directory "日本/語.txt", default core.quotePath
# EXPECT: carried under their names; line-based porcelain gives quoted octal text.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; printf 'a\n' >'ä ö.txt'; mkdir 日本; printf 'b\n' >日本/語.txt; }
claim() { git status --porcelain | grep -q '"\\303\\244'; }
run "$@"
