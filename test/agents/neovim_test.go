//go:build agents && unix

package agents_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sidefork/sidefork/test/agents/pinned"
	"github.com/sidefork/sidefork/test/ptydrive"
)

// neovimConfig is a user's init.lua: the plugin, sidefork by its path, and a right-click menu that has nothing but what
// plugins put there, so that its first line lies below the click. No ruler is drawn in between what is typed.
const neovimConfig = `
vim.opt.runtimepath:prepend(%q)
vim.g.sidefork = { cmd = { %q, 'serve' } }
vim.o.swapfile, vim.o.ruler, vim.o.laststatus = false, false, 0
for _, group in ipairs({ 'nvim_popupmenu', 'nvim.popupmenu' }) do
  pcall(vim.api.nvim_clear_autocmds, { group = group })
end
vim.cmd('aunmenu PopUp')
`

// forEachNeovim runs a test in the oldest and in the newest Neovim that the plugin is for (test/neovim/get), each in a world of
// Claude Code's. argv starts Neovim with the plugin.
func forEachNeovim(t *testing.T, test func(t *testing.T, w *world, argv []string)) {
	t.Parallel()
	cache, err := pinned.Cache()
	if err != nil {
		t.Fatal(err)
	}
	project, err := pinned.Project()
	if err != nil {
		t.Fatal(err)
	}
	for _, version := range []string{"oldest", "newest"} {
		t.Run(version, func(t *testing.T) {
			program := filepath.Join(cache, "nvim", version, "nvim")
			if _, err := os.Stat(program); err != nil {
				t.Skip("nvim is not installed")
			}
			t.Parallel()
			w := newWorld(t, claude())
			config := filepath.Join(w.top, "init.lua")
			write(t, config, fmt.Sprintf(neovimConfig, filepath.Join(project, "editors", "neovim"), os.Getenv(sideforkVariable)))
			test(t, w, []string{program, "-u", config})
		})
	}
}

// click is what a terminal sends for a press and a release of a button of the mouse, at a place that counts from 1 (xterm's
// SGR reports).
func click(button, column, row int) string {
	at := fmt.Sprintf("\x1b[<%d;%d;%d", button, column, row)
	return at + "M" + at + "m"
}

// press sends keys, and waits until something is shown.
func (t *terminal) press(keys, shown string) {
	t.w.t.Helper()
	if err := t.pty.Press(keys); err != nil {
		t.w.t.Fatal(err)
	}
	t.await(shown)
}

// forkedIn proves that the agent in the terminal goes on with the parent's conversation, as a session of its own, in the
// child's folder, which has the parent's changes.
func (t *terminal) forkedIn(parent, word, child string) {
	t.w.t.Helper()
	const prompt = "Which codeword was it?"
	t.enter(prompt)
	turn := t.w.turn(prompt)
	if id := t.w.agent.who(t.w, turn); id == "" || id == parent {
		t.w.t.Errorf("the fork is session %q, its parent %q", id, parent)
	}
	if !strings.Contains(string(turn.Body), word) {
		t.w.t.Error("the fork does not know the conversation")
	}
	if at := t.w.agent.where(turn); at != child {
		t.w.t.Errorf("the fork works in %q, not in %s", at, child)
	}
	status := func(dir string) string { return t.w.run(dir, "git", "status", "--porcelain") }
	if got, want := status(child), status(t.w.repo); got != want {
		t.w.t.Errorf("the child has the changes\n%s\nits parent\n%s", got, want)
	}
}

// A person talks to Claude Code in a terminal of Neovim, clicks into it with the right button, and on the entry.
func TestNeovimForksTheSessionOfItsTerminalByTheMouse(t *testing.T) {
	forEachNeovim(t, func(t *testing.T, w *world, argv []string) {
		const word = "CODEWORD-EIDER8"
		terminal := w.open(w.repo, w.terminal(), append(argv, "-c", "terminal claude", "-c", "startinsert"))
		terminal.await(w.agent.ready)
		terminal.enter("Please remember " + word)
		parent := w.agent.who(w, w.turn("Please remember "+word))
		terminal.await("RECALL " + word)
		w.awaitTranscript(parent, "RECALL "+word)
		w.say(w.repo, "", "This is the newest of all") // which is not that of the terminal

		terminal.press("\x1c\x0e"+click(2, 10, 5), "Fork Agent Session") // out of the terminal's mode: Claude Code takes the mouse
		terminal.press(click(0, 14, 6), "Session to fork")
		terminal.press("1"+ptydrive.Enter, "Name of the new branch")
		terminal.press("\x15child"+ptydrive.Enter, "Type number")
		terminal.press("1"+ptydrive.Enter, "Forked into child")
		terminal.await(w.agent.ready)
		terminal.forkedIn(parent, word, filepath.Join(w.top, "the repo-worktrees", "child"))
	})
}

// The same from a file, by keys alone.
func TestNeovimForksTheNewestSessionByKeys(t *testing.T) {
	forEachNeovim(t, func(t *testing.T, w *world, argv []string) {
		const word = "CODEWORD-SMEW3"
		parent := w.say(w.repo, "", "Please remember "+word)
		terminal := w.open(w.repo, w.terminal(), append(argv, "edited.txt"))
		terminal.await("edited")
		terminal.press(":Sidefork fork"+ptydrive.Enter, "Session to fork")
		terminal.press("1"+ptydrive.Enter, "Name of the new branch")
		terminal.press("\x15child"+ptydrive.Enter, "Type number")
		terminal.press("1"+ptydrive.Enter, "Forked into child")
		terminal.await(w.agent.ready)
		terminal.forkedIn(parent, word, filepath.Join(w.top, "the repo-worktrees", "child"))
	})
}
