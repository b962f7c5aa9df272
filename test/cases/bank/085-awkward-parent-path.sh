#!/usr/bin/env bash
# CASE  : 085-awkward-parent-path
# KIND  : paths   WANT: exact   SUB: we "ird" $(x) 'n;ame é
# SOURCE: https://github.com/ShaftHQ/SHAFT_ENGINE/issues/4126
# STATE : the parent's directory name has spaces, both quotes, $( ), a semicolon, a non-ASCII letter
# EXPECT: exact: no shell between the tool and git, and the setup script gets the path as data.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=paths WANT=exact SUB='we "ird" $(x) '\''n;ame é'
setup() { mkdir -p "$1"; base "$1/we \"ird\" \$(x) 'n;ame é"; printf 'x\n' >>a.txt; printf 'n\n' >n.txt; }
claim() { git rev-parse --show-toplevel | grep -q '\$(x)'; }
run "$@"
