package main

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"unicode/utf16"
)

// transcript is a conversation with the real Claude Code 2.1.332, recorded in recordedIn.
//
//go:embed transcript.jsonl
var transcript []byte

const (
	recordedIn = "/home/dev/src/main"
	recordedID = "9c322651-a113-47aa-817a-43cef594a8f5"
)

// sample is a folder of its own with all that the demo needs.
type sample struct {
	folder     string
	repository string
	env        []string // of every process: accounts, settings and logs are in the folder
	standIn    string   // the stand-in for claude; "" where the real one is there
	agents     string   // the agents that are on PATH, in words
}

func makeSample(ctx context.Context, sidefork string) (sample, error) {
	folder, err := os.MkdirTemp("", "sidefork-demo-")
	if err != nil {
		return sample{}, err
	}
	if folder, err = filepath.EvalSymlinks(folder); err != nil { // git tells physical paths
		return sample{}, err
	}
	s := sample{folder: folder, repository: filepath.Join(folder, "app")}
	s.env = append(os.Environ(),
		"CLAUDE_CONFIG_DIR="+filepath.Join(folder, "claude"), "CODEX_HOME="+filepath.Join(folder, "codex"),
		"XDG_STATE_HOME="+filepath.Join(folder, "state"), "XDG_CONFIG_HOME="+filepath.Join(folder, "config"),
		"GIT_CONFIG_GLOBAL="+filepath.Join(folder, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Demo", "GIT_AUTHOR_EMAIL=demo@example.com", "GIT_COMMITTER_NAME=Demo", "GIT_COMMITTER_EMAIL=demo@example.com")
	for _, make := range []func(context.Context) error{s.makeRepository, s.record, func(ctx context.Context) error { return s.findAgents(ctx, sidefork) }} {
		if err := make(ctx); err != nil {
			return s, err
		}
	}
	return s, nil
}

// makeRepository commits a few files, then changes them in every way there is.
func (s sample) makeRepository(ctx context.Context) error {
	write := func(name, content string) error {
		path := filepath.Join(s.repository, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		return os.WriteFile(path, []byte(content), 0o644)
	}
	git := func(args ...string) error {
		return s.command(ctx, "git", append([]string{"-C", s.repository}, args...)...).Run()
	}
	steps := []func() error{
		func() error { return write("README.md", "# app\n") },
		func() error { return write("src/parse.go", "package src\n\nfunc Parse() {}\n") },
		func() error { return write("src/cache.go", "package src\n") },
		func() error { return write("src/old_name.go", "package src\n\n// moved soon\n\nfunc Moved() {}\n") },
		func() error { return write("src/legacy.go", "package src\n\n// gone soon\n") },
		func() error { return write("logo.bin", "\x00\x01\x02\xff") },
		func() error { return write(".gitignore", "*.log\n") },
		func() error { return s.command(ctx, "git", "init", "-q", "-b", "main", s.repository).Run() },
		func() error { return git("add", ".") },
		func() error { return git("commit", "-q", "-m", "one") },

		func() error { return write("src/parse.go", "package src\n\nfunc Parse() { /* staged */ }\n") },
		func() error { return git("add", "src/parse.go") },
		func() error {
			return write("src/parse.go", "package src\n\nfunc Parse() { /* staged, then edited */ }\n")
		},
		func() error { return write("src/cache.go", "package src\n\n// edited, not staged\n") },
		func() error { return write("src/new.go", "package src\n\n// not tracked\n") },
		func() error { return write("debug.log", "ignored: this one stays\n") },
		func() error { return git("mv", "src/old_name.go", "src/new_name.go") },
		func() error { return os.Remove(filepath.Join(s.repository, "src", "legacy.go")) },
		func() error { return write("logo.bin", "\x00\x03\xfe\xff") },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("making the sample: %w", err)
		}
	}
	return nil
}

// record puts the conversation where Claude Code keeps those of the repository's folder.
func (s sample) record(context.Context) error {
	quoted, err := json.Marshal(s.repository)
	if err != nil {
		return err
	}
	text := bytes.ReplaceAll(transcript, []byte(`"`+recordedIn+`"`), quoted)
	folder := filepath.Join(s.folder, "claude", "projects", encoded(s.repository))
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, recordedID+".jsonl"), text, 0o600)
}

// encoded is a folder's name in Claude Code's store: each UTF-16 unit that is no letter or digit is a dash.
func encoded(path string) string {
	var name strings.Builder
	for _, u := range utf16.Encode([]rune(path)) {
		if u >= 'a' && u <= 'z' || u >= 'A' && u <= 'Z' || u >= '0' && u <= '9' {
			name.WriteByte(byte(u))
		} else {
			name.WriteByte('-')
		}
	}
	return name.String()
}

// findAgents asks sidefork which agents there are. Without a Claude Code that can fork, a stand-in comes to the front of
// PATH: a fork whose agent is missing is refused, and the demo is to show one that is not.
func (s *sample) findAgents(ctx context.Context, sidefork string) error {
	out, err := s.command(ctx, sidefork, "doctor", "--json").Output()
	if err != nil {
		return fmt.Errorf("sidefork doctor: %w", err)
	}
	var found struct {
		Agents []struct{ Agent, Problem string }
	}
	if err := json.Unmarshal(out, &found); err != nil {
		return err
	}
	var there []string
	claude := false
	for _, a := range found.Agents {
		if a.Problem == "" {
			there = append(there, a.Agent)
			claude = claude || a.Agent == "claude"
		}
	}
	s.agents = strings.Join(there, " or ")
	if s.agents == "" {
		s.agents = "claude or codex (neither is installed here)"
	}
	if claude {
		return nil
	}
	name, script := "claude", "#!/bin/sh\n# A stand-in for the demo: it tells a version and does nothing else.\necho '2.1.332 (Claude Code)'\n"
	if runtime.GOOS == "windows" {
		name, script = "claude.cmd", "@echo 2.1.332 (Claude Code)\r\n"
	}
	bin := filepath.Join(s.folder, "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return err
	}
	s.standIn = filepath.Join(bin, name)
	s.env = append(s.env, "PATH="+bin+string(os.PathListSeparator)+os.Getenv("PATH"))
	return os.WriteFile(s.standIn, []byte(script), 0o755)
}
