#!/usr/bin/env bash
# CASE  : 240-every-letter-at-once
# KIND  : index   WANT: exact
# SOURCE: git-status(1), porcelain v2 ; combines 002, 003, 005, 006, 007, 008, 009 and 013
# STATE : M. .M MM A. AM AD D. .D D.+?? R. .A T. .T TM MT MD and three untracked files, in one worktree
# EXPECT: exact.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; local f; for f in m1 m2 m3 d1 d2 d3 r1 t1 t2 t3 t4 x1; do printf '%s\n' $f >$f; done; ln -s m1 k1; git add .; git_c commit -q -m many
  printf 'i\n' >m1; git add m1; printf 'w\n' >m2; printf 'i\n' >m3; git add m3; printf 'w w\n' >m3; for f in a1 a2 a3; do printf '%s\n' $f >$f; git add $f; done; printf 'w w\n' >a2; rm a3; git rm -q d1; rm d2; git rm -q --cached d3; printf 'kept\n' >d3; git mv r1 r2; printf 'n\n' >n1; git add -N n1
  rm t1; ln -s a.txt t1; git add t1; rm t2; ln -s a.txt t2; rm t3; ln -s a.txt t3; git add t3; ln -sfn docs t3; printf 'i\n' >t4; git add t4; rm t4; ln -s a.txt t4; printf 'i\n' >x1; git add x1; rm x1; rm k1; printf 'file\n' >k1; printf 'u\n' >u1; ln -s u1 u2; mkdir u3; printf 'u\n' >u3/u; }
claim() { [ "$(git --no-optional-locks status --porcelain --no-renames -uall | cut -c1-2 | sort | tr '\n' ';')" = "$(printf '%s\n' 'M ' ' M' MM 'A ' AM AD 'D ' ' D' 'D ' '??' 'D ' 'A ' ' A' 'T ' ' T' TM MT MD ' T' '??' '??' '??' | sort | tr '\n' ';')" ]; }
run "$@"
