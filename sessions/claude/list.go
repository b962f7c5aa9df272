package claude

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/seen"
)

// list reads the transcripts of those project folders that can hold sessions of tops, and the registry.
func list(ctx context.Context, m *seen.Memory, homes agent.Homes, tops []string) ([]agent.Session, []agent.Problem) {
	var sessions []agent.Session
	var problems []agent.Problem
	for _, home := range homes.All() {
		files, bad := transcripts(ctx, m, home, tops)
		problems = append(problems, bad...)
		found, bad := readAll(ctx, m, files)
		problems = append(problems, bad...)
		m.Notice(filepath.Join(home, "sessions"))
		running := readRegistry(home)
		known := map[string]bool{}
		for _, s := range found {
			known[s.ID.ID] = true
			place(&s, home, homes, running)
			subagent := s.NotForkable != nil && s.NotForkable.Code == "sessionSubagent"
			if !subagent && agent.WithinAny(tops, s.Cwd) {
				sessions = append(sessions, s)
			}
		}
		for id, p := range running.byID {
			if p.state != agent.Live || known[id] || !agent.WithinAny(tops, p.Cwd) || len(filesOf(home, id)) > 0 {
				continue
			}
			s := unwritten(id, p)
			place(&s, home, homes, running)
			sessions = append(sessions, s)
		}
	}
	return sessions, problems
}

// find looks for the session's file in every project folder: which one cannot be told from the id.
func find(ctx context.Context, homes agent.Homes, id string) ([]agent.Session, []agent.Problem) {
	var sessions []agent.Session
	var problems []agent.Problem
	for _, home := range homes.All() {
		found, bad := readAll(ctx, nil, filesOf(home, id))
		problems = append(problems, bad...)
		running := readRegistry(home)
		if p, runs := running.byID[id]; len(found) == 0 && runs && p.state == agent.Live {
			found = append(found, unwritten(id, p))
		}
		for _, s := range found {
			place(&s, home, homes, running)
			sessions = append(sessions, s)
		}
	}
	return sessions, problems
}

// unwritten is a session that runs and has no file yet: Claude Code writes it at the first prompt.
func unwritten(id string, p registered) agent.Session {
	return agent.Session{
		ID: agent.ID{Agent: name, ID: id}, Title: p.Name, Cwd: p.Cwd,
		StartedAt: p.started(), LastActivity: p.started(),
		NotForkable: agent.Refuse("sessionEmpty", "id", id),
	}
}

// place says which home a session belongs to and whether it runs.
func place(s *agent.Session, home string, homes agent.Homes, running registry) {
	s.Home, s.DefaultHome = home, home == homes.Default
	state, p := running.state(s.ID.ID)
	if s.State = state; state == agent.Live {
		s.PID, s.Status = p.PID, p.Status
	}
}

// transcripts are the files of a home that may hold sessions of tops.
func transcripts(ctx context.Context, m *seen.Memory, home string, tops []string) (files []string, problems []agent.Problem) {
	folders, err := m.Entries(projects(home))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		problems = append(problems, agent.Problem{Source: projects(home), Message: err.Error()})
	}
	for _, folder := range folders {
		wanted := tops == nil || slices.ContainsFunc(tops, func(top string) bool { return mayHold(folder.Name(), top) })
		if ctx.Err() != nil || !wanted || !folder.IsDir() && folder.Type()&fs.ModeSymlink == 0 {
			continue
		}
		path := filepath.Join(projects(home), folder.Name())
		entries, err := m.Entries(path)
		if err != nil {
			if agent.IsFolder(path) {
				problems = append(problems, agent.Problem{Source: path, Message: err.Error()})
			}
			continue
		}
		for _, entry := range entries {
			id, ok := strings.CutSuffix(entry.Name(), ".jsonl")
			if ok && agent.IsUUID(id) && (entry.Type().IsRegular() || entry.Type()&fs.ModeSymlink != 0) {
				files = append(files, filepath.Join(path, entry.Name()))
			}
		}
	}
	return files, problems
}

// filesOf are the files of a session, which several project folders may hold (a copy made by hand).
func filesOf(home, id string) (files []string) {
	folders, _ := os.ReadDir(projects(home)) // one that cannot be read has been named by list
	for _, folder := range folders {
		path := filepath.Join(projects(home), folder.Name(), id+".jsonl")
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, path)
		}
	}
	return files
}

// readAll reads transcripts, several at a time.
func readAll(ctx context.Context, m *seen.Memory, files []string) ([]agent.Session, []agent.Problem) {
	sessions, failed := seen.All(ctx, m, files, "session", readSession)
	return sessions, agent.Problems(failed)
}

func readSession(path string, f *os.File, info os.FileInfo) (agent.Session, error) {
	t, err := read(f, info.Size())
	if err != nil {
		return agent.Session{}, fmt.Errorf("claude: read %s: %w", path, err)
	}
	id := strings.TrimSuffix(filepath.Base(path), ".jsonl")
	s := agent.Session{
		ID: agent.ID{Agent: name, ID: id}, Title: t.custom, FirstPrompt: t.prompt, Cwd: t.cwd, Branch: t.branch,
		StartedAt: t.started, LastActivity: t.last, Source: path,
	}
	if s.Title == "" {
		s.Title = t.ai
	}
	if s.Cwd == "" {
		s.Cwd = launchFolder(t.lastCwd, filepath.Base(filepath.Dir(path)))
	}
	if s.LastActivity.IsZero() {
		s.LastActivity = info.ModTime()
	}
	if t.parent != "" && t.parent != id && agent.IsUUID(t.parent) {
		s.Parent = &agent.ID{Agent: name, ID: t.parent}
	}
	s.Forecast = agent.LastAnswer(t.tokens)
	switch {
	case t.talk:
	case t.subagent:
		s.NotForkable = agent.Refuse("sessionSubagent", "id", id)
	case t.damaged:
		s.NotForkable = agent.Refuse("sessionBroken", "id", id, "what", "it holds no whole message")
	default:
		s.NotForkable = agent.Refuse("sessionEmpty", "id", id)
	}
	return s, nil
}
