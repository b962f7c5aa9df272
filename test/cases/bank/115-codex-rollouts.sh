#!/usr/bin/env bash
# CASE  : 115-codex-rollouts
# KIND  : sessions   WANT: list
# SOURCE: https://github.com/openai/codex/issues/3856 ; https://github.com/openai/codex/issues/4703 ; https://github.com/yigitkonur/cli-continues/pull/40
# STATE : ~/.codex/sessions/2026/05/DD/rollout-*.jsonl for two folders: one sound, one whose first line (session_meta) is cut, one with a huge first line, one
#         forked from another (forked_from_id), one of another cwd
# EXPECT: for work/app: the sound one, the huge one and the fork, newest first; the cut one is skipped without an error; the id comes from session_meta.
. "${BASH_SOURCE[0]%/*}/../sessions.sh"
KIND=sessions WANT=list
setup() { mk "$1"; local r="$P/home/.codex/sessions/2026/05"; mkdir -p "$r/01" "$r/02" "$r/03"; meta() { printf '{"timestamp":"%s","type":"session_meta","payload":{"id":"%s","timestamp":"%s","cwd":"%s","originator":"codex_cli_rs","cli_version":"0.150.0"%s}}\n' "$3" "$(sid "$1")" "$3" "$2" "${4:-}"; }; um() { printf '{"timestamp":"%s","type":"event_msg","payload":{"type":"user_message","message":"%s"}}\n' "$1" "$2"; }
  { meta 1 "$W" 2026-05-01T10:00:00Z; um 2026-05-01T10:00:01Z "sound"; } >"$r/01/rollout-2026-05-01T10-00-00-$(sid 1).jsonl"
  printf '{"timestamp":"2026-05-01T11:00:00Z","type":"session_me' >"$r/01/rollout-2026-05-01T11-00-00-$(sid 2).jsonl"
  { meta 3 "$W" 2026-05-02T10:00:00Z ",\"instructions\":\"$(head -c 300000 /dev/zero | tr '\0' i)\""; um 2026-05-02T10:00:01Z "huge meta"; } >"$r/02/rollout-2026-05-02T10-00-00-$(sid 3).jsonl"
  { meta 4 "$W" 2026-05-03T10:00:00Z ",\"forked_from_id\":\"$(sid 1)\""; um 2026-05-03T10:00:01Z "a fork"; } >"$r/03/rollout-2026-05-03T10-00-00-$(sid 4).jsonl"
  { meta 5 "$P/work/other" 2026-05-03T12:00:00Z; um 2026-05-03T12:00:01Z "other folder"; } >"$r/03/rollout-2026-05-03T12-00-00-$(sid 5).jsonl"; }
claim() { [ "$(find "$1/home/.codex" -name 'rollout-*' | wc -l)" = 5 ]; }
expected() { printf '%s\tyes\ta fork\n%s\tyes\thuge meta\n%s\tyes\tsound\n' "$(sid 4)" "$(sid 3)" "$(sid 1)"; }
run "$@"
