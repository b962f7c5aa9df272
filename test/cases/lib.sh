# What every case of a fork or a carry shares. A case in bank/ sources this file, sets its variables, defines its
# functions and ends with: run "$@". README.md says what each of them means.
set -u
unset "${!GIT_@}"
export GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0
export GIT_AUTHOR_DATE='1700000000 +0000' GIT_COMMITTER_DATE='1700000000 +0000'
KIND='' WANT='' BRANCH=fork-child CODE='' EXIT=3 CHILD_IN='' CWD='' SUB='' AS='' NEEDS='' MIN_GIT='' CHILD_PAD=''

target() { :; }
env_for() { :; }
check() { :; }
cleanup() { :; }

git_c() { git -c user.name=T -c user.email=t@example.invalid -c commit.gpgsign=false -c core.hooksPath=/dev/null "$@"; }

base() { # [OPTION of git init…] DIR: a repository with one commit, then cd into it
  git init -q --template= -b main "$@" && cd "${!#}" && mkdir -p .git/hooks .git/info src docs &&
    printf '[user]\n\tname = T\n\temail = t@example.invalid\n' >>.git/config &&
    printf 'one\ntwo\nthree\n' >a.txt && printf 'alpha\n' >src/b.txt && printf 'doc\n' >docs/c.md &&
    printf '#!/bin/sh\necho hi\n' >run.sh && chmod 755 run.sh && printf '*.log\n/ignored/\n.env\n' >.gitignore &&
    git add -A && git_c commit -q -m base
}

state() { # the status of the parent in one line, for a claim: 'XY path;XY path;'
  git --no-optional-locks status --porcelain -uall "$@" | tr '\n' ';'
}

said() { # REGEXP: does the tool's answer name it? (yes where there is no answer to read)
  [ ! -s "${ANSWER:-/nowhere}" ] || sed "s#${WORK:-/nowhere}##g" "$ANSWER" | grep -qi -- "$1"
}

left() { # PATH [REASON]: is it in the answer's list of what did not come? (yes where there is no answer to read)
  [ ! -s "${ANSWER:-/nowhere}" ] || grep -qxE -- "${1//./\\.}/?	${2:-.*}" "$LEFT"
}

run() {
  local phase=${1:-help}
  [ $# = 0 ] || shift
  case $phase in
    setup | target | check | cleanup | env_for | query | expected) "$phase" "$@" ;;
    claim) cd "$1" && claim "$1" && echo "claim holds" ;;
    prepare) # PARENT REAL CHILD: all that happens before the tool runs; 8 the claim does not hold, 9 no target
      (setup "$1")
      (cd "$2" && claim "$2") || exit 8
      (target "$2" "$3") || exit 9
      ;;
    vars)
      local v
      for v in KIND WANT BRANCH CODE EXIT CHILD_IN CWD SUB AS NEEDS MIN_GIT CHILD_PAD; do printf '%s=%s\0' "$v" "${!v}"; done
      ;;
    *) sed -n '2,/^[^#]/p' "$0" | grep '^#' ;;
  esac
}
