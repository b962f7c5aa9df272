package setup

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/sidefork/sidefork/carry/worktree"
)

// Store keeps what the user trusts: for each repository and hash a file of its own, readable by the user alone.
//
//	<folder>/<repository>/<hash>.json
//
// It never lies in the repository that it is about: that could bring its own trust along.
type Store struct {
	Folder string   // $XDG_STATE_HOME/sidefork/trust; "" where the user has no place for it
	Common string   // the repository's shared git folder
	Tops   []string // the top levels of its workspaces
}

// trusted is one file of a store.
type trusted struct {
	Repository string    `json:"repository"`
	Source     string    `json:"source"`
	Hash       string    `json:"hash"`
	At         time.Time `json:"at"`
}

var hashes = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (s Store) file(hash string) string {
	of := sha256.Sum256([]byte(s.Common))
	return filepath.Join(s.Folder, hex.EncodeToString(of[:16]), hash+".json")
}

// Trusts says whether the user has approved the content with this hash, for this repository. What cannot be read is not
// trusted.
func (s Store) Trusts(hash string) bool {
	if s.place() != nil || !hashes.MatchString(hash) {
		return false
	}
	info, err := os.Lstat(s.file(hash))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile || !private(info) {
		return false
	}
	from, err := os.Open(s.file(hash))
	if err != nil {
		return false
	}
	defer from.Close()
	text, err := io.ReadAll(io.LimitReader(from, maxFile))
	var t trusted
	return err == nil && json.Unmarshal(text, &t) == nil && t.Repository == s.Common && t.Hash == hash
}

// Trust records that the user has approved the content with this hash. Refusal: trustNotKept.
func (s Store) Trust(source, hash string) error {
	if no := s.place(); no != nil {
		return no
	}
	text, err := json.Marshal(trusted{Repository: s.Common, Source: source, Hash: hash, At: time.Now().UTC()})
	if err != nil {
		return s.cannot(err.Error())
	}
	to := s.file(hash)
	if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
		return s.cannot(err.Error())
	}
	temp, err := os.CreateTemp(filepath.Dir(to), ".new-*") // 0600
	if err != nil {
		return s.cannot(err.Error())
	}
	defer os.Remove(temp.Name()) // not there any more where all went well
	_, err = temp.Write(append(text, '\n'))
	if err = errors.Join(err, temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), to)
	}
	if err != nil {
		return s.cannot(err.Error())
	}
	return nil
}

// place refuses a folder that the repository reaches.
func (s Store) place() error {
	if !filepath.IsAbs(s.Folder) {
		return s.cannot("there is no state folder (HOME or XDG_STATE_HOME)")
	}
	folder, err := worktree.Physical(s.Folder)
	if err != nil {
		return s.cannot(err.Error())
	}
	for _, top := range append([]string{s.Common}, s.Tops...) {
		if rel, err := filepath.Rel(top, folder); err == nil && rel != ".." && !strings.HasPrefix(rel, ".."+string(filepath.Separator)) {
			return s.cannot("it lies inside the repository")
		}
	}
	return nil
}

func (s Store) cannot(what string) error {
	return worktree.Refuse("trustNotKept", "path", s.Folder, "what", what)
}
