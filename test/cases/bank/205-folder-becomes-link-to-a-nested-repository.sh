#!/usr/bin/env bash
# CASE  : 205-folder-becomes-link-to-a-nested-repository
# KIND  : nested   WANT: report
# SOURCE: https://github.com/am-will/gooey-pi/pull/227 ; git behaviour, reproduced; combines 011, 016 and 076
# STATE : the tracked folder src/ was replaced by a link to real/repo, an untracked repository with changes of its own
# EXPECT: src comes as a link with the same text, src/b.txt is gone, real/repo is named as left; nothing is read or written through the link.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=nested WANT=report
setup() { base "$1"; mkdir real; base real/repo; printf 'inner\n' >>src/b.txt; cd "$1"; rm -r src; ln -s real/repo src; printf 'x\n' >>a.txt; }
claim() { [ "$(state)" = ' M a.txt; D src/b.txt;?? real/repo/;?? src;' ] && [ -L src ] && [ -d src/.git ]; }
check() { [ -e "$2/.git" ] || return 0; [ "$(readlink "$2/src")" = real/repo ] || echo "src is not the parent's link"; [ -e "$2/real/repo/.git" ] || left real/repo nestedRepository || echo "real/repo is neither carried nor named"; }
run "$@"
