#!/usr/bin/env bash
# CASE  : 030-path-longer-in-the-child
# KIND  : names   WANT: either   CHILD_PAD
# SOURCE: https://github.com/stablyai/orca/issues/15785 ; https://github.com/pingdotgg/t3code/issues/635 ; https://github.com/EffortlessMetrics/perl-lsp/issues/4456
# STATE : an untracked path that just fits under PATH_MAX (4096) in the parent; the child's directory name is 200 bytes longer
# EXPECT: carried (relative opens) or refused naming the path before anything is written; not a child without the file.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=either CHILD_PAD=200
setup() { base "$1"; printf 'x\n' >>a.txt; local c n left; c=$(printf 'd%.0s' {1..200}); n=$(( (4050 - ${#1}) / 201 )); ( cd "$1"; for ((i=0;i<n;i++)); do mkdir $c && cd $c || exit 1; done; printf 'deep\n' >f ); }
claim() { [ "$(git ls-files -o --exclude-standard | head -1 | wc -c)" -gt 3500 ]; }
run "$@"
