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
	Covered    []Content `json:"covered,omitempty"` // what was approved; none where that is too much to keep
}

var hashes = regexp.MustCompile(`^[0-9a-f]{64}$`)

func (s Store) file(hash string) string {
	of := sha256.Sum256([]byte(s.Common))
	return filepath.Join(s.Folder, hex.EncodeToString(of[:16]), hash+".json")
}

// Trusts says whether the user has approved the content with this hash, for this repository. What cannot be read is not
// trusted.
func (s Store) Trusts(hash string) bool {
	if s.place() != nil {
		return false
	}
	_, there := s.read(hash)
	return there
}

// read reads one file of the store.
func (s Store) read(hash string) (t trusted, there bool) {
	if !hashes.MatchString(hash) {
		return t, false
	}
	info, err := os.Lstat(s.file(hash))
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxFile || !private(info) {
		return t, false
	}
	from, err := os.Open(s.file(hash))
	if err != nil {
		return t, false
	}
	defer from.Close()
	text, err := io.ReadAll(io.LimitReader(from, maxFile))
	return t, err == nil && json.Unmarshal(text, &t) == nil && t.Repository == s.Common && t.Hash == hash
}

// Last is what the user has approved last of this repository; nil where nothing was, or where it was not kept.
func (s Store) Last() []Content {
	if s.place() != nil {
		return nil
	}
	entries, _ := os.ReadDir(filepath.Dir(s.file("")))
	var last trusted
	for _, e := range entries {
		hash, _ := strings.CutSuffix(e.Name(), ".json")
		if t, there := s.read(hash); there && t.At.After(last.At) {
			last = t
		}
	}
	return last.Covered
}

// Trust records that the user has approved a setup, with what its hash covers. Refusal: trustNotKept.
func (s Store) Trust(approved *Setup) error {
	if no := s.place(); no != nil {
		return no
	}
	record := trusted{Repository: s.Common, Source: approved.Source, Hash: approved.Hash, At: time.Now().UTC(), Covered: approved.Covered}
	text, err := json.Marshal(record)
	if len(text) >= maxFile { // thousands of names
		record.Covered = nil
		text, err = json.Marshal(record)
	}
	if err != nil {
		return s.cannot(err.Error())
	}
	to := s.file(approved.Hash)
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
