package codex

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// list glances at every rollout and reads on in those whose folder lies in tops.
func list(ctx context.Context, homes agent.Homes, tops []string) ([]agent.Session, []agent.Problem) {
	var sessions []agent.Session
	var problems []agent.Problem
	for _, home := range homes.All() {
		all, bad := open(home)
		problems = append(problems, bad...)
		found, bad := all.read(ctx, all.files, tops)
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
		all, bad := open(home)
		problems = append(problems, bad...)
		files := all.files
		if path, there := all.byID[id]; there {
			files = []string{path}
		}
		found, bad := all.read(ctx, files, nil)
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

// store is a home's rollouts by their names.
type store struct {
	home  string
	files []string
	byID  map[string]string
}

// rollout is a session and what decides whether it can be forked.
type rollout struct {
	session  agent.Session
	base     string
	subagent bool
}

// open reads the names of a home's rollouts. Of one that is both archived and not, the archived one is left out.
func open(home string) (s store, problems []agent.Problem) {
	s = store{home: home, byID: map[string]string{}}
	for _, folder := range []struct{ name, days string }{{"sessions", "*/*/*"}, {"archived_sessions", ""}} {
		top := filepath.Join(home, folder.name)
		for _, day := range below(top, strings.Count(folder.days, "*"), &problems) {
			for _, entry := range entries(day, &problems) {
				if id := idOf(entry.Name()); id != "" && !entry.IsDir() {
					if _, there := s.byID[id]; !there {
						s.byID[id] = filepath.Join(day, entry.Name())
						s.files = append(s.files, s.byID[id])
					}
				}
			}
		}
	}
	return s, problems
}

// below gives the folders with names of digits that lie depth levels below top.
func below(top string, depth int, problems *[]agent.Problem) []string {
	if depth == 0 {
		return []string{top}
	}
	var found []string
	for _, entry := range entries(top, problems) {
		if entry.IsDir() && strings.Trim(entry.Name(), "0123456789") == "" {
			found = append(found, below(filepath.Join(top, entry.Name()), depth-1, problems)...)
		}
	}
	return found
}

func entries(folder string, problems *[]agent.Problem) []os.DirEntry {
	found, err := os.ReadDir(folder)
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

// read reads rollouts, several at a time: those that lie in tops. A headless one is a problem only of the whole list.
func (s store) read(ctx context.Context, files, tops []string) (found []rollout, problems []agent.Problem) {
	var mu sync.Mutex
	var group errgroup.Group
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, path := range files {
		if ctx.Err() != nil {
			break
		}
		group.Go(func() error {
			r, wanted, err := s.readOne(path, tops)
			mu.Lock()
			defer mu.Unlock()
			if err != nil {
				gone := errors.Is(err, fs.ErrNotExist) // deleted or archived meanwhile
				if !gone && !(tops != nil && errors.Is(err, errHeadless)) {
					problems = append(problems, agent.Problem{Source: path, Message: err.Error()})
				}
			} else if wanted {
				found = append(found, r)
			}
			return nil
		})
	}
	_ = group.Wait() // no function of it returns an error
	return found, problems
}

// errHeadless is a rollout whose line 1 is damaged: nobody knows where it belongs, and Codex does not fork it.
var errHeadless = errors.New("its first line is not the start of a session")

func (s store) readOne(path string, tops []string) (r rollout, wanted bool, err error) {
	f, info, err := jsonl.Open(path)
	if err != nil {
		return r, false, err
	}
	defer f.Close()
	m, err := glance(f, info.Size())
	if err != nil {
		return r, false, fmt.Errorf("codex: read %s: %w", path, err)
	}
	if !m.ok {
		return r, false, errHeadless
	}
	if !agent.WithinAny(tops, m.cwd) {
		return r, false, nil
	}
	told, err := readStory(f, info.Size())
	if err != nil {
		return r, false, fmt.Errorf("codex: read %s: %w", path, err)
	}
	if !told.ok {
		return r, false, errHeadless
	}
	m = told.meta // the branch and the base stand at the end of line 1, behind the glance
	r = rollout{base: m.base, subagent: m.subagent, session: agent.Session{
		ID: agent.ID{Agent: name, ID: m.id}, FirstPrompt: told.prompt, Cwd: m.cwd, Branch: m.branch,
		StartedAt: m.started, LastActivity: told.last, Source: path, Forecast: agent.LastAnswer(told.tokens),
	}}
	if told.last.IsZero() {
		r.session.LastActivity = info.ModTime()
	}
	if agent.IsUUID(m.forkedFrom) {
		r.session.Parent = &agent.ID{Agent: name, ID: m.forkedFrom}
	}
	return r, true, nil
}

// settle adds to rollouts what stands outside them: names, whether they run, whether what they need is there.
func (s store) settle(found []rollout, defaultHome bool) {
	if len(found) == 0 {
		return
	}
	names := threadNames(s.home)
	loaded := newLoaded(s.home)
	for i := range found {
		r := &found[i]
		one := &r.session
		one.Home, one.DefaultHome = s.home, defaultHome
		one.State, one.PID = loaded.state(one.ID.ID)
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
		path, there := s.byID[base]
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
		path, there := s.byID[parent]
		if !there {
			return ""
		}
		if prompt := promptOf(path); prompt != "" {
			return prompt
		}
		parent = s.meta(path).forkedFrom
	}
	return ""
}

func (s store) meta(path string) meta {
	f, info, err := jsonl.Open(path)
	if err != nil {
		return meta{}
	}
	defer f.Close()
	m, _ := firstLine(f, info.Size())
	return m
}

func promptOf(path string) string {
	f, info, err := jsonl.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	told, _ := readStory(f, info.Size())
	return told.prompt
}

// threadNames gives the names that Codex has noted for its sessions; the last one counts.
func threadNames(home string) map[string]string {
	const limit = 8 << 20
	names := map[string]string{}
	f, info, err := jsonl.Open(filepath.Join(home, "session_index.jsonl"))
	if err != nil {
		return names // no session was named yet
	}
	defer f.Close()
	data, whole, _ := jsonl.Tail(f, info.Size(), limit)
	jsonl.TailLines(data, whole, func(line []byte) {
		if id := member(line, "id"); agent.IsUUID(id) {
			names[id] = member(line, "thread_name")
		}
	})
	return names
}
