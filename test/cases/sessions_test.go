//go:build unix

package cases

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/test/snapshot"
)

// list asks the tool for the sessions of a folder and compares them with what the case expects.
func (r *run) list() error {
	home := filepath.Join(r.parent, "home")
	expected, _, err := r.phase("expected", r.parent)
	if err != nil {
		return err
	}
	folder, _, err := r.phase("query", r.parent)
	if err != nil {
		return err
	}
	stores := map[string]snapshot.Snapshot{}
	for _, name := range []string{".claude", ".codex"} {
		if dir := filepath.Join(home, name); exists(dir) {
			if stores[dir], err = snapshot.Folder(dir); err != nil {
				return err
			}
		}
	}
	env := append(r.env(), "HOME="+home) // the last one counts
	out := r.exec(20*time.Second, r.work, env, r.bench.tool, "sessions", folder, "--json")
	for dir, before := range stores {
		after, err := snapshot.Folder(dir)
		if err != nil {
			return err
		}
		for _, line := range snapshot.Diff(before, after) {
			r.verdict.fault("the store was touched: %s", line)
		}
	}
	r.verdict.result = "ok"
	if out.status != 0 {
		r.verdict.result = "error"
		r.verdict.fault("exit status %d: %s", out.status, oneLine(out.stderr, 200))
		return nil
	}
	r.judgeList(out.stdout, strings.Split(strings.TrimSuffix(expected, "\n"), "\n"))
	return nil
}

// judgeList compares the lists line by line. A first page may end where it says that there is more.
func (r *run) judgeList(answer []byte, want []string) {
	var page struct {
		Sessions []struct {
			ID          string `json:"id"`
			Title       string `json:"title"`
			FirstPrompt string `json:"firstPrompt"`
			Fork        struct {
				Kind string `json:"kind"`
			} `json:"fork"`
		} `json:"sessions"`
		Next string `json:"next"`
	}
	if err := json.Unmarshal(answer, &page); err != nil {
		r.verdict.fault("no JSON by the contract: %v", err)
		return
	}
	var got []string
	for _, s := range page.Sessions {
		title, forkable := s.Title, "yes"
		if title == "" {
			title = s.FirstPrompt
		}
		if s.Fork.Kind == "none" {
			forkable = "no"
		}
		got = append(got, fmt.Sprintf("%s\t%s\t%s", s.ID, forkable, title))
	}
	if page.Next != "" && len(got) > 0 && len(got) < len(want) {
		want = want[:len(got)]
	}
	if slices.Equal(got, want) {
		return
	}
	for i := range max(len(got), len(want)) {
		a, b := at(want, i), at(got, i)
		if a != b {
			r.verdict.fault("entry %d of %d (want %d): want %q, got %q", i+1, len(got), len(want), a, b)
			return
		}
	}
}

func at(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return ""
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}
