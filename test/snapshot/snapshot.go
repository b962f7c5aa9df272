// Package snapshot is the judge of every test that says "the parent is untouched". It imports nothing of the product and
// runs no program: it reads the disk and git's own files.
//
// A snapshot holds every path of a worktree (type, mode, owner, size, inode, change times, content, link text) and every
// path of its private and shared git folders: HEAD, index, refs, reflogs, stash, configuration, hooks, worktree entries,
// the state of a merge or rebase, lock files, the names of objects. Equal snapshots mean that nothing of it was written,
// not even with the same bytes.
//
// Exempt are: access times; the time stamps of sharedindex files (any read of git's touches them); sidefork/ in the
// shared git folder; fsmonitor's own files; inode and times of config and packed-refs, which git rewrites whole when it
// takes back what it wrote (their bytes must be the same); worktrees that are registered inside the worktree.
package snapshot

import (
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Snapshot is what was there. Its keys are tree/PATH, private/PATH (the git folder of a linked worktree) and
// common/PATH.
type Snapshot struct {
	facts  map[string]string
	config string   // the shared configuration, as it is written
	nested []string // worktrees inside the worktree, relative to it
}

// Allow is a change that a fork is allowed to make.
type Allow struct {
	branch    string
	worktrees bool
}

// Branch allows that a branch of this name appears: its ref, its reflog, its section in the configuration.
func Branch(name string) Allow { return Allow{branch: name} }

// Worktrees allows that worktree entries appear; those that were there stay as they are.
func Worktrees() Allow { return Allow{worktrees: true} }

// Take reads a worktree, a bare repository or any other folder.
func Take(dir string) (Snapshot, error) {
	s := Snapshot{facts: map[string]string{}}
	top, err := filepath.EvalSymlinks(dir)
	if err != nil {
		return s, err
	}
	private, common := gitFolders(top)
	if common != "" {
		s.nested = nestedWorktrees(top, common)
	}
	skip := map[string]bool{"tree/.git": private != top}
	for _, path := range s.nested {
		skip["tree/"+path] = true
	}
	if err := s.read(top, "tree", func(key string) bool { return skip[key] }); err != nil {
		return s, err
	}
	if common == "" {
		return s, nil
	}
	if err := s.read(common, "common", func(key string) bool { return key == "common/sidefork" }); err != nil {
		return s, err
	}
	text, err := os.ReadFile(filepath.Join(common, "config"))
	if err != nil {
		return s, err
	}
	s.config = string(text)
	delete(s.facts, "common/config")
	if private != common {
		return s, s.read(private, "private", func(string) bool { return false })
	}
	return s, nil
}

// Folder reads one folder that is no worktree, a home for instance.
func Folder(dir string) (Snapshot, error) {
	s := Snapshot{facts: map[string]string{}}
	return s, s.read(dir, "tree", func(string) bool { return false })
}

// Diff gives one line for each thing that is not as it was and not allowed, sorted; none means untouched.
func Diff(before, after Snapshot, allow ...Allow) []string {
	var lines []string
	for key := range union(before.facts, after.facts) {
		was, is := before.facts[key], after.facts[key]
		if was != is && !inNested(key, before, after) && !allowed(key, before, after, allow) {
			lines = append(lines, line(key, was, is))
		}
	}
	was, is := before.config, after.config
	for _, a := range allow {
		if a.branch != "" {
			was, is = withoutBranch(was, a.branch), withoutBranch(is, a.branch)
		}
	}
	if was != is {
		lines = append(lines, line("common/config", fmt.Sprintf("%q", was), fmt.Sprintf("%q", is)))
	}
	slices.Sort(lines)
	return lines
}

func union(a, b map[string]string) map[string]string {
	all := maps.Clone(a)
	maps.Copy(all, b)
	return all
}

func line(key, was, is string) string {
	switch {
	case was == "":
		return fmt.Sprintf("%q appeared: %s", key, is)
	case is == "":
		return fmt.Sprintf("%q is gone: %s", key, was)
	default:
		return fmt.Sprintf("%q changed: %s -> %s", key, was, is)
	}
}

// inNested tells whether a key belongs to a worktree inside the worktree, or is a folder that had to be made or filled
// for one that is new.
func inNested(key string, before, after Snapshot) bool {
	path, ok := strings.CutPrefix(key, "tree/")
	if !ok {
		return false
	}
	for _, nested := range slices.Concat(before.nested, after.nested) {
		if path == nested || strings.HasPrefix(path, nested+"/") {
			return true
		}
	}
	for _, nested := range after.nested {
		if !slices.Contains(before.nested, nested) && (path == "." || strings.HasPrefix(nested, path+"/")) {
			return true
		}
	}
	return false
}

// allowed tells whether a change is one that was allowed: only ever that something appears.
func allowed(key string, before, after Snapshot, allow []Allow) bool {
	if before.facts[key] != "" {
		return false
	}
	for _, a := range allow {
		if a.branch != "" {
			for _, file := range []string{"common/refs/heads/" + a.branch, "common/logs/refs/heads/" + a.branch} {
				if key == file || after.facts[file] != "" && strings.HasPrefix(file, key+"/") {
					return true
				}
			}
		}
		if rest, ok := strings.CutPrefix(key, "common/worktrees/"); ok && a.worktrees {
			id, _, _ := strings.Cut(rest, "/")
			if before.facts["common/worktrees/"+id] == "" {
				return true
			}
		}
		if a.worktrees && key == "common/worktrees" {
			return true
		}
	}
	return false
}

// withoutBranch takes the sections of a branch out of a configuration file.
func withoutBranch(config, branch string) string {
	header := `[branch "` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(branch) + `"]`
	var kept strings.Builder
	inside := false
	for line := range strings.Lines(config) {
		if trimmed := strings.TrimSpace(line); strings.HasPrefix(trimmed, "[") {
			inside = trimmed == header
		}
		if !inside {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// read takes down everything below a folder, the folder itself as ".". It opens folder by folder, so that no path
// becomes too long for the system.
func (s Snapshot) read(dir, section string, skip func(string) bool) error {
	folder, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer folder.Close()
	if section == "tree" {
		info, err := folder.Lstat(".")
		if err != nil {
			return err
		}
		s.facts["tree/."] = fmt.Sprint(info.Mode(), identity(info), times(info))
	}
	return s.walk(folder, section+"/", skip)
}

func (s Snapshot) walk(folder *os.Root, prefix string, skip func(string) bool) error {
	entries, err := fs.ReadDir(folder.FS(), ".")
	if err != nil {
		s.facts[prefix+"."] = err.Error()
		return nil // a folder that cannot be read is a fact like another
	}
	for _, entry := range entries {
		name, key := entry.Name(), prefix+entry.Name()
		if skip(key) || strings.HasPrefix(name, "fsmonitor--daemon") {
			continue
		}
		info, err := folder.Lstat(name)
		if err != nil {
			return err
		}
		s.facts[key] = describe(folder, name, key, info)
		if info.IsDir() {
			inner, err := folder.OpenRoot(name)
			if err != nil {
				s.facts[key] += " " + err.Error()
				continue
			}
			err = s.walk(inner, key+"/", skip)
			inner.Close()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// describe gives all that must stay as it is about one path.
func describe(folder *os.Root, name, key string, info fs.FileInfo) string {
	inTree := strings.HasPrefix(key, "tree/")
	rewritten := key == "common/packed-refs"
	object := !inTree && strings.Contains(key, "/objects/")
	facts := []string{info.Mode().String()}
	switch {
	case info.IsDir():
		if inTree {
			facts = append(facts, identity(info), times(info))
		}
	case object:
		facts = append(facts, fmt.Sprint(info.Size()))
	default:
		facts = append(facts, fmt.Sprint(info.Size()), content(folder, name, info))
		if !rewritten {
			facts = append(facts, identity(info))
			if !strings.HasPrefix(name, "sharedindex.") {
				facts = append(facts, times(info))
			}
		}
	}
	return strings.Join(facts, " ")
}

func content(folder *os.Root, name string, info fs.FileInfo) string {
	switch {
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := folder.Readlink(name)
		return fmt.Sprintf("-> %q %v", text, err)
	case !info.Mode().IsRegular():
		return "" // never opened
	}
	file, err := folder.Open(name)
	if err != nil {
		return "unreadable"
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:12])
}
