package carry

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"github.com/sidefork/sidefork/carry/worktree"
)

// How a merge reads its sides, and takes down what it has seen of the source.

// bringFile is for a file that comes whole from one side, to another place or with another mode.
func (m *meeting) bringFile(s three, from *tree, name string, mode uint32) error {
	f, err := from.open(name)
	if err != nil {
		return m.vanished(s, err)
	}
	defer f.Close()
	was, err := fstat(f)
	if err != nil {
		return err
	}
	sum := sha256.New()
	it, err := m.make(s.to, io.TeeReader(f, sum), mode, s.it.counted, was.mtime)
	if err != nil {
		return err
	}
	if from == m.here {
		if err := m.sawSource(s, was, [sha256.Size]byte(sum.Sum(nil))); err != nil {
			return err
		}
	}
	m.put(s, it)
	return nil
}

// readSource reads a file of the source, and takes down what it was.
func (m *meeting) readSource(s three) ([]byte, error) {
	f, err := m.here.open(s.name)
	if err != nil {
		return nil, m.vanished(s, err)
	}
	defer f.Close()
	was, err := fstat(f)
	if err != nil {
		return nil, err
	}
	content, err := io.ReadAll(io.LimitReader(f, mostMerged+1))
	if err != nil {
		return nil, fmt.Errorf("carry: read %s: %w", s.name, err)
	}
	return content, m.sawSource(s, was, sha256.Sum256(content))
}

func (m *meeting) sawSource(s three, was stat, sum [sha256.Size]byte) error {
	if !was.same(s.it.was) {
		return worktree.Refuse("parentChanging", "path", s.name)
	}
	m.sources[s.name] = seen{was, sum, was.size <= mostMerged}
	return nil
}

// vanished is what an error means by which a path of the source is not what it was a moment ago.
func (m *meeting) vanished(s three, err error) error {
	if isAbsent(err) || isLoop(err) {
		return worktree.Refuse("parentChanging", "path", s.name)
	}
	return err
}

func readWhole(t *tree, name string) ([]byte, error) {
	f, err := t.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	content, err := io.ReadAll(io.LimitReader(f, mostMerged+1))
	if err != nil {
		return nil, errors.Join(fmt.Errorf("carry: read %s", name), err)
	}
	return content, nil
}

// objectOf is the object id of a file's content; digits says which object format.
func objectOf(content []byte, digits int) string {
	h := hashOf(digits, int64(len(content)))
	h.Write(content)
	return hex.EncodeToString(h.Sum(nil))
}
