// Package compare is the judge of every test that says "the child equals its parent". It imports nothing of the
// product, so that a mistake in the product's reading of git cannot hide itself.
//
// Trees walks both folders with lstat, so no git setting (showUntrackedFiles, fsmonitor, skip-worktree, ignoreCase …)
// can hide a file, and reads the index by `git ls-files -s -v` and `git diff-index --cached`. It compares entries and
// bytes, never status text: two worktrees with equal entries and equal bytes can have different status texts, and two
// with different bytes equal ones. It writes nothing, takes no lock and refreshes no index.
//
// Not looked at: what the parent ignores (by the parent's rules, on both sides; a path of its index or of its HEAD
// commit is never ignored), worktrees registered inside the parent, special files of the parent (git does not see
// them), permission bits of tracked files other than the owner's exec bit (git does not record them).
package compare

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
)

// Kind is the kind of a difference.
type Kind string

// The kinds.
const (
	Lost        Kind = "lost"         // the parent has it, the child does not
	Extra       Kind = "extra"        // the child has it, the parent does not
	Type        Kind = "type"         // file, link, folder, special
	Link        Kind = "link"         // another link text
	Bytes       Kind = "bytes"        // other content
	Mode        Kind = "mode"         // exec bit of a tracked file, any permission bit of an untracked one
	SharedInode Kind = "shared-inode" // a write in the child would change the parent
	FolderMode  Kind = "folder-mode"  // permission bits of an untracked folder
	EmptyFolder Kind = "empty-folder" // lost in the child
	Entry       Kind = "entry"        // index entry: tag (H, S, h, s …), mode, object, stage
	Staged      Kind = "staged"       // the index against HEAD; intent-to-add shows here
	Head        Kind = "head"         // the commit
	Failed      Kind = "failed"       // could not be compared
)

// Difference is one way in which the child is not the parent. Path is relative to the top level, with slashes, its bytes
// as they are on the disk; it is empty where the whole worktree is meant.
type Difference struct {
	Kind   Kind
	Path   string
	Detail string
}

func (d Difference) String() string {
	text := string(d.Kind)
	if d.Path != "" {
		text += fmt.Sprintf(" %q", d.Path)
	}
	if d.Detail != "" {
		text += ": " + d.Detail
	}
	return text
}

// Options say how much is compared. The zero value compares the files alone.
type Options struct {
	Index        bool     // HEAD, index entries and flags, and what is staged
	Submodules   bool     // checked-out submodules, each like a worktree of its own
	FolderModes  bool     // permission bits of folders that hold no tracked file
	EmptyFolders bool     // empty folders of the parent
	Leave        []string // paths, each with all that is below it, whose files are not compared; entries are
	Home         string   // home folder whose git configuration counts; none: no user's configuration
}

// Trees gives every difference between two worktrees, sorted by path; none means equal.
func Trees(parent, child string, opts Options) []Difference {
	c := comparison{git: git{home: opts.Home}, opts: opts}
	if err := c.run(parent, child); err != nil {
		c.found = append(c.found, Difference{Kind: Failed, Detail: err.Error()})
	}
	slices.SortStableFunc(c.found, func(a, b Difference) int { return strings.Compare(a.Path, b.Path) })
	return c.found
}

// comparison is one run of Trees.
type comparison struct {
	git           git
	opts          Options
	parent, child *os.Root
	tracked       map[string]bool // paths of the parent's index
	base          map[string]bool // paths of the parent's HEAD that its index lacks
	links         []string        // gitlinks of the parent that are checked out
	found         []Difference
}

func (c *comparison) say(kind Kind, path, detail string, args ...any) {
	c.found = append(c.found, Difference{kind, path, fmt.Sprintf(detail, args...)})
}

func (c *comparison) run(parent, child string) error {
	if info, err := os.Stat(child); err != nil || !info.IsDir() {
		c.say(Lost, "", "there is no child folder")
		return nil
	}
	var err error
	if c.parent, err = os.OpenRoot(parent); err != nil {
		return err
	}
	defer c.parent.Close()
	if c.child, err = os.OpenRoot(child); err != nil {
		return err
	}
	defer c.child.Close()
	if err := c.readIndexes(parent, child); err != nil {
		return err
	}
	skip, err := c.skipped(parent)
	if err != nil {
		return err
	}
	before, after := tree{}, tree{}
	if err := before.walk(c.parent, "", skip); err != nil {
		return err
	}
	if err := after.walk(c.child, "", skip); err != nil {
		return err
	}
	if err := c.dropIgnored(parent, before, after); err != nil {
		return err
	}
	fileMode := true
	if differ := c.compareFiles(before, after); len(differ) > 0 {
		if fileMode, err = c.git.fileMode(parent); err != nil {
			return err
		}
		for _, path := range differ {
			if fileMode || !c.tracked[path] {
				c.say(Mode, path, "%v became %v", before[path].mode, after[path].mode)
			}
		}
	}
	c.compareFolders(before, after)
	return c.compareSubmodules(parent, child)
}

