package carry

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// reading is what was read of a worktree: of one moment as far as the index goes, of about one as far as the disk does.
type reading struct {
	from    worktree.Worktree
	private privateFolder // of the index copy
	index   string        // the copy; there is none where the worktree has no index yet
	sum     [sha256.Size]byte
	entries []git.Entry
	modes   map[string]uint32 // of the entries that may only announce their path
	hidden  bool              // bits were cleared in the copy, so that it shows what they hide
	bits    bool              // some entry has one
	status  *git.Status
	gone    map[string]bool // announced by intent-to-add, and gone from disk
	around  *surroundings
	ruled   map[string]bool // a rule changes their bytes between blob and disk
}

func (r *reading) close() {
	if r != nil {
		r.private.remove()
	}
}

// read asks git about a worktree without touching it: on a private copy of its index, which keeps both git from
// refreshing the original and the answers to one moment. What needs no waiting is asked at once.
func read(ctx context.Context, from worktree.Worktree, rules bool) (_ *reading, err error) {
	r := &reading{from: from, gone: map[string]bool{}, modes: map[string]uint32{}}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if r.private, err = newPrivateFolder(from.Path); err != nil {
		return nil, err
	}
	if err := r.copyIndex(); err != nil {
		return nil, err
	}
	var global string
	g, gctx := errgroup.WithContext(ctx)
	g.Go(func() (err error) { r.entries, err = entriesOf(gctx, r.command(git.EntriesArgs()...)); return err })
	g.Go(func() (err error) { r.status, err = statusOf(gctx, r.command(git.StatusArgs(true)...)); return err })
	if rules {
		g.Go(func() (err error) { global, err = globalAttributes(gctx, from.Path); return err })
	}
	if err := g.Wait(); err != nil {
		return nil, err
	}
	if err := r.uncover(ctx); err != nil {
		return nil, err
	}
	if err := r.findGone(ctx); err != nil {
		return nil, err
	}
	if r.around, err = explore(ctx, r); err != nil {
		return nil, err
	}
	if rules {
		return r, r.findRules(ctx, global)
	}
	return r, nil
}

func (r *reading) command(args ...string) git.Command {
	return git.Command{Dir: r.from.Path, Index: r.index, Args: args}
}

func statusOf(ctx context.Context, c git.Command) (*git.Status, error) {
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	return git.ParseStatus(out)
}

func entriesOf(ctx context.Context, c git.Command) ([]git.Entry, error) {
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	return git.ParseEntries(out)
}

// copyIndex keeps the original's time on the copy: an entry that is younger than its index is one that git looks at
// again, and a younger copy would hide that.
func (r *reading) copyIndex() error {
	r.index = filepath.Join(r.private.path, "index")
	f, err := os.Open(filepath.Join(r.from.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil // git reads an index that is not there as an empty one
	}
	if err != nil {
		return fmt.Errorf("carry: read the index: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("carry: read the index: %w", err)
	}
	content := make([]byte, info.Size()) // git never writes to an index in place: it renames a new one
	if _, err := io.ReadFull(f, content); err != nil {
		return fmt.Errorf("carry: read the index: %w", err)
	}
	r.sum = sha256.Sum256(content)
	if err := os.WriteFile(r.index, content, 0o600); err != nil {
		return fmt.Errorf("carry: copy the index: %w", err)
	}
	return os.Chtimes(r.index, info.ModTime(), info.ModTime())
}

// stands says whether the index is still the one that was read, byte for byte.
func (r *reading) stands() (bool, error) {
	content, err := os.ReadFile(filepath.Join(r.from.GitDir, "index"))
	if errors.Is(err, fs.ErrNotExist) {
		return r.sum == [sha256.Size]byte{}, nil
	}
	return sha256.Sum256(content) == r.sum, err
}

// uncover clears the bits under which git does not look at the disk, in the private copy, and asks again: of each
// assume-unchanged path, and of each skip-worktree path that is on disk (one that is not is a sparse checkout's).
func (r *reading) uncover(ctx context.Context) error {
	assumed, skipped := new(bytes.Buffer), new(bytes.Buffer)
	var look *lookup
	for _, e := range r.entries {
		if !e.AssumeSame && !e.SkipWorktree {
			continue
		}
		r.bits = true
		if e.AssumeSame {
			assumed.WriteString(e.Path + "\x00")
		}
		if e.SkipWorktree {
			if look == nil {
				t, err := openTree(r.from.Path)
				if err != nil {
					return err
				}
				defer t.close()
				look = t.lookup()
			}
			if s, err := look.lstat(e.Path); err == nil && s.kind != absent {
				skipped.WriteString(e.Path + "\x00")
			}
		}
	}
	for flag, paths := range map[string]*bytes.Buffer{"--no-assume-unchanged": assumed, "--no-skip-worktree": skipped} {
		if paths.Len() == 0 {
			continue
		}
		r.hidden = true
		c := r.command("update-index", "-z", flag, "--stdin")
		c.Stdin = paths
		if err := c.Run(ctx); err != nil {
			return err
		}
	}
	if !r.hidden {
		return nil
	}
	var err error
	r.status, err = statusOf(ctx, r.command(git.StatusArgs(true)...))
	return err
}

// The empty blob, in both object formats.
const (
	emptyBlob    = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
	emptyBlob256 = "473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813"
)

// findGone tells an intent-to-add entry whose file is gone from a committed empty file that was deleted: status says
// the same of both (".D", an empty file in HEAD), the base tree does not.
func (r *reading) findGone(ctx context.Context) error {
	args := []string{"ls-tree", "-z", "--name-only", "--full-tree", r.status.Head, "--"}
	var doubtful []string
	for _, c := range r.status.Changed {
		if c.IntentToAdd() {
			r.modes[c.Path] = 0
		}
		if c.Staged == '.' && c.Worktree == 'D' && c.ObjectHead == c.ObjectIndex &&
			(c.ObjectHead == emptyBlob || c.ObjectHead == emptyBlob256) {
			doubtful = append(doubtful, c.Path)
		}
	}
	if len(r.modes) > 0 {
		for _, e := range r.entries {
			if _, asked := r.modes[e.Path]; asked {
				r.modes[e.Path] = e.Mode
			}
		}
	}
	const perCall = 500 // paths go by argv here: ls-tree reads none from stdin
	for len(doubtful) > 0 {
		n := min(perCall, len(doubtful))
		out, err := r.command(append(args, doubtful[:n]...)...).Output(ctx)
		if err != nil {
			return err
		}
		inBase := map[string]bool{}
		for name := range strings.SplitSeq(string(out), "\x00") {
			inBase[name] = true
		}
		for _, name := range doubtful[:n] {
			if !inBase[name] {
				r.gone[name] = true
			}
		}
		doubtful = doubtful[n:]
	}
	return nil
}
