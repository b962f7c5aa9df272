package carry

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// reading is what was read of a worktree: of one moment as far as the index goes, of about one as far as the disk does.
type reading struct {
	from    worktree.Worktree
	private privateFolder // made when it is needed
	index   index
	copied  string            // a copy of it, for git to read instead; "" as long as that is not needed
	modes   map[string]uint32 // of the entries that may only announce their path
	bits    bool              // some entry has one
	skips   bool              // some entry has the one by which it is not on disk
	status  *git.Status
	gone    map[string]bool // announced by intent-to-add, and gone from disk
	tracked *explorer       // what is in the folders of tracked files
	around  *surroundings
	staying map[string]string // why a submodule that is checked out does not come, by path
	ignored map[string]bool   // what status calls so, whole folders too; nil where none of it is asked for
	ruled   map[string]bool   // a rule changes their bytes between blob and disk
	rules   errgroup.Group    // asks for those while nobody needs them yet
	cancel  context.CancelFunc
}

func (r *reading) close() {
	if r != nil {
		if r.cancel != nil {
			r.cancel()
			_ = r.rules.Wait()
		}
		r.private.remove()
	}
}

// read asks git about a worktree without touching it, and reads its index at the same time. What needs no waiting is asked
// at once. Refusal: parentChanging, where the index does not stand still.
func read(ctx context.Context, from worktree.Worktree, rules bool) (_ *reading, err error) {
	r := &reading{from: from, gone: map[string]bool{}, modes: map[string]uint32{}}
	defer func() {
		if err != nil {
			r.close()
		}
	}()
	if _, err = temporaryFolder(from.Path); err != nil { // a roll-back may need one
		return nil, err
	}
	if err := r.readOnce(ctx); err != nil {
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
	if rules { // no refusal depends on them: they are there when the first file is compared
		ctx, r.cancel = context.WithCancel(ctx)
		r.rules.Go(func() error { return r.findRules(ctx) })
	}
	return r, nil
}

// readOnce reads the index and has git read it, until both have surely read the same one: it is the one that was there
// before either began, and the one that is there afterwards.
func (r *reading) readOnce(ctx context.Context) error {
	for range rounds {
		before, err := statIndex(r.from)
		if err != nil {
			return err
		}
		g, gctx := errgroup.WithContext(ctx)
		g.Go(func() (err error) {
			if r.index, err = readIndex(gctx, r.from); err == nil {
				r.tracked, err = exploreTracked(gctx, r.from, r.index.Entries)
			}
			return err
		})
		g.Go(func() (err error) { r.status, err = statusOf(gctx, r.command(git.StatusArgs(true)...)); return err })
		if err := g.Wait(); err != nil {
			return err
		}
		after, err := statIndex(r.from)
		if err != nil || r.index.file.same(before) && after.same(before) {
			return err
		}
	}
	return worktree.Refuse("parentChanging", "path", "the index")
}

// makePrivate makes the private folder, once.
func (r *reading) makePrivate() (err error) {
	if r.private.path == "" {
		r.private, err = newPrivateFolder(r.from.Path)
	}
	return err
}

func (r *reading) command(args ...string) git.Command {
	return git.Command{Dir: r.from.Path, Index: r.copied, Args: args}
}

func statusOf(ctx context.Context, c git.Command) (*git.Status, error) {
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	return git.ParseStatus(out)
}

// stands says whether the index is still the one that was read, byte for byte.
func (r *reading) stands() (bool, error) { return r.index.is(r.from) }

// uncover clears the bits under which git does not look at the disk, in the private copy, and asks again: of each
// assume-unchanged path, and of each skip-worktree path that is on disk (one that is not is a sparse checkout's).
func (r *reading) uncover(ctx context.Context) error {
	assumed, skipped := new(bytes.Buffer), new(bytes.Buffer)
	var look *lookup
	for _, e := range r.index.Entries {
		if !e.AssumeSame && !e.SkipWorktree {
			continue
		}
		r.bits = true
		if e.AssumeSame {
			assumed.WriteString(e.Path + "\x00")
		}
		if e.SkipWorktree {
			r.skips = true
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
	if assumed.Len()+skipped.Len() == 0 {
		return nil
	}
	if err := r.makePrivate(); err != nil {
		return err
	}
	r.copied = filepath.Join(r.private.path, "index")
	if err := r.index.copyTo(r.copied); err != nil {
		return err
	}
	for flag, paths := range map[string]*bytes.Buffer{"--no-assume-unchanged": assumed, "--no-skip-worktree": skipped} {
		if paths.Len() == 0 {
			continue
		}
		c := r.command("update-index", "-z", flag, "--stdin")
		c.Stdin = paths
		if err := c.Run(ctx); err != nil {
			return err
		}
	}
	var err error
	r.status, err = statusOf(ctx, r.command(git.StatusArgs(true)...))
	return err
}

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
			git.IsEmptyBlob(c.ObjectHead) {
			doubtful = append(doubtful, c.Path)
		}
	}
	if len(r.modes) > 0 {
		for _, e := range r.index.Entries {
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