// skipped tells which paths are not walked: git's own folder, registered worktrees, submodules, what the caller leaves.
func (c *comparison) skipped(parent string) (func(string) bool, error) {
	nested, err := nestedWorktrees(parent)
	if err != nil {
		return nil, err
	}
	skip := map[string]bool{".git": true}
	for _, paths := range [][]string{nested, c.links, c.opts.Leave} {
		for _, path := range paths {
			skip[strings.TrimSuffix(path, "/")] = true
		}
	}
	return func(path string) bool { return skip[path] }, nil
}

// compareFiles compares everything but folders. It gives the paths whose permission bits differ.
func (c *comparison) compareFiles(before, after tree) (modes []string) {
	for path, p := range before {
		if p.mode.IsDir() {
			continue
		}
		n, there := after[path]
		switch {
		case !there && special(p.mode): // git does not see it, nobody must carry it
		case !there:
			c.say(Lost, path, "%s", c.word(path))
		case p.err != nil || n.err != nil:
			c.say(Failed, path, "%v, %v", p.err, n.err)
		case p.mode.Type() != n.mode.Type():
			c.say(Type, path, "%v became %v", p.mode, n.mode)
		case p.mode&fs.ModeSymlink != 0:
			if p.link != n.link {
				c.say(Link, path, "%q became %q", p.link, n.link)
			}
		case p.mode.IsRegular():
			if os.SameFile(p.info, n.info) {
				c.say(SharedInode, path, "")
			} else if err := c.sameBytes(path, p, n); err != nil {
				c.say(Bytes, path, "%s, %v", c.word(path), err)
			}
			if relevant := c.relevantBits(path); p.mode&relevant != n.mode&relevant {
				modes = append(modes, path)
			}
		}
	}
	for path, n := range after {
		if p, there := before[path]; !n.mode.IsDir() && (!there || p.mode.IsDir()) {
			c.say(Extra, path, "%v", n.mode)
		}
	}
	return modes
}

// relevantBits are all permission bits of an untracked file and the owner's exec bit of a tracked one.
func (c *comparison) relevantBits(path string) fs.FileMode {
	if c.tracked[path] {
		return 0o100
	}
	return fs.ModePerm | fs.ModeSetuid | fs.ModeSetgid | fs.ModeSticky
}

func (c *comparison) word(path string) string {
	if c.tracked[path] {
		return "tracked"
	}
	return "untracked"
}

// sameBytes reads both files to their end at once.
func (c *comparison) sameBytes(path string, p, n node) error {
	if p.info.Size() != n.info.Size() {
		return fmt.Errorf("%d bytes became %d", p.info.Size(), n.info.Size())
	}
	a, err := c.parent.Open(path)
	if err != nil {
		return err
	}
	defer a.Close()
	b, err := c.child.Open(path)
	if err != nil {
		return err
	}
	defer b.Close()
	left, right := make([]byte, 1<<16), make([]byte, 1<<16)
	for at := 0; ; {
		n, err := io.ReadFull(a, left)
		m, other := io.ReadFull(b, right)
		if !bytes.Equal(left[:n], right[:m]) {
			return fmt.Errorf("they differ after byte %d", at)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil
		}
		if err != nil || other != nil {
			return fmt.Errorf("cannot be read: %w, %w", err, other)
		}
		at += n
	}
}

// compareFolders compares the modes of folders that hold only untracked files, and empty folders.
func (c *comparison) compareFolders(before, after tree) {
	full, tracked := map[string]bool{}, map[string]bool{}
	for path, p := range before {
		if p.mode.IsDir() {
			continue
		}
		for folder := range above(path) {
			full[folder] = true
		}
	}
	for _, paths := range []map[string]bool{c.tracked, c.base} {
		for path := range paths {
			for folder := range above(path) {
				tracked[folder] = true
			}
		}
	}
	for path, p := range before {
		n, there := after[path]
		switch {
		case !p.mode.IsDir() || tracked[path]:
		case full[path]:
			if c.opts.FolderModes && there && n.mode.IsDir() && n.mode != p.mode {
				c.say(FolderMode, path, "%v became %v", p.mode, n.mode)
			}
		case c.opts.EmptyFolders && (!there || !n.mode.IsDir()) && p.empty:
			c.say(EmptyFolder, path, "lost")
		}
	}
}

// compareSubmodules compares each checked-out submodule as a worktree of its own.
func (c *comparison) compareSubmodules(parent, child string) error {
	if !c.opts.Submodules {
		return nil
	}
	left := map[string]bool{}
	for _, path := range c.opts.Leave {
		left[strings.TrimSuffix(path, "/")] = true
	}
	for _, path := range c.links {
		if left[path] {
			continue
		}
		if _, err := c.child.Lstat(path + "/.git"); err != nil {
			c.say(Lost, path, "submodule")
			continue
		}
		opts := c.opts
		opts.Leave = nil
		for _, left := range c.opts.Leave {
			if inside, ok := strings.CutPrefix(left, path+"/"); ok {
				opts.Leave = append(opts.Leave, inside)
			}
		}
		for _, d := range Trees(parent+"/"+path, child+"/"+path, opts) {
			d.Path = path + "/" + d.Path
			c.found = append(c.found, d)
		}
	}
	return nil
}
