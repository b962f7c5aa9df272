package guard_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/claude"
	"github.com/sidefork/sidefork/sessions/codex"
	"github.com/sidefork/sidefork/sessions/guard"
)

const (
	live  = "3309aa6e-79d4-40b8-818f-70e5ac72c124" // runs elsewhere
	other = "01a22b7b-f76d-7ad2-b507-5341825bb274" // does not
)

func agents() []guard.Agent {
	var all []guard.Agent
	for _, a := range []agent.Agent{claude.Agent(), codex.Agent()} {
		all = append(all, guard.Agent{Name: a.Name, Programs: []string{a.Program}, Package: a.Package, Resumes: a.Resumes})
	}
	return all
}

// judged is what the guard must say of a line while the session live runs.
func judged(shell guard.Shell, line string) string {
	reading := guard.Read(shell, strings.NewReplacer("LIVE", live, "OTHER", other).Replace(line), agents())
	refused := slices.ContainsFunc(reading.Targets, func(id agent.ID) bool { return id.ID == live || id.ID == "" })
	switch {
	case refused:
		return "refused"
	case reading.Unclear != "":
		return "unclear"
	}
	return "allowed"
}

type shape struct{ line, want string }

func check(t *testing.T, shell guard.Shell, shapes []shape) {
	t.Helper()
	for _, s := range shapes {
		if got := judged(shell, s.line); got != s.want {
			t.Errorf("%s: %q is %s, want %s (%+v)", shell, s.line, got, s.want, guard.Read(shell, s.line, agents()))
		}
	}
}

// TestEveryShapeOfAResumeIsSeen has what Orca's guard is tested with, and more of each kind.
func TestEveryShapeOfAResumeIsSeen(t *testing.T) {
	check(t, guard.POSIX, shapesOfPOSIX())
}

