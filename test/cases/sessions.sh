# What every case of a session list shares. setup PARENT makes PARENT/home, the user's home, and PARENT/work with project
# folders. The formats are those that public issues show; real files are the business of the agents' own tests.
. "${BASH_SOURCE[0]%/*}/lib.sh"

enc() { printf '%s' "$1" | LC_ALL=C sed 's/[^a-zA-Z0-9]/-/g'; } # https://github.com/anthropics/claude-code/issues/70076

pdir() { local d; d="$P/home/.claude/projects/$(enc "$1")"; mkdir -p "$d"; printf %s "$d"; }

msg() { # ROLE CWD ID TEXT TIME [SIDECHAIN]
  printf '{"parentUuid":null,"isSidechain":%s,"cwd":"%s","sessionId":"%s","version":"2.1.0","gitBranch":"main","type":"%s","message":{"role":"%s","content":"%s"},"uuid":"%s-%s","timestamp":"%s"}\n' \
    "${6:-false}" "$2" "$3" "$1" "$1" "$4" "$3" "$RANDOM" "$5"
}

sid() { printf '%08d-0000-4000-8000-%012d' "$1" "$1"; }

sess() { # N CWD TITLE TIME: a sound session of two messages
  local f
  f="$(pdir "$2")/$(sid "$1").jsonl"
  { msg user "$2" "$(sid "$1")" "$3" "$4"; msg assistant "$2" "$(sid "$1")" "ok" "$4"; } >"$f"
  touch -d "$4" "$f"
}

mk() { P=$1 W=$1/work/app; mkdir -p "$P/home/.claude/projects" "$W"; git init -q -b main "$W"; }

query() { printf %s "$1/work/app"; } # the folder that is asked about

# expected PARENT prints the right list, newest first: id, forkable yes|no, title or first prompt, separated by tabs.
