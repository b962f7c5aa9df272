package carry

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"sync/atomic"
	"time"
)

// copyAll writes the files and links, neighbours together and several folders at a time.
func (w *writing) copyAll(ctx context.Context, todo []*item, written []WrittenPath) error {
	return inParallel(ctx, len(todo), func(ctx context.Context, from, to int) error {
		var here *place
		defer func() { here.close() }()
		for i := from; i < to; i++ {
			it := todo[i]
			if it.was.kind != file && it.was.kind != link {
				continue
			}
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if dir := path.Dir(it.path); here == nil || here.name != dir {
				here.close()
				var err error
				if here, err = w.enter(dir); err != nil {
					return &pathError{it.path, err}
				}
			}
			if err := w.bring(ctx, here, it, written[i].Temp); err != nil {
				if ctx.Err() != nil {
					return context.Cause(ctx)
				}
				return &pathError{it.path, err}
			}
		}
		return nil
	})
}

// place is an open folder of the target.
type place struct {
	name string
	root *os.Root
	dir  *os.File
}

// enter opens a folder of the target, having seen that no link leads there.
func (w *writing) enter(name string) (*place, error) {
	if real, err := w.target.lookup().real(name); !real || err != nil {
		return nil, errors.Join(err, fmt.Errorf("%s is no folder", name))
	}
	root, err := w.target.root.OpenRoot(name)
	if err != nil {
		return nil, err
	}
	dir, err := root.Open(".")
	if err != nil {
		root.Close()
		return nil, err
	}
	return &place{name, root, dir}, nil
}

func (p *place) close() {
	if p != nil {
		p.dir.Close()
		p.root.Close()
	}
}

// bring makes one file or link under a temporary name and renames it into place. A source that is not (or not any
// more) what was recorded is left for the next round.
func (w *writing) bring(ctx context.Context, here *place, it *item, temp string) error {
	was, settled, err := w.fill(ctx, here, it, temp)
	if err != nil || !settled {
		if e := here.root.Remove(temp); e != nil && !isAbsent(e) {
			err = errors.Join(err, e)
		}
		w.unsettled(it.path)
		return err
	}
	name := path.Base(it.path)
	if err := here.root.Rename(temp, name); err != nil {
		// A submodule's empty folder may be in the way; rmdir removes nothing else.
		if there, e := here.root.Lstat(name); e == nil && there.IsDir() && here.root.Remove(name) == nil {
			err = here.root.Rename(temp, name)
		}
		if err != nil {
			return errors.Join(err, here.root.Remove(temp))
		}
	}
	made, err := w.target.at(it.path)
	if err != nil {
		return err
	}
	w.note(w.taken, it.path, was)
	w.note(w.written, it.path, made)
	return nil
}

// source is where an item's content is.
func (w *writing) source(it *item) *tree {
	if it.merged {
		return w.plan.merge.made
	}
	return w.parent
}

func (w *writing) fill(ctx context.Context, here *place, it *item, temp string) (was stat, settled bool, err error) {
	if it.was.kind == link {
		return w.fillLink(here, it, temp)
	}
	src, err := w.source(it).open(it.path)
	if isAbsent(err) || isLoop(err) {
		return stat{}, false, nil
	}
	if err != nil {
		return stat{}, false, fmt.Errorf("%w: %w", errSource, err)
	}
	defer src.Close()
	before, err := fstat(src)
	if err != nil || !before.same(it.was) {
		return stat{}, false, err
	}
	dst, whole, err := w.begin(here, temp, src, before)
	if err != nil {
		return stat{}, false, err
	}
	if !whole {
		err = w.copyContent(ctx, dst, src, before.size)
	}
	if err == nil {
		err = chmodFile(dst, before.mode) // what umask took away, and what writing did
	}
	if err = errors.Join(err, dst.Close()); err != nil {
		return stat{}, false, err
	}
	if err := here.root.Chtimes(temp, time.Time{}, time.Unix(0, before.mtime)); err != nil {
		return stat{}, false, err
	}
	after, err := fstat(src)
	return before, err == nil && after.same(before), err
}

// begin makes the temporary file of an item: whole where the system shares blocks by making a file, else empty.
func (w *writing) begin(here *place, temp string, src *os.File, before stat) (dst *os.File, whole bool, err error) {
	if before.size > 0 && before.mode&0o200 != 0 && !w.cloneless.Load() { // one that cannot be opened for writing is copied
		done, never := cloneNew(here.dir, temp, src)
		if done {
			w.progress.add(before.size)
			dst, err = here.root.OpenFile(temp, os.O_WRONLY, 0)
			return dst, true, err
		}
		if never {
			w.cloneless.Store(true)
		}
	}
	dst, err = here.root.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(before.mode&0o777))
	return dst, false, err
}

func (w *writing) fillLink(here *place, it *item, temp string) (was stat, settled bool, err error) {
	text, err := w.source(it).readlink(it.path)
	if isAbsent(err) {
		return stat{}, false, nil
	}
	if err != nil {
		return stat{}, false, nil //nolint:nilerr // no link any more
	}
	if err := here.root.Symlink(text, temp); err != nil {
		return stat{}, false, err
	}
	if err := setLinkTime(here.dir, temp, it.was.mtime); err != nil {
		return stat{}, false, err
	}
	after, err := w.source(it).at(it.path)
	return it.was, err == nil && after.same(it.was), err
}

// byteCopier copies the content of files between two places.
type byteCopier struct {
	cloneless atomic.Bool // the file system has said that it cannot share blocks
	progress  progress
}

// copyContent shares the blocks where the file system can, else copies them inside the kernel, else through here.
// io.Copy between two files is copy_file_range on Linux, and falls back by itself.
func (c *byteCopier) copyContent(ctx context.Context, dst, src *os.File, size int64) error {
	if size > 0 && !c.cloneless.Load() {
		done, never := clone(dst, src)
		if done {
			c.progress.add(size)
			return nil
		}
		if never {
			c.cloneless.Store(true)
		}
	}
	for {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := io.CopyN(dst, src, block)
		c.progress.add(n)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}
