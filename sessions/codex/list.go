package codex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
	"github.com/sidefork/sidefork/sessions/seen"
)

// list glances at every rollout and reads on in those whose folder lies in tops.
func list(ctx context.Context, m *seen.Memory, homes agent.Homes, tops []string) ([]agent.Session, []agent.Problem) {
	var sessions []agent.Session
	var problems []agent.Problem
	for _, home := range homes.All() {
		all, bad := open(m, home)
		problems = append(problems, bad...)
		m.Notice(filepath.Join(home, "thread-writer-locks"))
		m.Notice(home, "session_index.jsonl")
		files, bad := all.inTops(ctx, tops)
		problems = append(problems, bad...)
		found, bad := all.read(ctx, files, tops == nil)
		problems = append(problems, bad...)
		all.settle(found, home == homes.Default)
		for _, r := range found {
			if !r.subagent {
				sessions = append(sessions, r.session)
			}
		}
	}
	return sessions, problems
}

// find looks for the rollout by its name, and by what its line 1 says where no name tells.
func find(ctx context.Context, homes agent.Homes, id string) ([]agent.Session, []agent.Problem) {
	var sessions []agent.Session
	var problems []agent.Problem
	for _, home := range homes.All() {
		all, bad := open(nil, home)
		problems = append(problems, bad...)
		files := all.files()
		if path, there := all.byID()[id]; there {
			files = []string{path}
		}
		found, bad := all.read(ctx, files, true)
		if len(files) == 1 {
			problems = append(problems, bad...)
			found = append(found, broken(files, bad, id)...)
		}
		all.settle(found, home == homes.Default)
		for _, r := range found {
			if r.session.ID.ID == id {
				sessions = append(sessions, r.session)
			}
		}
	}
	return sessions, problems
}

// broken is the session of a rollout that is called id and whose first line cannot be read.
func broken(files []string, problems []agent.Problem, id string) (found []rollout) {
	for _, p := range problems {
		if idOf(files[0]) == id {
			found = append(found, rollout{session: agent.Session{
				ID: agent.ID{Agent: name, ID: id}, Source: p.Source,
				NotForkable: agent.Refuse("sessionBroken", "id", id, "what", "its first line cannot be read"),
			}})
		}
	}
	return found
}

// store is where a home's rollouts are.
type store struct {
	seen    *seen.Memory
	home    string
	folders []string                 // of days, and at last that of archived ones
	files   func() []string          // in all of them
	byID    func() map[string]string // the file of each id; one that is not archived, where there are both
}

// rollout is a session and what decides whether it can be forked.
type rollout struct {
	session  agent.Session
	base     string
	work     work
	subagent bool
	headless bool // line 1 is damaged: nobody knows where it belongs, and Codex does not fork it
}

// days is how deep rollouts lie below sessions: in YYYY/MM/DD.
const days = 3

// open finds the folders of a home's rollouts.
func open(m *seen.Memory, home string) (s store, problems []agent.Problem) {
	s = store{seen: m, home: home}
	s.folders = append(below(m, filepath.Join(home, "sessions"), days, &problems), filepath.Join(home, "archived_sessions"))
	s.files = sync.OnceValue(func() (files []string) {
		for _, folder := range s.folders {
			files = append(files, rolloutsIn(m, folder, new([]agent.Problem))...) // a folder that cannot be read is named by list
		}
		return files
	})
	s.byID = sync.OnceValue(func() map[string]string { return byID(s.files()) })
	return s, problems
}

func rolloutsIn(m *seen.Memory, folder string, problems *[]agent.Problem) (files []string) {
	for _, entry := range entries(m, folder, problems) {
		if !entry.IsDir() && idOf(entry.Name()) != "" {
			files = append(files, folder+string(filepath.Separator)+entry.Name()) // filepath.Join thousands of times is dear
		}
	}
	return files
}

// byID gives the first file of each id.
func byID(files []string) map[string]string {
	found := make(map[string]string, len(files))
	for _, path := range files {
		if id := idOf(path); found[id] == "" {
			found[id] = path
		}
	}
	return found
}

