package sessions

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

// storedFor is how long what a program said is believed in a file. A shim of a version manager is the same file whichever
// version it starts, so that nothing may be believed for ever.
const storedFor = 24 * time.Hour

// Versions remembers what programs said of themselves: of one that has not changed since, it is not asked again. The zero
// Versions is ready; it may be used by several goroutines.
type Versions struct {
	mu    sync.Mutex
	known map[build]answer
	read  bool // the file was
}

// build is a program's file as it was when it was asked.
type build struct {
	path    string // as it is started: a version manager's one shim has several
	target  string // the physical one
	size    int64
	changed int64 // nanoseconds since 1970
}

// answer is a version, and when it was said.
type answer struct {
	version agent.Version
	at      time.Time
	stored  bool // read from the file: it may be another process's, and old
}

// remembered is an answer as the file has it.
type remembered struct {
	Path    string        `json:"path"`
	Target  string        `json:"target"`
	Size    int64         `json:"size"`
	Changed int64         `json:"changed"`
	Version agent.Version `json:"version"`
	At      time.Time     `json:"at"`
}

// get gives what is known of a program, from file too where that is not "".
func (v *Versions) get(file string, b build) (answer, bool) {
	if v == nil {
		return answer{}, false
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[build]answer{}
	}
	if !v.read && file != "" {
		v.read = true
		for key, old := range readVersions(file) {
			if _, there := v.known[key]; !there {
				v.known[key] = old
			}
		}
	}
	known, there := v.known[b]
	return known, there && !(known.stored && time.Since(known.at).Abs() > storedFor)
}

// put remembers what a program said, in file too where that is not "". It need not be kept: one that cannot be written is
// left as it is.
func (v *Versions) put(file string, b build, said agent.Version) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.known == nil {
		v.known = map[build]answer{}
	}
	for other := range v.known {
		if other.path == b.path {
			delete(v.known, other) // as it was before
		}
	}
	v.known[b] = answer{version: said, at: time.Now()}
	if file != "" {
		all := readVersions(file) // another process may have written meanwhile
		maps.DeleteFunc(all, func(other build, _ answer) bool { return other.path == b.path })
		all[b] = v.known[b]
		_ = writeVersions(file, all)
	}
}

// forget drops what is known of a program.
func (v *Versions) forget(b build) {
	if v == nil {
		return
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.known, b)
}

// readVersions reads what was stored and is still to be believed. What cannot be read is nothing.
func readVersions(file string) map[build]answer {
	const limit = 64 << 10
	found := map[build]answer{}
	data, err := jsonl.Small(file, limit)
	var list []remembered
	if err != nil || json.Unmarshal(data, &list) != nil {
		return found
	}
	for _, r := range list {
		if time.Since(r.At).Abs() <= storedFor {
			found[build{r.Path, r.Target, r.Size, r.Changed}] = answer{version: r.Version, at: r.At, stored: true}
		}
	}
	return found
}

func writeVersions(file string, all map[build]answer) error {
	var list []remembered
	for b, a := range all {
		list = append(list, remembered{Path: b.path, Target: b.target, Size: b.size, Changed: b.changed, Version: a.version, At: a.at.UTC()})
	}
	text, err := json.Marshal(list)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	temp, err := os.CreateTemp(filepath.Dir(file), ".versions-*") // 0600
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name()) // not there any more where all went well
	_, err = temp.Write(append(text, '\n'))
	if err = errors.Join(err, temp.Close()); err != nil {
		return err
	}
	return os.Rename(temp.Name(), file)
}

// usable is the version of a program that can fork. Refused: agentNotInstalled, agentTooOld, agentProbeFailed. That it
// cannot is never said from memory: it may have been updated in a way that its file does not show.
func (c Config) usable(ctx context.Context, a agent.Agent, program string) (agent.Version, error) {
	v, remembered, err := c.version(ctx, a, program)
	if err == nil && remembered && v.Before(a.Oldest) {
		if b, err := buildOf(program); err == nil {
			c.Versions.forget(b)
		}
		v, _, err = c.version(ctx, a, program)
	}
	if err == nil && v.Before(a.Oldest) {
		err = agent.Refuse("agentTooOld", "agent", a.Name, "version", v.String())
	}
	return v, err
}

// version asks a program for its version, unless it is remembered.
func (c Config) version(ctx context.Context, a agent.Agent, program string) (v agent.Version, remembered bool, err error) {
	asked, err := buildOf(program)
	if err != nil {
		return v, false, agent.Refuse("agentNotInstalled", "agent", a.Name)
	}
	file := ""
	if c.State != "" {
		file = filepath.Join(c.State, "versions.json")
	}
	if known, there := c.Versions.get(file, asked); there {
		return known.version, true, nil
	}
	said, err := c.ask(ctx, program)
	found, ok := agent.ParseVersion(said)
	if err != nil || !ok {
		if ctx.Err() != nil {
			return v, false, ctx.Err()
		}
		no := agent.Refuse("agentProbeFailed", "agent", a.Name)
		if no.Detail = said; err != nil {
			no.Detail = err.Error() + "\n" + said
		}
		return v, false, no
	}
	c.Versions.put(file, asked, found)
	return found, false, nil
}

func buildOf(program string) (build, error) {
	physical, err := filepath.EvalSymlinks(program)
	if err != nil {
		return build{}, err
	}
	info, err := os.Stat(physical)
	if err != nil {
		return build{}, err
	}
	return build{path: program, target: physical, size: info.Size(), changed: info.ModTime().UnixNano()}, nil
}
