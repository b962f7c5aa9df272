#!/usr/bin/env bash
# CASE  : 203-crlf-ident-skip-worktree
# KIND  : eol   WANT: exact
# SOURCE: gitattributes(5) eol, ident ; git-update-index(1) --skip-worktree ; combines 036, 039 and 044
# STATE : v.c has ident and eol=crlf; it is marked skip-worktree and was edited so that its line ends are mixed; w.c has the same attributes, is clean, and its expanded $Id$ was altered by hand (ident hides that)
# EXPECT: both files byte for byte as on the parent's disk, v.c with its bit; no filter, no expansion, no conversion on the way.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=eol WANT=exact
setup() { base "$1"; printf '*.c ident text eol=crlf\n' >.gitattributes; printf '// $Id$\r\nint v;\r\n' >v.c; cp v.c w.c; git add . 2>/dev/null; git_c commit -q -m c; rm v.c w.c; git checkout -q -- v.c w.c; printf 'int x;\n' >>v.c; git update-index --skip-worktree v.c; printf '// $Id: by hand $\r\nint v;\r\n' >w.c; touch -d @1700000100 w.c; git add w.c 2>/dev/null; }
claim() { [ -z "$(state)" ] && git ls-files -v | grep -q '^S v.c' && grep -q 'by hand' w.c && [ "$(git cat-file blob :w.c | head -1)" = '// $Id$' ]; }
run "$@"
