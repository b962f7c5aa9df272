package carry

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/carry/git"
	"github.com/sidefork/sidefork/carry/worktree"
)

// Saved is a ref that holds what a removal took away.
type Saved struct {
	Path  string // of the submodule, from the top of the workspace; "" for the workspace itself
	Ref   string
	Head  string // object id that it was at
	Stash bool   // the ref is a commit in the shape of a stash on top of Head, which `git stash apply --index` takes; else it is Head
}

// savedRefs is where they are: refs that git keeps and nobody checks out.
const savedRefs = "refs/sidefork/removed/"

// save stores what is not committed, and commits that nothing else has, under refs of the repository. Bytes are stored as
// they lie on disk: no filter, no hook and no signature. It writes nothing in the workspace and nothing in its index.
func (r *Removal) save(ctx context.Context, refs string) ([]Saved, error) {
	var saved []Saved
	var err error
	number := 0
	into := git.Bare(r.from.CommonDir, "", "")
	r.plan.levels("", func(prefix string, p *Plan) {
		path := strings.TrimSuffix(prefix, "/")
		if err != nil || p.seen == nil || !p.holdsWork() && !r.goes(path) {
			return
		}
		s := Saved{Path: path, Ref: refs + "/work", Head: p.base, Stash: p.holdsWork()}
		if path != "" {
			number++
			s.Ref = fmt.Sprintf("%s/submodules/%d", refs, number)
		}
		oid := p.base
		if s.Stash {
			oid, err = p.store(ctx, "sidefork: removed "+strings.TrimSuffix(r.from.Path+"/"+path, "/"))
		}
		if err == nil && path != "" {
			err = p.send(ctx, oid, into)
		}
		if err == nil {
			err = into.StoreRef(ctx, s.Ref, oid)
		}
		saved = append(saved, s)
	})
	return saved, err
}

// goes says whether the commits of the workspace, or of one of its submodules, would be lost.
func (r *Removal) goes(path string) bool {
	return path == "" && r.only || slices.ContainsFunc(r.inner, func(u unpushed) bool { return u.path == path })
}

// holdsWork says whether a level has anything that is not committed.
func (p *Plan) holdsWork() bool {
	if len(p.disk) > 0 || len(p.pointers()) > 0 {
		return true
	}
	for _, e := range p.index.entries {
		if e.staged() {
			return true
		}
	}
	return false
}

// store makes a commit of a level in the shape of `git stash create --include-untracked`: the tracked files on top of the
// index on top of HEAD, and the untracked ones in a commit of their own.
func (p *Plan) store(ctx context.Context, message string) (string, error) {
	at := git.Command{Dir: p.from.Path, Index: filepath.Join(p.seen.private.path, "saving"), Config: git.NoTransport()}
	if err := at.ReadTree(ctx, p.base); err != nil {
		return "", err
	}
	var gone, come strings.Builder
	for name, e := range p.index.entries {
		switch {
		case !e.staged():
		case e.mode == 0:
			entryLine(&gone, 0, zeros(p.base), name)
		default:
			entryLine(&come, e.mode, e.object, name)
		}
	}
	staged, err := at.StoreTree(ctx, gone.String()+come.String())
	if err != nil {
		return "", err
	}
	blobs, err := p.storeFiles(ctx, at)
	if err != nil {
		return "", err
	}
	gone.Reset()
	come.Reset()
	var apart strings.Builder
	for _, it := range p.disk {
		switch {
		case it.was.kind == absent:
			entryLine(&gone, 0, zeros(p.base), it.path)
		case blobs[it.path] == "":
		case it.counted == untracked && !it.inBase:
			entryLine(&apart, entryMode(it.was), blobs[it.path], it.path)
		default:
			entryLine(&come, entryMode(it.was), blobs[it.path], it.path)
		}
	}
	for name, head := range p.pointers() {
		entryLine(&come, git.ModeSubmodule, head, name)
	}
	work, err := at.StoreTree(ctx, gone.String()+come.String())
	if err != nil {
		return "", err
	}
	parents := []string{p.base}
	index, err := at.StoreCommit(ctx, staged, "index of "+message, p.base)
	if err != nil {
		return "", err
	}
	parents = append(parents, index)
	if apart.Len() > 0 {
		at.Index = filepath.Join(p.seen.private.path, "apart")
		tree, err := at.StoreTree(ctx, apart.String())
		if err != nil {
			return "", err
		}
		files, err := at.StoreCommit(ctx, tree, "untracked files of "+message)
		if err != nil {
			return "", err
		}
		parents = append(parents, files)
	}
	return at.StoreCommit(ctx, work, message, parents...)
}

func entryLine(b *strings.Builder, mode uint32, object, name string) {
	fmt.Fprintf(b, "%06o %s\t%s\x00", mode, object, name)
}

// storeFiles stores the bytes of files and the texts of links, and gives their objects by path.
func (p *Plan) storeFiles(ctx context.Context, at git.Command) (map[string]string, error) {
	t, err := openTree(p.from.Path)
	if err != nil {
		return nil, err
	}
	defer t.close()
	blobs := map[string]string{}
	var plain []string
	for _, it := range p.disk {
		odd := strings.ContainsAny(it.path, "\n\r") || it.path[0] == '"'
		var content []byte
		switch {
		case it.was.kind == file && !odd:
			plain = append(plain, it.path)
			continue
		case it.was.kind == file:
			content, err = t.root.ReadFile(it.path)
		case it.was.kind == link:
			var text string
			text, err = t.readlink(it.path)
			content = []byte(text)
		default:
			continue
		}
		if err == nil {
			blobs[it.path], err = at.StoreBlob(ctx, content)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(plain) == 0 {
		return blobs, nil
	}
	objects, err := at.StoreFiles(ctx, plain)
	if err == nil && len(objects) != len(plain) {
		err = fmt.Errorf("carry: %d objects of %d files", len(objects), len(plain))
	}
	for i, object := range objects {
		blobs[plain[min(i, len(plain)-1)]] = object
	}
	return blobs, err
}

// send brings a commit of a submodule's store, with all that it reaches, into the repository that stays.
func (p *Plan) send(ctx context.Context, oid string, into git.Command) error {
	if !nothingAt(filepath.Join(p.from.CommonDir, "shallow")) {
		return worktree.Refuse("unsupportedState", "what", p.from.Path+" is a shallow clone, of which nothing can be stored elsewhere")
	}
	pack, err := git.Command{Dir: p.from.Path, Config: git.NoTransport()}.Pack(ctx, filepath.Join(p.seen.private.path, "pack"), oid)
	if err != nil {
		return err
	}
	file, err := os.Open(pack)
	if err != nil {
		return err
	}
	defer file.Close()
	into.Args, into.Stdin = []string{"index-pack", "--stdin"}, file
	return into.Run(ctx)
}
