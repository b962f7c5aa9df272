package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The store of somebody who has worked with agents for years: 20,000 sessions of two agents in 24 workspaces, 2 GB, one
// of them of 500 MB with lines of 10 MB.
const (
	claudeSessions = 12_000
	codexSessions  = 8_000
	folders        = 24
	usualSize      = 75 << 10 // bytes of a session, on average
	hugeLines      = 50
	hugeLine       = 10 << 20
)

// sessions measures the list of the newest 50 sessions of a workspace: in a sidecar that has listed them before, in a
// process of its own, and how soon a new one is told of.
func (b bench) sessions() error {
	repo, err := b.repository("sessions", 100)
	if err != nil {
		return err
	}
	defer os.RemoveAll(repo)
	heads, err := b.store(repo)
	if err != nil {
		return err
	}
	defer func() {
		for _, name := range []string{".claude", ".codex"} {
			os.RemoveAll(filepath.Join(b.dir, name))
		}
	}()
	cold, err := interleave(b.rounds,
		func() (time.Duration, error) { return timed(b.sidefork, "sessions", repo, "--limit", "50", "--json") },
		func() (time.Duration, error) { return b.floor(repo, heads) },
	)
	if err != nil {
		return err
	}
	row("newest 50 of 20,000 sessions, a process", cold[0], cold[1], "an empty Go program, git rev-parse and worktree list, the heads", "≤ 3")

	s, err := b.serve()
	if err != nil {
		return err
	}
	defer s.stop()
	list := func() (time.Duration, error) {
		begin := time.Now()
		raw, err := s.call("workspace/executeCommand", map[string]any{"command": "sidefork.sessions", "arguments": []any{map[string]any{"workspace": repo, "limit": 50}}})
		var page struct {
			Sessions []struct{ ID string }
			Problems []any
		}
		if d := time.Since(begin); err != nil || json.Unmarshal(raw, &page) != nil || len(page.Sessions) != 50 || len(page.Problems) != 0 {
			return d, fmt.Errorf("%d sessions, %v, %v", len(page.Sessions), page.Problems, err)
		}
		return time.Since(begin), nil
	}
	first, err := list()
	if err != nil {
		return err
	}
	warm, err := interleave(b.rounds, list, func() (time.Duration, error) { return b.gitAlone(repo) })
	if err != nil {
		return err
	}
	fmt.Printf("| the same, the first time in a sidecar | %s | | | |\n", short(first))
	row("the same again", warm[0], warm[1], "git rev-parse and worktree list", "≤ 30 ms")
	fmt.Printf("| memory of the sidecar then, and at most | %.1f / %.1f MiB | | | ≤ 64 MB |\n",
		float64(memoryKiB(s.cmd.Process.Pid, "VmRSS:"))/1024, float64(memoryKiB(s.cmd.Process.Pid, "VmHWM:"))/1024)
	return b.told(s, repo)
}

// told measures from the writing of a new session to the notification.
func (b bench) told(s *server, repo string) error {
	var all []time.Duration
	for i := range b.rounds {
		at := time.Now()
		path := filepath.Join(b.dir, ".claude", "projects", encoded(repo), fmt.Sprintf("00000000-0000-4000-9000-%012d.jsonl", i))
		if err := writeSession(path, claudeHead(repo, at, i), claudeTail(at)); err != nil {
			return err
		}
		begin := time.Now()
		if err := s.await("sidefork/changed"); err != nil {
			return err
		}
		all = append(all, time.Since(begin))
		if _, err := s.call("workspace/executeCommand", map[string]any{"command": "sidefork.sessions", "arguments": []any{map[string]any{"workspace": repo, "limit": 50}}}); err != nil {
			return err
		}
	}
	slices.Sort(all)
	fmt.Printf("| told of a new session, median / longest | %s / %s | | | ≤ 300 ms |\n", short(all[len(all)/2]), short(all[len(all)-1]))
	return nil
}

