#!/usr/bin/env bash
# CASE  : 243-names-that-are-no-utf8
# KIND  : names   WANT: exact
# SOURCE: https://github.com/gitgitgadget/git/pull/355 ; git behaviour, reproduced ; combines 024 and 003
# STATE : names with bytes that are no UTF-8: tracked and edited, staged new and edited, untracked, a folder, a link with such a text; control characters and an escape sequence in others
# EXPECT: exact, under the same bytes; the answer is sound JSON, and no control character in it.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; printf 't\n' >$'t\xff\xfe'; git add .; git_c commit -q -m t; printf 'x\n' >>$'t\xff\xfe'; printf 'v1\n' >$'s\x80'; git add $'s\x80'; printf 'v2 more\n' >$'s\x80'; mkdir $'d\xc3'; printf 'u\n' >$'d\xc3/\xe2\x82'; ln -s $'x\xf0' $'l\xf1'; printf 'e\n' >$'\e[31mred\e[0m\a'; }
claim() { [ "$(git ls-files -o -z --exclude-standard | tr -cd '\0' | wc -c)" = 3 ] && [ "$(git --no-optional-locks status --porcelain | cut -c1-2 | sort | tr '\n' ';')" = ' M;??;??;??;AM;' ]; }
check() { [ ! -s "${ANSWER:-/nowhere}" ] || [ -z "$(tr -d '\n\r\t -~\200-\377' <"$ANSWER")" ] || echo "a control character in the answer"; }
run "$@"