// below gives the folders with names of digits that lie depth levels below top.
func below(m *seen.Memory, top string, depth int, problems *[]agent.Problem) []string {
	if depth == 0 {
		return []string{top}
	}
	var found []string
	for _, entry := range entries(m, top, problems) {
		if entry.IsDir() && strings.Trim(entry.Name(), "0123456789") == "" {
			found = append(found, below(m, filepath.Join(top, entry.Name()), depth-1, problems)...)
		}
	}
	return found
}

func entries(m *seen.Memory, folder string, problems *[]agent.Problem) []os.DirEntry {
	found, err := m.Entries(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		*problems = append(*problems, agent.Problem{Source: folder, Message: err.Error()})
	}
	return found
}

// idOf is the id in a rollout's name, "" for the name of anything else.
func idOf(path string) string {
	const length = 36
	base, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	if !ok || !strings.HasPrefix(base, "rollout-") || len(base) < length || !agent.IsUUID(base[len(base)-length:]) {
		return ""
	}
	return base[len(base)-length:]
}

// dayOf is what a folder of rollouts holds: files by the folder that each belongs to. A headless one belongs nowhere.
type dayOf struct {
	byCwd    map[string][]string
	problems []agent.Problem
}

// inTops gives the rollouts that lie in tops. Of one that is both archived and not, the archived one is left out.
func (s store) inTops(ctx context.Context, tops []string) (files []string, problems []agent.Problem) {
	archive := s.folders[len(s.folders)-1]
	read := seen.Folders(ctx, s.seen, s.folders, "day", func(folder string) (d dayOf) {
		d.byCwd = map[string][]string{}
		for _, path := range rolloutsIn(s.seen, folder, &d.problems) {
			cwd, err := seen.File(s.seen, path, "cwd", glanceFile)
			if err != nil && !errors.Is(err, fs.ErrNotExist) { // else it was deleted or archived meanwhile
				d.problems = append(d.problems, agent.Problem{Source: path, Message: err.Error()})
			}
			if tops != nil && cwd == "" {
				continue
			}
			d.byCwd[cwd] = append(d.byCwd[cwd], path)
		}
		return d
	})
	for _, d := range read {
		problems = append(problems, d.problems...)
		for cwd, found := range d.byCwd {
			if agent.WithinAny(tops, cwd) {
				files = append(files, found...)
			}
		}
	}
	twice := func(path string) bool {
		return filepath.Dir(path) == archive && filepath.Dir(s.byID()[idOf(path)]) != archive
	}
	return slices.DeleteFunc(files, twice), problems
}

// glanceFile is the folder that a rollout belongs to; "" if it is headless.
func glanceFile(f *os.File, info os.FileInfo) (cwd string, err error) {
	m, err := glance(f, info.Size())
	if err != nil {
		return "", fmt.Errorf("codex: read %s: %w", f.Name(), err)
	}
	if !m.ok {
		return "", nil
	}
	return m.cwd, nil
}

// read reads rollouts, several at a time. A headless one is a problem where all are asked for.
func (s store) read(ctx context.Context, files []string, all bool) (found []rollout, problems []agent.Problem) {
	read, failed := seen.All(ctx, s.seen, files, "rollout", readRollout)
	for _, r := range read {
		if !r.headless {
			found = append(found, r)
		} else if all {
			problems = append(problems, agent.Problem{Source: r.session.Source, Message: "its first line is not the start of a session"})
		}
	}
	return found, append(problems, agent.Problems(failed)...)
}