func shapesOfPOSIX() []shape {
	return []shape{
		// The flags.
		{"claude --resume LIVE", "refused"},
		{"claude -r LIVE", "refused"},
		{"claude --resume=LIVE", "refused"},
		{"claude -r=LIVE", "refused"},
		{"claude -rLIVE", "refused"},
		{"claude --Resume LIVE", "refused"},
		{"claude --resume 3309AA6E-79D4-40B8-818F-70E5AC72C124", "refused"},
		{"claude --resume /home/u/.claude/projects/x/LIVE.jsonl", "refused"},
		{"claude --resume", "refused"},
		{"claude -r", "refused"},
		{"claude --continue", "refused"},
		{"claude -c", "refused"},
		{"claude -pc", "refused"},
		{"claude --from-pr 12", "refused"},
		{"claude --teleport", "refused"},
		{"claude purge", "refused"},
		{"claude --continue hello", "refused"},
		{"claude -c hello", "refused"},
		{"claude --resume 'a title'", "refused"},
		{"claude --model sonnet --resume LIVE", "refused"},
		{"claude --model sonnet --resume=LIVE -p 'go on'", "refused"},
		{"claude --resume OTHER --resume LIVE", "refused"},
		{"claude --resume OTHER", "allowed"},
		{"claude -r OTHER 'go on'", "allowed"},
		{"claude", "allowed"},
		{"claude 'please --resume it'", "allowed"},
		{"claude -- --continue", "allowed"},
		{"claude mcp list", "allowed"},
		{"codex resume LIVE", "refused"},
		{"codex resume --last", "refused"},
		{"codex resume", "refused"},
		{"codex resume a-name", "refused"},
		{"codex -m gpt resume LIVE", "refused"},
		{"codex --unknown resume LIVE", "refused"},
		{"codex hello resume LIVE", "refused"},
		{"codex exec resume LIVE 'go on'", "refused"},
		{"codex e --json resume --last", "refused"},
		{"codex resume -m gpt LIVE", "refused"},
		{"codex resume --what OTHER", "refused"},
		{"codex archive LIVE", "refused"},
		{"codex resume OTHER", "allowed"},
		{"codex exec resume OTHER LIVE", "allowed"},
		{"codex exec 'say hello'", "allowed"},
		{"codex", "allowed"},
		// A fork is harmless, wherever its flag stands; unless the flag is none.
		{"codex fork LIVE", "allowed"},
		{"codex fork -c tui.resume_cwd=current LIVE 'go on'", "allowed"},
		{"codex -m resume fork LIVE", "allowed"},
		{"codex exec fork LIVE x", "allowed"},
		{"claude --resume LIVE --fork-session", "allowed"},
		{"claude --fork-session --resume LIVE", "allowed"},
		{"claude --continue --fork-session", "allowed"},
		{"claude '--model' 'sonnet' '--resume' 'LIVE' '--fork-session'", "allowed"},
		{"claude --resume LIVE --fork-session --session-id OTHER --name x -- 'go on'", "allowed"},
		{"claude --resume LIVE --fork-session -- \"$PROMPT\"", "allowed"},
		{"claude --resume LIVE -- --fork-session", "refused"},
		{"claude --model --fork-session --resume LIVE", "refused"},
		{"claude --resume LIVE --name --fork-session", "refused"},
		{"claude --resume LIVE --Fork-Session", "refused"},
		{"claude --from-pr 1 --fork-session", "refused"},
		// Chains.
		{"claude --resume LIVE --fork-session && claude --resume LIVE", "refused"},
		{"claude --resume LIVE --fork-session;claude --resume LIVE", "refused"},
		{"claude --resume LIVE --fork-session||claude --resume LIVE", "refused"},
		{"claude --resume LIVE --fork-session | claude --resume LIVE", "refused"},
		{"claude --resume LIVE --fork-session & claude --resume LIVE", "refused"},
		{"claude --resume LIVE --fork-session\nclaude --resume LIVE", "refused"},
		{"claude --resume LIVE --fork-session\rclaude --resume LIVE", "refused"},
		{"claude --resume LIVE; echo --fork-session", "refused"},
		{"claude --resume LIVE && other --fork-session", "refused"},
		{"codex fork LIVE && codex resume LIVE", "refused"},
		{"codex fork LIVE && codex resume OTHER", "allowed"},
		{"cd /w && claude --resume OTHER", "allowed"},
		{"claude --resume LIVE --fork-session && ( claude --resume LIVE )", "refused"},
		{"{ claude --resume LIVE; }", "refused"},
		{"if true; then claude -c; fi", "refused"},
		{"while sleep 1; do claude -c; done", "refused"},
		{"case x in y) claude -c;; esac", "refused"},
		{"! claude -c", "refused"},
		{"for x in a b; do claude -c; done", "refused"},
		{"f() { claude -c; }; f", "refused"},
		{"f() { claude \"$@\"; }; f -c", "unclear"},
		{"time claude -c", "refused"},
		{"coproc claude -c", "refused"},
		// What cannot be read to the end.
		{"claude --resume LIVE --fork-session \"$(claude --resume LIVE)\"", "refused"},
		{"claude --resume LIVE --fork-session $(claude --resume LIVE)", "refused"},
		{"claude --resume LIVE --fork-session `claude --resume LIVE`", "refused"},
		{"claude --resume LIVE --fork-session \"`claude --resume LIVE`\"", "refused"},
		{"claude --resume LIVE --fork-session $(date)", "refused"},
		{"claude --resume LIVE --fork-session $'\\''; claude --resume LIVE; echo '", "unclear"},
		{"claude --fork-session --resume LIVE \\\"; claude --resume LIVE \\\"", "refused"},
		{"claude --fork-session --resume LIVE \"\\\"\"; claude --resume LIVE \"\\\"\"", "refused"},
		{"claude --resume LIVE --fork-session <(claude --resume LIVE)", "refused"},
		{"claude --resume LIVE --fork-session > >(claude --resume LIVE)", "refused"},
		{"claude --resume LIVE --fork-session && eval \"claude --resume LIVE\"", "unclear"},
		{"claude --resume LIVE --fork-session && sh -c 'claude --resume LIVE'", "refused"},
		{"claude --resume LIVE --fork-session 'x", "unclear"},
		{"claude --resume LIVE --fork-session \\", "unclear"},
		{"claude $X", "unclear"},
		{"$X -c", "unclear"},
		{"cl${X}aude -c", "unclear"},
		{"a=cla b=ude; $a$b -c", "unclear"},
		{"/usr/bin/cl*e -c", "unclear"},
		{"{claude,-c}", "unclear"},
		{"!claude", "unclear"},
		{"!!", "unclear"},
		{"^x^y", "unclear"},
		{"=claude -c", "unclear"},
		{"alias x='claude -c'", "unclear"},
		{"trap 'claude -c' EXIT", "unclear"},
		{"PROMPT_COMMAND='claude -c'", "unclear"},
		{"PS4='$(claude -c)'; set -x; :", "unclear"},
		{"a='b[$(cl\"\"aude -c)]'; echo $((a))", "unclear"},
		{"echo claude -c | sh", "unclear"},
		{"echo 'cl\"\"aude -c' > x; ./x", "unclear"},
		{"printf 'cl\\x61ude -c' | tclsh", "unclear"},
		{"tclsh <<< 'exec x'", "unclear"},
		{"git log | less", "unclear"},
		{"EDITOR=\"$X\" git commit", "unclear"},
		{"EDITOR='claude -c' git commit", "unclear"},
		{"sh <<< 'claude -c'", "unclear"},
		{"sh x", "unclear"},
		{". ./x", "unclear"},
		{"xargs claude -c", "unclear"},
		{"find . -exec claude -c ;", "unclear"},
		{"unknown claude -c", "unclear"},
		{"unknown --run='claude -c'", "unclear"},
		{"cl\taude", "unclear"},
		{"claude --fork-session --resume LIVE\x15claude -c", "unclear"},
		{"echo a # ; claude -c", "refused"},
		{"{ echo a # ; claude -c\n} # b", "refused"},
		{"((claude -c))", "unclear"},
		// Quoting.
		{"cl'au'de --con\"tinue\"", "refused"},
		{"c\\laude -\\c", "refused"},
		{"\"claude\" \"--resume\" \"LIVE\"", "refused"},
		{"'claude' '--resume' 'LIVE'", "refused"},
		{"cla\\\nude -c", "refused"},
		{"claude --resume LIVE'' ", "refused"},
		{"echo 'a; claude -c'", "allowed"},
		{"echo \"a && claude -c\"", "allowed"},
		{"echo '`claude -c` $(claude -c)'", "allowed"},
		{"claude 'it'\"'\"'s --continue'", "allowed"},
		{"claude --resume OTHER 'say `date`; $(date) | x'", "allowed"},
		{"claude --resume LIVE --fork-session 'a;b && \"c\" | d'", "allowed"},
		// Programs that start another.
		{"/usr/local/bin/claude -c", "refused"},
		{"~/.local/bin/claude -c", "refused"},
		{"./node_modules/.bin/codex resume LIVE", "refused"},
		{"X=1 claude -c", "refused"},
		{"CLAUDE_CONFIG_DIR=/x claude --resume OTHER", "allowed"},
		{"PATH=/x claude", "unclear"},
		{"env claude -c", "refused"},
		{"env -i -u A B=c claude -c", "refused"},
		{"env -S 'claude -c'", "unclear"},
		{"env A=1 claude --resume LIVE --fork-session", "allowed"},
		{"sudo -E -u me claude -c", "refused"},
		{"sudo -s claude -c", "unclear"},
		{"nohup claude -c &", "refused"},
		{"exec -a x claude -c", "refused"},
		{"command claude -c", "refused"},
		{"command -v claude", "allowed"},
		{"builtin command exec claude -c", "refused"},
		{"nice -n 5 timeout -k 1 10 claude -c", "refused"},
		{"timeout 10 claude -c", "refused"},
		{"stdbuf -oL claude -c", "refused"},
		{"setsid -f claude -c", "refused"},
		{"time -p claude -c", "refused"},
		{"\\time -f x claude -c", "refused"},
		{"npx @anthropic-ai/claude-code --continue", "refused"},
		{"npx -y @anthropic-ai/claude-code@latest -c", "refused"},
		{"npx -p @anthropic-ai/claude-code claude -c", "refused"},
		{"npx @anthropic-ai/claude-code@2.1.332 --resume LIVE --fork-session", "allowed"},
		{"bunx @openai/codex resume LIVE", "refused"},
		{"bun x @openai/codex resume LIVE", "refused"},
		{"pnpm dlx @openai/codex@0.171 resume --last", "refused"},
		{"npm exec -- claude -c", "refused"},
		{"yarn claude -c", "unclear"},
		{"sh -c 'claude -c'", "refused"},
		{"bash -lc \"claude --resume LIVE\"", "refused"},
		{"bash -o posix -c 'claude -c'", "refused"},
		{"bash -c -x 'claude -c'", "refused"},
		{"sh -c 'sh -c \"sh -c \\\"claude -c\\\"\"'", "refused"},
		{"sh -c \"$X\"", "unclear"},
		{"sh -c 'claude \"$1\"' x -c", "unclear"},
		{"sh -c 'claude --resume LIVE --fork-session'", "allowed"},
		{"node /x/node_modules/@anthropic-ai/claude-code/cli.js -c", "unclear"},
		// What has nothing to do with it.
		{"", "allowed"},
		{"ls $DIR *.go", "allowed"},
		{"make test", "allowed"},
		{"npm run dev -- --port 3000", "allowed"},
		{"git commit -m 'fix (it), please'", "allowed"},
		{"git add CLAUDE.md .claude/settings.json", "allowed"},
		{"cd ~/src/claude && ls", "allowed"},
		{"X=$(date); echo \"$X\"", "allowed"},
		{"git log | head -5", "allowed"},
		{"echo claude", "allowed"},
		{"[[ -f x ]] && make", "allowed"},
		{"make > log 2>&1", "allowed"},
		{"make 2>/dev/null && ./x", "allowed"},
	}
}

