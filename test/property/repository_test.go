//go:build unix

package property

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// repository is a real one, made from states.
type repository struct{ top string }

func (r repository) git(stdin string, args ...string) (string, error) {
	cmd := exec.Command("git", append([]string{"-C", r.top, "-c", "core.hooksPath=/dev/null"}, args...)...)
	cmd.Env = append(os.Environ(), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=T", "GIT_AUTHOR_EMAIL=t@example.invalid", "GIT_COMMITTER_NAME=T", "GIT_COMMITTER_EMAIL=t@example.invalid",
		"GIT_AUTHOR_DATE=1700000000 +0000", "GIT_COMMITTER_DATE=1700000000 +0000")
	cmd.Stdin = strings.NewReader(stdin)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("git %v: %w: %s", args, err, stderr.String())
	}
	return stdout.String(), nil
}

// steps runs git commands until one fails.
func (r repository) steps(commands ...[]string) error {
	for _, args := range commands {
		if _, err := r.git("", args...); err != nil {
			return err
		}
	}
	return nil
}

func (r repository) make(states []state) error {
	if err := os.MkdirAll(r.top, 0o755); err != nil {
		return err
	}
	base := map[string]form{".gitattributes": {"file", attributes}, ".gitignore": {"file", "*.log\n/ign/\n"}}
	for _, s := range states {
		base[s.name] = s.base
	}
	for name, f := range base {
		if err := r.put(name, f); err != nil {
			return err
		}
	}
	if err := r.steps([]string{"init", "-q", "-b", "main"},
		[]string{"config", "filter.quote.clean", "sed 's/^/> /'"}, []string{"config", "filter.quote.smudge", "sed 's/^> //'"},
		[]string{"add", "-A", "-f"}, []string{"commit", "-q", "-m", "base"}); err != nil {
		return err
	}
	if err := r.index(states); err != nil {
		return err
	}
	for _, s := range states {
		if s.disk != s.base || s.index.kind == "announced" {
			if err := r.put(s.name, s.disk); err != nil {
				return err
			}
		}
	}
	return r.marks(states)
}

// index writes the entries that are not the base's.
func (r repository) index(states []state) error {
	objects := filepath.Join(filepath.Dir(r.top), "objects")
	if err := os.MkdirAll(objects, 0o755); err != nil {
		return err
	}
	var names, info strings.Builder
	var changed []state
	for _, s := range states {
		if s.stages == "" && (s.index == s.base || s.index.kind == "" && s.base.kind == "") {
			continue
		}
		name := filepath.Join(objects, fmt.Sprint(len(changed)))
		if err := os.WriteFile(name, []byte(s.index.text), 0o644); err != nil {
			return err
		}
		names.WriteString(name + "\n")
		changed = append(changed, s)
	}
	ids, err := r.git(names.String(), "hash-object", "-w", "--no-filters", "--stdin-paths")
	if err != nil {
		return err
	}
	for i, id := range strings.Fields(ids) {
		s := changed[i]
		for _, stage := range s.stages {
			fmt.Fprintf(&info, "100644 %s %c\t%s\x00", id, stage, s.name)
		}
		if s.stages == "" {
			mode := map[string]string{"file": "100644", "executable": "100755", "link": "120000"}[s.index.kind]
			if mode == "" {
				mode = "0"
			}
			fmt.Fprintf(&info, "%s %s\t%s\x00", mode, id, s.name)
		}
	}
	if _, err := r.git("", "update-index", "-q", "--refresh"); err != nil {
		return err
	}
	unmerged := ""
	for _, s := range changed {
		if s.stages != "" {
			unmerged += "0 " + strings.Repeat("0", 40) + "\t" + s.name + "\x00"
		}
	}
	_, err = r.git(unmerged+info.String(), "update-index", "-z", "--index-info")
	return err
}

// marks announces paths, sets flags, and lets the files go of which only the announcement is to be there.
func (r repository) marks(states []state) error {
	lists := map[string]*strings.Builder{"announced": {}, "assume-unchanged": {}, "skip-worktree": {}}
	for _, s := range states {
		if s.index.kind == "announced" {
			if s.disk.kind == "gone" {
				if err := r.put(s.name, form{"file", ""}); err != nil {
					return err
				}
			}
			lists["announced"].WriteString(s.name + "\x00")
		}
		if s.flag != "" {
			lists[s.flag].WriteString(s.name + "\x00")
		}
	}
	for what, args := range map[string][]string{
		"announced":        {"add", "-N", "-f", "--pathspec-from-file=-", "--pathspec-file-nul"},
		"assume-unchanged": {"update-index", "-z", "--assume-unchanged", "--stdin"},
		"skip-worktree":    {"update-index", "-z", "--skip-worktree", "--stdin"},
	} {
		if lists[what].Len() > 0 {
			if _, err := r.git(lists[what].String(), append([]string{"--literal-pathspecs"}, args...)...); err != nil {
				return err
			}
		}
	}
	for _, s := range states {
		if s.index.kind == "announced" && s.disk.kind == "gone" {
			if err := os.Remove(filepath.Join(r.top, s.name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// put makes a path what it is on the disk.
func (r repository) put(name string, f form) error {
	full := filepath.Join(r.top, name)
	if err := os.RemoveAll(full); err != nil {
		return err
	}
	if f.kind == "" || f.kind == "gone" {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		return err
	}
	switch f.kind {
	case "file":
		return os.WriteFile(full, []byte(f.text), 0o644)
	case "executable":
		return errors.Join(os.WriteFile(full, []byte(f.text), 0o755), os.Chmod(full, 0o755))
	case "link":
		return os.Symlink(f.text, full)
	case "folder":
		return errors.Join(os.Mkdir(full, 0o755), os.WriteFile(filepath.Join(full, f.text), []byte("in it\n"), 0o644))
	case "pipe":
		return syscall.Mkfifo(full, 0o644)
	}
	return fmt.Errorf("no such form: %s", f.kind)
}

// count tells what git says of the states, by its letters, and what else they are.
func (r repository) count(states []state) (map[string]int, error) {
	found := map[string]int{}
	answer, err := r.git("", "-c", "status.renames=true", "status", "--porcelain=v2", "-z", "--untracked-files=all", "--ignored")
	if err != nil {
		return nil, err
	}
	records := strings.Split(answer, "\x00")
	for i := 0; i < len(records); i++ {
		fields := strings.SplitN(records[i], " ", 3)
		switch fields[0] {
		case "1", "u":
			found[fields[1]]++
		case "2":
			found[fields[1]]++
			i++ // where it comes from
		case "?":
			found["??"]++
		case "!":
			found["!!"]++
		}
	}
	for _, s := range states {
		if rule := endings[filepath.Ext(s.name)]; rule != "" {
			found[rule]++
		}
		if s.flag != "" {
			found[s.flag]++
		}
		kinds := []string{s.base.kind, s.index.kind, s.disk.kind}
		for i, was := range kinds {
			for _, is := range kinds[i+1:] {
				if was != is && !slices.Contains([]string{"", "gone"}, was) && !slices.Contains([]string{"", "gone"}, is) {
					found[was+" → "+is]++
				}
			}
		}
	}
	return found, nil
}
