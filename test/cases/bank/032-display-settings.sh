#!/usr/bin/env bash
# CASE  : 032-display-settings
# KIND  : config   WANT: exact
# SOURCE: https://github.com/pingdotgg/t3code/issues/927 ; https://github.com/jesseduffield/lazygit/pull/3222 ; https://github.com/nilbuild/diffity/pull/31
# STATE : diff.external, diff.noprefix, diff.mnemonicPrefix, color.ui=always, core.pager that never ends, status.relativePaths, status.short,
#         status.branch, stash.showPatch, alias.stash and alias.worktree, column.ui, diff.renames=copies, log.showSignature
# EXPECT: exact; none of them may reach a parser. No pager is ever started.
. "${BASH_SOURCE[0]%/*}/../lib.sh"
KIND=config WANT=exact
setup() { base "$1"; for kv in diff.external=/bin/false diff.noprefix=true diff.mnemonicPrefix=true color.ui=always 'core.pager=cat >/dev/null; sleep 99' pager.status=true pager.stash=true status.short=true status.branch=true stash.showPatch=true stash.showIncludeUntracked=true alias.stash='!false' alias.worktree='!false' column.ui=always diff.renames=copies status.showStash=true; do git config "${kv%%=*}" "${kv#*=}"; done; printf 'x\n' >>a.txt; printf 'new\n' >new.txt; }
claim() { git -c color.ui=always status | grep -q $'\033' && [ "$(git config diff.external)" = /bin/false ]; }
run "$@"