func TestPowerShellLinesAreReadAsPowerShellDoes(t *testing.T) {
	check(t, guard.PowerShell, []shape{
		{`& 'claude' '--resume' 'LIVE'`, "refused"},
		{`& 'C:\Program Files\claude.exe' --resume LIVE`, "refused"},
		{`& 'C:\Program Files\it''s\claude.cmd' --resume LIVE`, "refused"},
		{`& 'C:\Program Files\claude.exe' --resume OTHER`, "allowed"},
		{`claude --resume LIVE --fork-session`, "allowed"},
		{`Set-Location -LiteralPath 'C:\a b'; $env:A = 'o''clock'; $env:B = $null; & 'claude' '--resume' 'LIVE' '--fork-session'`, "allowed"},
		{`Set-Location -LiteralPath 'C:\a b'; & 'claude' '--resume' 'LIVE'`, "refused"},
		{`CLAUDE.EXE -c`, "refused"},
		{`claude "-c"`, "refused"},
		{`claude -c; claude --fork-session`, "refused"},
		{`claude --fork-session --resume LIVE && claude -c`, "refused"},
		{`claude --fork-session --resume LIVE || claude -c`, "refused"},
		{`claude --fork-session --resume LIVE | claude -c`, "refused"},
		{`claude --fork-session --resume LIVE & claude -c`, "refused"},
		{"claude --fork-session --resume LIVE\nclaude -c", "refused"},
		{`. claude -c`, "refused"},
		{`echo 'a' ; claude -c`, "refused"},
		{`echo 'it’s ; claude -c # `, "refused"},
		{`echo "$('"')" ; claude -c ; '`, "unclear"},
		{"claude `-c", "unclear"},
		{"cl`aude -c", "unclear"},
		{`claude $x`, "unclear"},
		{`& $x -c`, "unclear"},
		{`claude "$x"`, "unclear"},
		{`claude @args`, "unclear"},
		{`claude a,-c`, "unclear"},
		{`claude --% -c`, "unclear"},
		{`(claude -c)`, "unclear"},
		{`& { claude -c }`, "unclear"},
		{`iex 'claude -c'`, "unclear"},
		{`Start-Process claude -c`, "unclear"},
		{`cmd /c claude -c`, "unclear"},
		{`$env:PATH = 'C:\x'`, "unclear"},
		{`claude 'x`, "unclear"},
		{`npx @anthropic-ai/claude-code -c`, "unclear"}, // an unquoted @ may be a splat
		{`npx '@anthropic-ai/claude-code' -c`, "refused"},
		{`echo 'a; claude -c'`, "allowed"},
		{`claude --resume OTHER 'a | b'`, "allowed"},
		{`Get-ChildItem C:\x\*.go`, "allowed"},
		{`npm run dev`, "allowed"},
		{`make # claude -c`, "allowed"},
	})
}

