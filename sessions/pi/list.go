package pi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/seen"
)

// list reads the files that can be sessions of tops. One without a sound line 1 belongs nowhere: it is a problem.
func list(ctx context.Context, m *seen.Memory, homes agent.Homes, tops []string) (sessions []agent.Session, problems []agent.Problem) {
	for _, home := range homes.All() {
		files, bad := filesOf(m, home, tops)
		problems = append(problems, bad...)
		found, bad := readAll(ctx, m, files)
		problems = append(problems, bad...)
		for _, s := range found {
			switch {
			case s.NotForkable != nil && s.NotForkable.Code == "sessionBroken":
				problems = append(problems, agent.Problem{Source: s.Source, Message: s.NotForkable.Args["what"]})
			case agent.WithinAny(tops, s.Cwd):
				s.Home, s.DefaultHome = home, home == homes.Default
				sessions = append(sessions, s)
			}
		}
	}
	settle(sessions)
	return sessions, problems
}

// find looks for the session's file by its name in every folder.
func find(ctx context.Context, homes agent.Homes, id string) (sessions []agent.Session, problems []agent.Problem) {
	for _, home := range homes.All() {
		files, bad := filesOf(nil, home, nil)
		problems = append(problems, bad...)
		found, bad := readAll(ctx, nil, slices.DeleteFunc(files, func(path string) bool { return idOf(path) != id }))
		problems = append(problems, bad...)
		for _, s := range found {
			s.Home, s.DefaultHome = home, home == homes.Default
			sessions = append(sessions, s)
		}
	}
	settle(sessions)
	return sessions, problems
}

// settle gives every session its state: ended where no pi runs. Where one does, any session may be open in it, also one of
// another folder, and pi says nowhere which.
func settle(sessions []agent.Session) {
	if len(sessions) == 0 {
		return
	}
	state := agent.Unknown
	if pids, known := agent.Runs("pi"); known && len(pids) == 0 {
		state = agent.Ended
	}
	for i := range sessions {
		sessions[i].State = state
	}
}

// filesOf are the files of a home that may be sessions of tops: one folder for each working folder, and what lies flat
// in a folder that the user chose.
func filesOf(m *seen.Memory, home string, tops []string) (files []string, problems []agent.Problem) {
	top := filepath.Join(home, "sessions")
	for _, entry := range entries(m, top, &problems) {
		wanted := tops == nil || slices.ContainsFunc(tops, func(top string) bool { return mayHold(entry.Name(), top) })
		if folder := filepath.Join(top, entry.Name()); wanted && agent.IsFolder(folder) {
			files = append(files, flat(m, folder, &problems)...)
		}
	}
	files = append(files, flat(m, home, &problems)...)
	if chosen := chosenFolder(home); chosen != "" && chosen != home {
		files = append(files, flat(m, chosen, &problems)...)
	}
	return files, problems
}

func flat(m *seen.Memory, folder string, problems *[]agent.Problem) (files []string) {
	for _, entry := range entries(m, folder, problems) {
		if path := filepath.Join(folder, entry.Name()); idOf(path) != "" && !entry.IsDir() {
			files = append(files, path)
		}
	}
	return files
}

func entries(m *seen.Memory, folder string, problems *[]agent.Problem) []os.DirEntry {
	found, err := m.Entries(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		*problems = append(*problems, agent.Problem{Source: folder, Message: err.Error()})
	}
	return found
}

// readAll reads sessions, several at a time, in the order of files.
func readAll(ctx context.Context, m *seen.Memory, files []string) ([]agent.Session, []agent.Problem) {
	sessions, failed := seen.All(ctx, m, files, "session", readSession)
	return sessions, agent.Problems(failed)
}

// readSession reads one file. The session is called as its file is: that is what pi's own list and a fork go by.
func readSession(path string, f *os.File, info os.FileInfo) (agent.Session, error) {
	t, err := read(f, info.Size())
	if err != nil {
		return agent.Session{}, fmt.Errorf("pi: read %s: %w", path, err)
	}
	id := idOf(path)
	s := agent.Session{
		ID: agent.ID{Agent: name, ID: id}, Title: t.title, FirstPrompt: t.prompt, Cwd: t.cwd,
		StartedAt: t.started, LastActivity: t.last, Source: path,
	}
	if s.LastActivity.IsZero() {
		s.LastActivity = info.ModTime()
	}
	if parent := idOf(t.parent); parent != "" && parent != id {
		s.Parent = &agent.ID{Agent: name, ID: parent}
	}
	switch {
	case !t.headed || t.id != id || t.cwd == "":
		s.NotForkable = agent.Refuse("sessionBroken", "id", id, "what", "its first line is not the start of this session")
	case !t.talk:
		s.NotForkable = agent.Refuse("sessionEmpty", "id", id)
	}
	return s, nil
}
