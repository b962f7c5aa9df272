package compare

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"strings"
)

// git runs git for reading, with nothing of the surrounding process that could bend an answer.
type git struct{ home string }

func (g git) run(dir string, stdin []byte, args ...string) ([]byte, error) {
	fixed := []string{
		"--no-optional-locks", "-C", dir,
		"-c", "core.fsmonitor=false", "-c", "core.untrackedCache=false", "-c", "core.ignoreCase=false",
		"-c", "core.hooksPath=" + os.DevNull, "-c", "color.ui=never", "-c", "safe.directory=*",
	}
	cmd := exec.Command("git", append(fixed, args...)...)
	home := g.home
	if home == "" {
		home = os.DevNull
	}
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "SYSTEMROOT=" + os.Getenv("SYSTEMROOT"), "HOME=" + home,
		"GIT_CONFIG_NOSYSTEM=1", "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_PAGER=cat",
	}
	cmd.Stdin = bytes.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if err != nil {
		err = fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
	}
	return stdout.Bytes(), err
}

// ignored gives those of the paths that the rules of a worktree ignore.
func (g git) ignored(dir string, paths iter.Seq[string]) ([]string, error) {
	var ask bytes.Buffer
	for path := range paths {
		ask.WriteString("./" + path + "\x00") // so that ":(top)x" is a name; check-ignore knows no --literal-pathspecs
	}
	if ask.Len() == 0 {
		return nil, nil
	}
	answer, err := g.run(dir, ask.Bytes(), "check-ignore", "-z", "--stdin")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 { // none
		err = nil
	}
	found := records(answer)
	for i := range found {
		found[i] = strings.TrimPrefix(found[i], "./")
	}
	return found, err
}

// fileMode tells whether the exec bits on the disk mean anything (core.fileMode).
func (g git) fileMode(dir string) (bool, error) {
	answer, err := g.run(dir, nil, "config", "--type=bool", "core.fileMode")
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 { // not set
		err = nil
	}
	return strings.TrimSpace(string(answer)) != "false", err
}

// readIndexes learns what the parent tracks and, where it is asked for, compares HEAD, index and staged changes.
func (c *comparison) readIndexes(parent, child string) error {
	var sides [2]struct {
		head            string
		entries, staged []string
	}
	for i, dir := range []string{parent, child} {
		if i == 1 && !c.opts.Index {
			break
		}
		head, err := c.git.run(dir, nil, "rev-parse", "--verify", "HEAD")
		if err != nil {
			return err
		}
		entries, err := c.git.run(dir, nil, "ls-files", "-s", "-v", "-z")
		if err != nil {
			return err
		}
		staged, err := c.git.run(dir, nil, "diff-index", "--cached", "--ita-invisible-in-index", "--raw", "-z", "--no-renames", "--full-index", "HEAD")
		if err != nil {
			return err
		}
		sides[i].head = strings.TrimSpace(string(head))
		sides[i].entries, sides[i].staged = records(entries), pairs(records(staged))
	}
	c.tracked, c.base = map[string]bool{}, map[string]bool{}
	for _, line := range sides[0].entries {
		fact, path, _ := strings.Cut(line, "\t")
		c.tracked[path] = true
		if strings.Contains(fact, " 160000 ") {
			if _, err := c.parent.Lstat(path + "/.git"); err == nil {
				c.links = append(c.links, path)
			}
		}
	}
	for _, line := range sides[0].staged {
		if _, path, _ := strings.Cut(line, "\t"); !c.tracked[path] {
			c.base[path] = true
		}
	}
	if !c.opts.Index {
		return nil
	}
	if sides[0].head != sides[1].head {
		c.say(Head, "", "%s became %s", sides[0].head, sides[1].head)
	}
	c.compareLines(Entry, sides[0].entries, sides[1].entries)
	c.compareLines(Staged, sides[0].staged, sides[1].staged)
	return nil
}

// compareLines compares two lists of "facts TAB path".
func (c *comparison) compareLines(kind Kind, before, after []string) {
	const absent = "nothing"
	facts := map[string][2]string{}
	for i, lines := range [][]string{before, after} {
		for _, line := range lines {
			fact, path, _ := strings.Cut(line, "\t")
			both := facts[path]
			both[i] += " " + fact // an unmerged path has several entries
			facts[path] = both
		}
	}
	for path, both := range facts {
		if both[0] != both[1] {
			for i := range both {
				if both[i] = strings.TrimSpace(both[i]); both[i] == "" {
					both[i] = absent
				}
			}
			c.say(kind, path, "%s became %s", both[0], both[1])
		}
	}
}

func records(answer []byte) []string {
	text := strings.TrimSuffix(string(answer), "\x00")
	if text == "" {
		return nil
	}
	return strings.Split(text, "\x00")
}

// pairs joins the two records that `--raw -z` gives for each path.
func pairs(raw []string) []string {
	var lines []string
	for i := 0; i+1 < len(raw); i += 2 {
		lines = append(lines, raw[i]+"\t"+raw[i+1])
	}
	return lines
}
