#!/usr/bin/env bash
# CASE  : 123-rm-cached-and-now-ignored
# KIND  : index   WANT: exact
# SOURCE: https://github.com/gitextensions/gitextensions/issues/5118 ; https://github.com/gitbutlerapp/gitbutler/issues/10722 ; git-rm(1) --cached
# STATE : a secret and a folder were tracked by mistake; git rm -r --cached .env ignored, both are ignored now and still on disk, .env (0600) was edited since. Status says only "D "
# EXPECT: the files come with the parent's bytes (and .env as 0600), the staged deletions come, nothing is deleted in either tree. What git calls D is decided
#         on disk, not by the letter; ignored or not makes no difference for a path of the base tree.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=index WANT=exact
setup() { base "$1"; printf 'KEY=old\n' >.env; chmod 600 .env; mkdir -p ignored/deep; printf 'cfg\n' >ignored/deep/cfg.ini; git add -f .env ignored; git_c commit -q -m mistake; printf 'KEY=new\n' >.env; git rm -rq --cached .env ignored; }
claim() { [ "$(git --no-optional-locks status --porcelain | tr '\n' ';')" = 'D  .env;D  ignored/deep/cfg.ini;' ] && git check-ignore -q .env && [ -f .env ] && [ -f ignored/deep/cfg.ini ]; }
check() { local f; for f in .env ignored/deep/cfg.ini; do [ -f "$1/$f" ] || echo "$f is gone in the parent"; [ -d "$2" ] || continue; cmp -s "$1/$f" "$2/$f" || echo "$f: missing or other bytes in the child"; [ -z "$(git -C "$2" ls-files -- "$f")" ] || echo "staged deletion of $f did not come"; done
  [ ! -f "$2/.env" ] || [ "$(stat -c %a "$2/.env")" = 600 ] || echo ".env is $(stat -c %a "$2/.env"), parent 600"; }
run "$@"