func TestCmdLinesAreReadAsCmdDoes(t *testing.T) {
	check(t, guard.Cmd, []shape{
		{`claude --resume LIVE`, "refused"},
		{`"C:\Program Files\claude.exe" --resume LIVE`, "refused"},
		{`C:\x\claude.cmd --resume OTHER`, "allowed"},
		{`cd /d "C:\a b" && set "A=b c" && set "B=" && claude --resume LIVE --fork-session`, "allowed"},
		{`cd /d "C:\a b" && claude --resume LIVE`, "refused"},
		{`claude --resume LIVE --fork-session & claude -c`, "refused"},
		{`claude --resume LIVE --fork-session&&claude -c`, "refused"},
		{`claude --resume LIVE --fork-session||claude -c`, "refused"},
		{`claude --resume LIVE --fork-session|claude -c`, "refused"},
		{`claude --resume LIVE --fork-session "a\" & claude -c & "b"`, "refused"},
		{`claude --resume LIVE --fork-session "a & claude -c"`, "allowed"},
		{`claude "-c"`, "refused"},
		{`"claude" -c`, "refused"},
		{`@claude -c`, "refused"},
		{`CLAUDE -c`, "refused"},
		{`claude --resume LIVE --fork-session ^" & claude -c`, "unclear"},
		{`echo x ^& claude -c`, "unclear"},
		{`%X% -c`, "unclear"},
		{`claude "%X%"`, "unclear"},
		{`claude !X!`, "unclear"},
		{`(claude -c)`, "unclear"},
		{`claude,-c`, "unclear"},
		{`call claude -c`, "unclear"},
		{`start "" claude -c`, "unclear"},
		{`cmd /c "claude -c"`, "unclear"},
		{`for /l in x do claude -c`, "unclear"},
		{`set "PATH=C:\x"`, "unclear"},
		{`set /p x=claude`, "unclear"},
		{`claude --resume LIVE --fork-session "x`, "unclear"},
		{`claude --resume LIVE --fork-session "a""b"`, "refused"},
		{`claude --resume OTHER "say \"hi\" to it"`, "allowed"},
		{`dir C:\x & make`, "allowed"},
	})
}
