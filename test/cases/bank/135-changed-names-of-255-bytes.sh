#!/usr/bin/env bash
# CASE  : 135-changed-names-of-255-bytes
# KIND  : names   WANT: exact
# SOURCE: https://github.com/jsboige/CoursIA/issues/15112 (244-byte names break worktree add) ; NAME_MAX ; git behaviour, reproduced
# STATE : names of 255 bytes, each changed in another way: a link with a new target, an exec bit, a file staged in one version and on disk in another, a file in a folder of 255 bytes, an untracked link, a deletion
# EXPECT: exact. There is no room for a suffix: a temporary file beside the target needs a name of its own.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=names WANT=exact
setup() { base "$1"; local n; n=$(printf 'x%.0s' {1..254}); ln -s a.txt "l$n"; printf 'm\n' >"m$n"; printf 's1\n' >"s$n"; printf 'g\n' >"g$n"; mkdir "d$n"; printf 'f\n' >"d$n/f$n"; git add .; git_c commit -q -m long; ln -sf src/b.txt "l$n"; chmod 755 "m$n"; printf 's2\n' >"s$n"; git add "s$n"; printf 's3\n' >"s$n"; printf 'f2\n' >"d$n/f$n"; rm "g$n"; ln -s nowhere "u$n"; printf 'v\n' >"d$n/v$n"; }
claim() { [ "$(git --no-optional-locks status --porcelain -uall | cut -c1-4 | tr '\n' ';')" = ' M d; D g; M l; M m;MM s;?? d;?? u;' ] && [ "$(ls | awk 'length==255' | wc -l)" = 5 ]; }
run "$@"