func readRollout(path string, f *os.File, info os.FileInfo) (rollout, error) {
	told, err := readStory(f, info.Size())
	if err != nil {
		return rollout{}, fmt.Errorf("codex: read %s: %w", path, err)
	}
	m := told.meta // the branch and the base stand at the end of line 1, behind a glance
	r := rollout{base: m.base, work: told.work, subagent: m.subagent, headless: !m.ok, session: agent.Session{
		ID: agent.ID{Agent: name, ID: m.id}, FirstPrompt: told.prompt, Cwd: m.cwd, Branch: m.branch,
		StartedAt: m.started, LastActivity: told.last, Source: path, Forecast: agent.LastAnswer(told.tokens),
	}}
	if told.last.IsZero() {
		r.session.LastActivity = info.ModTime()
	}
	if agent.IsUUID(m.forkedFrom) {
		r.session.Parent = &agent.ID{Agent: name, ID: m.forkedFrom}
	}
	return r, nil
}

// settle adds to rollouts what stands outside them: names, whether they run, whether what they need is there.
func (s store) settle(found []rollout, defaultHome bool) {
	if len(found) == 0 {
		return
	}
	names := s.threadNames()
	loaded := newLoaded(s.home)
	for i := range found {
		r := &found[i]
		one := &r.session
		one.Home, one.DefaultHome = s.home, defaultHome
		if one.State, one.PID = loaded.state(one.ID.ID); one.State == agent.Live {
			one.Status = s.workOf(*r).status(loaded.holder[one.ID.ID].started)
		}
		one.Title = s.title(*one, names)
		if one.NotForkable == nil {
			one.NotForkable = s.whyNot(*r)
		}
	}
}

func (s store) whyNot(r rollout) *agent.Refusal {
	id := r.session.ID.ID
	switch {
	case r.subagent:
		return agent.Refuse("sessionSubagent", "id", id)
	case filepath.Dir(r.session.Source) == filepath.Join(s.home, "archived_sessions"):
		return agent.Refuse("sessionArchived", "id", id)
	}
	if gone := s.missing(r.base); gone != "" {
		return agent.Refuse("sessionParentGone", "id", id, "parent", gone)
	}
	return nil
}

// lineage bounds how far a line of forks is followed.
const lineage = 64

// missing is the first of base and the sessions it is based on that has no rollout: Codex keeps a fork as what came after
// the fork, so that its whole line must be there.
func (s store) missing(base string) string {
	for range lineage {
		if base == "" {
			return ""
		}
		path, there := s.byID()[base]
		if !there {
			return base
		}
		base = s.meta(path).base
	}
	return ""
}

// title is a session's name. A fork that nothing was said in yet takes its parent's name or first prompt.
func (s store) title(one agent.Session, names map[string]string) string {
	if title := names[one.ID.ID]; title != "" || one.FirstPrompt != "" || one.Parent == nil {
		return title
	}
	parent := one.Parent.ID
	for range lineage {
		if names[parent] != "" {
			return names[parent]
		}
		path, there := s.byID()[parent]
		if !there {
			return ""
		}
		if prompt := s.promptOf(path); prompt != "" {
			return prompt
		}
		parent = s.meta(path).forkedFrom
	}
	return ""
}

func (s store) meta(path string) meta {
	m, _ := seen.File(s.seen, path, "meta", func(f *os.File, info os.FileInfo) (meta, error) {
		return firstLine(f, info.Size())
	})
	return m
}

func (s store) promptOf(path string) string {
	r, _ := seen.File(s.seen, path, "rollout", func(f *os.File, info os.FileInfo) (rollout, error) {
		return readRollout(path, f, info)
	})
	return r.session.FirstPrompt
}

// threadNames gives the names that Codex has noted for its sessions; the last one counts. There is no such file where no
// session was named yet.
func (s store) threadNames() map[string]string {
	const limit = 8 << 20
	names, _ := seen.File(s.seen, filepath.Join(s.home, "session_index.jsonl"), "names", func(f *os.File, info os.FileInfo) (map[string]string, error) {
		names := map[string]string{}
		data, whole, err := jsonl.Tail(f, info.Size(), limit)
		jsonl.TailLines(data, whole, func(line []byte) {
			if id := member(line, "id"); agent.IsUUID(id) {
				names[id] = member(line, "thread_name")
			}
		})
		return names, err
	})
	return names
}
