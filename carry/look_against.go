package carry

import (
	"context"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"path"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Against adds the refusals of an existing target: it must be another clean worktree of the same repository, with nothing
// in the way of what would be written. Where it is at another commit the plan becomes one that merges (merge.go). Of its
// submodules see submodule_into.go. It writes nothing. An error means that looking failed.
func (p *Plan) Against(ctx context.Context, target worktree.Worktree) error {
	switch {
	case target.Path == p.from.Path:
		p.refuse("sameWorkspace")
	case target.CommonDir != p.from.CommonDir:
		p.refuse("otherRepository")
	}
	return p.against(ctx, target)
}

// against is Against for a target of which it is sure whose it is: a submodule's has a store of its own.
func (p *Plan) against(ctx context.Context, target worktree.Worktree) error {
	p.fresh = false
	subs := p.detach()
	err := p.levelAgainst(ctx, target, len(subs) > 0)
	if err != nil {
		p.subs = subs // they are closed with the plan
		return err
	}
	if err := p.meetSubmodules(ctx, subs, p.targets); err != nil {
		return err
	}
	if p.seen != nil { // else it was refused before anything was read
		p.Argv = p.commands()
	}
	return nil
}

// levelAgainst is against without the submodules; those that the target has are taken down.
func (p *Plan) levelAgainst(ctx context.Context, target worktree.Worktree, submodules bool) error {
	if p.Refused() != nil {
		return nil
	}
	if !nothingAt(filepath.Join(target.GitDir, "index.lock")) {
		p.refuse("indexLocked", "path", target.Path)
		return nil
	}
	r, err := read(ctx, target, false)
	if err != nil {
		return err
	}
	defer r.close()
	t, err := openTree(target.Path)
	if err != nil {
		return err
	}
	defer t.close()
	if r.status.Head != target.Head {
		p.refuse("targetMoved", "path", "HEAD")
		return nil
	}
	dirty, err := dirtyPath(r.status, t)
	if err != nil {
		return err
	}
	if dirty != "" {
		p.refuse("targetDirty", "path", dirty)
		return nil
	}
	if submodules {
		if p.targets, err = r.checkedOutIn(ctx, t, p.opts.depth); err != nil {
			return err
		}
	}
	if target.Head != p.base || p.opts.Paths != nil { // else both are to be equal
		return p.onto(ctx, target, r, t)
	}
	if name := p.hiddenThere(r); name != "" {
		p.refuse("unsupportedState", "what", name+" is skip-worktree or assume-unchanged in the target alone")
		return nil
	}
	return p.inTheWay(t)
}

// hiddenThere is a path that git does not look at in the target, and does in the source: what comes to it would not be seen,
// and the bit is the target's own. Of its sparse checkout's, which is not to become a whole one, those may go whose files
// come.
func (p *Plan) hiddenThere(r *reading) string {
	if !r.bits {
		return ""
	}
	sparse := !nothingAt(filepath.Join(r.from.GitDir, "info", "sparse-checkout"))
	for i, e := range r.index.Entries {
		at := p.seen.index.Find(e.Path, i)
		if at < 0 || !e.SkipWorktree && !e.AssumeSame {
			continue
		}
		here := &p.seen.index.Entries[at]
		skipped := e.SkipWorktree && !here.SkipWorktree && !(sparse && p.named[e.Path] != nil)
		if skipped || e.AssumeSame && !here.AssumeSame {
			return e.Path
		}
	}
	return ""
}

// dirtyPath is a path that the target has changed or added, "" if it is clean. One that git calls modified though it
// has the bytes of its blob is clean: that is what a text attribute does to a blob with CRLF.
func dirtyPath(s *git.Status, t *tree) (string, error) {
	if len(s.Unmerged) > 0 {
		return s.Unmerged[0], nil
	}
	for _, c := range s.Changed {
		if c.Staged != '.' || c.Worktree != 'M' || c.ModeHead != c.ModeWorktree || c.Submodule[0] == 'S' {
			return c.Path, nil
		}
		object, err := rawObject(t, c.Path, len(c.ObjectHead))
		if err != nil && !isAbsent(err) {
			return "", err
		}
		if object != c.ObjectHead {
			return c.Path, nil
		}
	}
	for _, name := range s.Untracked {
		if !strings.HasSuffix(name, "/") { // a nested repository is neither changed nor written to
			return name, nil
		}
	}
	return "", nil
}

// rawObject is the object id of a file's bytes as they are; digits says which object format.
func rawObject(t *tree, name string, digits int) (string, error) {
	f, err := t.open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	s, err := fstat(f)
	if err != nil {
		return "", err
	}
	h := hashOf(digits, s.size)
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// hashOf begins the hash of an object of so many bytes.
func hashOf(digits int, size int64) hash.Hash {
	var h hash.Hash = sha256.New()
	if digits == hex.EncodedLen(sha1.Size) {
		h = sha1.New()
	}
	fmt.Fprintf(h, "blob %d\x00", size)
	return h
}

// inTheWay refuses where something that is not the base's stands at a path of the plan: an ignored file, or a link or
// file in the place of a folder. What the plan itself removes is not in the way.
func (p *Plan) inTheWay(t *tree) error {
	look := t.lookup()
	for _, it := range p.disk {
		if it.was.kind != file && it.was.kind != link {
			continue
		}
		for dir := path.Dir(it.path); dir != "."; dir = path.Dir(dir) {
			s, err := look.lstat(dir)
			if err != nil {
				return err
			}
			if removed := p.named[dir]; removed != nil && removed.inBase {
				continue
			}
			switch s.kind {
			case link:
				p.refuse("linkInTheWay", "path", it.path, "link", dir)
				return nil
			case file, special:
				p.refuse("targetDirty", "path", dir)
				return nil
			}
		}
		s, err := look.lstat(it.path)
		if err != nil {
			return err
		}
		if s.kind == folder {
			if other := p.otherIn(t, it.path); other != "" {
				p.refuse("targetDirty", "path", other)
				return nil
			}
		} else if s.kind != absent && !it.inBase {
			p.refuse("targetDirty", "path", it.path)
			return nil
		}
	}
	return nil
}

// otherIn is a file below a folder of the target that the plan does not remove.
func (p *Plan) otherIn(t *tree, dir string) string {
	f, err := t.openFolder(dir)
	if err != nil {
		return dir
	}
	entries, err := f.ReadDir(-1)
	f.Close()
	if err != nil {
		return dir
	}
	for _, e := range entries {
		name := dir + "/" + e.Name()
		if e.IsDir() {
			if other := p.otherIn(t, name); other != "" {
				return other
			}
		} else if p.named[name] == nil {
			return name
		}
	}
	return ""
}
