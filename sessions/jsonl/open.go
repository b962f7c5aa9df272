package jsonl

import (
	"fmt"
	"os"
)

// Open opens a regular file to read, and nothing else: a pipe or a device by a transcript's name would make its reader
// wait for ever.
func Open(path string) (*os.File, os.FileInfo, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|noWait, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is no regular file", path)
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Small gives a whole file of at most limit bytes.
func Small(path string, limit int64) ([]byte, error) {
	f, info, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info.Size() > limit {
		return nil, fmt.Errorf("%s has more than %d bytes", path, limit)
	}
	data, _, err := Tail(f, info.Size(), limit)
	return data, err
}
