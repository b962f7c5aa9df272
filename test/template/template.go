// Package template gives every test a repository of its own without the processes that making one takes: git makes each
// kind once, and from then on it is written as files.
package template

import (
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing/fstest"
)

// Of gives a function that writes a repository of a kind to top, a folder that it makes. How one comes to be says make,
// which is called once for each kind; nothing in what it makes may name its own folder, or know a file's time but the index
// (of version 2), which is written anew for the copied files. It can be called from several tests at once.
func Of(make func(top, kind string) error) func(top, kind string) error {
	var one sync.Mutex
	made := map[string]fstest.MapFS{}
	return func(top, kind string) error {
		one.Lock()
		files, there := made[kind]
		if !there {
			var err error
			if files, err = once(make, kind); err != nil {
				one.Unlock()
				return err
			}
			made[kind] = files
		}
		one.Unlock()
		if err := os.CopyFS(top, files); err != nil {
			return err
		}
		return refresh(top)
	}
}

// once makes a repository and reads it; nothing of it stays on the disk.
func once(make func(top, kind string) error, kind string) (fstest.MapFS, error) {
	dir, err := os.MkdirTemp("", "sidefork-template-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	top := filepath.Join(dir, "top")
	if err := os.Mkdir(top, 0o755); err != nil {
		return nil, err
	}
	if err := make(top, kind); err != nil {
		return nil, err
	}
	files := fstest.MapFS{}
	return files, filepath.WalkDir(top, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == top {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		file := &fstest.MapFile{Mode: info.Mode()}
		switch {
		case info.Mode().IsRegular():
			file.Data, err = os.ReadFile(path)
		case info.Mode()&fs.ModeSymlink != 0:
			var to string
			to, err = os.Readlink(path)
			file.Data = []byte(to)
		}
		name, _ := filepath.Rel(top, path)
		files[filepath.ToSlash(name)] = file
		return err
	})
}