// floor is what no list of a process of its own can do without.
func (b bench) floor(repo string, heads []head) (time.Duration, error) {
	begin := time.Now()
	if _, err := timed(b.empty); err != nil {
		return 0, err
	}
	if _, err := b.gitAlone(repo); err != nil {
		return 0, err
	}
	buffer := make([]byte, 64<<10)
	for _, h := range heads {
		f, err := os.Open(h.path)
		if err != nil {
			return 0, err
		}
		_, err = f.ReadAt(buffer[:h.size], 0)
		f.Close()
		if err != nil && err != io.EOF {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

func (b bench) gitAlone(repo string) (time.Duration, error) {
	begin := time.Now()
	for _, args := range [][]string{{"rev-parse", "--show-toplevel"}, {"worktree", "list", "--porcelain"}} {
		if _, err := timed(append([]string{"git", "-C", repo}, args...)...); err != nil {
			return 0, err
		}
	}
	return time.Since(begin), nil
}

// head is the start of a file that has to be read to know whose session it is.
type head struct {
	path string
	size int
}

// store makes the agents' stores below the home, and programs that tell their versions.
func (b bench) store(repo string) (heads []head, err error) {
	for name, version := range map[string]string{"claude": "2.1.332 (Claude Code)", "codex": "codex-cli 0.171.0"} {
		program := filepath.Join(b.dir, "bin", name)
		if err := os.MkdirAll(filepath.Dir(program), 0o755); err != nil {
			return nil, err
		}
		if err := os.WriteFile(program, []byte("#!/bin/sh\necho '"+version+"'\n"), 0o755); err != nil {
			return nil, err
		}
	}
	if bin := filepath.Join(b.dir, "bin"); !strings.HasPrefix(os.Getenv("PATH"), bin) {
		os.Setenv("PATH", bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	}
	filler := []byte(strings.Repeat(`{"type":"user","uuid":"11111111-1111-4111-8111-111111111111","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"x","content":"`+strings.Repeat("what a tool has said ", 180)+`"}]}}`+"\n", 40))
	begin := time.Date(2026, 1, 1, 8, 0, 0, 0, time.UTC)
	cwd := func(i int) string {
		if i%folders == 0 {
			return repo
		}
		return filepath.Join(b.dir, "other"+strconv.Itoa(i%folders))
	}
	for i := range claudeSessions {
		at := begin.Add(time.Duration(i) * 20 * time.Minute)
		path := filepath.Join(b.dir, ".claude", "projects", encoded(cwd(i)), fmt.Sprintf("00000000-0000-4000-8000-%012d.jsonl", i))
		lines := claudeHead(cwd(i), at, i)
		if i == 0 {
			err = writeSession(path, lines, bytes.Repeat([]byte(`{"type":"user","uuid":"11111111-1111-4111-8111-111111111111","message":{"content":[{"type":"tool_result","content":"`+strings.Repeat("x", hugeLine)+`"}]}}`+"\n"), hugeLines), claudeTail(at))
		} else {
			err = writeSession(path, lines, filler[:spread(i, len(filler))], []byte("\n"), claudeTail(at))
		}
		if err != nil {
			return nil, err
		}
		if i%folders == 0 {
			heads = append(heads, head{path, 64 << 10})
		}
	}
	instructions := strings.Repeat("how the agent is to behave ", 800)
	for i := range codexSessions {
		at := begin.Add(time.Duration(i) * 30 * time.Minute)
		id := fmt.Sprintf("01a22b74-0000-7000-8000-%012d", i)
		path := filepath.Join(b.dir, ".codex", "sessions", at.Format("2006/01/02"), "rollout-"+at.Format("2006-01-02T15-04-05")+"-"+id+".jsonl")
		if err := writeSession(path, codexHead(id, cwd(i), at, instructions), filler[:spread(i, len(filler))], []byte("\n"), codexTail(at)); err != nil {
			return nil, err
		}
		heads = append(heads, head{path, 1 << 10})
	}
	return heads, nil
}

// spread gives sizes around the usual one.
func spread(i, most int) int { return min(most, usualSize/4+i*7919%(usualSize*3/2)) }

func encoded(cwd string) string {
	return strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' {
			return r
		}
		return '-'
	}, cwd)
}

func claudeHead(cwd string, at time.Time, i int) []byte {
	return fmt.Appendf(nil, `{"parentUuid":null,"isSidechain":false,"type":"user","message":{"role":"user","content":"Please do the %d. thing, and take care of the tests"},"uuid":"22222222-2222-4222-8222-222222222222","timestamp":%q,"cwd":%q,"gitBranch":"main"}`+"\n", i, at.Format(time.RFC3339), cwd)
}

func claudeTail(at time.Time) []byte {
	return fmt.Appendf(nil, `{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"Done."}],"usage":{"input_tokens":9,"cache_read_input_tokens":20000,"output_tokens":50}},"uuid":"33333333-3333-4333-8333-333333333333","timestamp":%q,"gitBranch":"main"}`+"\n", at.Add(time.Hour).Format(time.RFC3339))
}

func codexHead(id, cwd string, at time.Time, instructions string) []byte {
	return fmt.Appendf(nil, `{"timestamp":%q,"ordinal":0,"type":"session_meta","payload":{"id":%q,"timestamp":%q,"cwd":%q,"originator":"codex-tui","cli_version":"0.171.0","source":"cli","base_instructions":{"text":%q},"git":{"branch":"main"}}}`+"\n"+
		`{"timestamp":%q,"ordinal":1,"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Please do it"}]}}`+"\n", at.Format(time.RFC3339), id, at.Format(time.RFC3339), cwd, instructions, at.Format(time.RFC3339))
}

func codexTail(at time.Time) []byte {
	return fmt.Appendf(nil, `{"timestamp":%q,"ordinal":9,"type":"event_msg","payload":{"type":"token_count","info":{"last_token_usage":{"total_tokens":20000}}}}`+"\n", at.Add(time.Hour).Format(time.RFC3339))
}

func writeSession(path string, parts ...[]byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(f, 256<<10)
	for _, part := range parts {
		if _, err := out.Write(part); err != nil {
			f.Close()
			return err
		}
	}
	if err := out.Flush(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
