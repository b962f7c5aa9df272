package sidecar

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// mergeSettings lays an editor's settings over others. They come as the section itself or as {"sidefork": section}.
func (s *server) mergeSettings(under commands.Settings, origin string, raw json.RawMessage) (commands.Settings, error) {
	if section := at(raw, "sidefork"); section != nil {
		raw = section
	}
	merged, warnings, err := under.Merge(origin, raw)
	if err != nil {
		return under, err
	}
	for _, w := range warnings {
		s.log.Warn(w.In(locales.Of(merged.Language, s.client.locale)).Message)
	}
	return merged, nil
}

// configure takes workspace/didChangeConfiguration. What it says replaces what it said before; the user's own settings
// and the client's initializationOptions stay below it.
func (s *server) configure(params json.RawMessage) error {
	below, err := s.mergeSettings(s.opt.Settings, "initializationOptions", s.client.initOptions)
	if err != nil {
		below = s.opt.Settings // told at initialize
	}
	merged, err := s.mergeSettings(below, "didChangeConfiguration", at(params, "settings"))
	if err != nil {
		return err
	}
	s.useSettings(merged)
	return nil
}

// useSettings makes settings hold, under what is laid over all of them.
func (s *server) useSettings(settings commands.Settings) {
	settings = s.opt.Over(settings)
	s.mu.Lock()
	s.client.settings = settings
	s.mu.Unlock()
	s.levels(settings.Log.Level)
}

type folder struct {
	URI string `json:"uri"`
}

// foldersAtStart gives the client's folders as paths: workspaceFolders, else rootUri, else rootPath.
func foldersAtStart(params json.RawMessage) []string {
	var folders []folder
	if json.Unmarshal(at(params, "workspaceFolders"), &folders) == nil && len(folders) > 0 {
		return paths(folders)
	}
	var root string
	if json.Unmarshal(at(params, "rootUri"), &root) == nil && root != "" {
		return paths([]folder{{root}})
	}
	if json.Unmarshal(at(params, "rootPath"), &root) == nil && filepath.IsAbs(root) {
		return []string{filepath.Clean(root)}
	}
	return nil
}

func (s *server) changeFolders(params json.RawMessage) error {
	var p struct {
		Event struct {
			Added   []folder `json:"added"`
			Removed []folder `json:"removed"`
		} `json:"event"`
	}
	if err := json.Unmarshal(params, &p); err != nil {
		return err
	}
	gone, added := paths(p.Event.Removed), []string(nil)
	s.mu.Lock()
	var now []string
	for _, f := range s.client.folders {
		if !slices.Contains(gone, f) {
			now = append(now, f)
		}
	}
	for _, f := range paths(p.Event.Added) {
		if !slices.Contains(now, f) {
			now, added = append(now, f), append(added, f)
		}
	}
	s.client.folders = now
	s.mu.Unlock()
	s.recover(added)
	return nil
}

// recover takes back what a killed sidecar left in these folders, after the recovery that may be running. Commands that
// come from now on wait for it.
func (s *server) recover(folders []string) {
	if s.opt.Recover == nil {
		return
	}
	done := make(chan struct{})
	s.mu.Lock()
	before := s.recovered
	s.recovered = done
	env := s.env(s.client)
	s.mu.Unlock()
	env.Folders = folders
	s.background(func(ctx context.Context) {
		defer close(done)
		select {
		case <-before:
			s.opt.Recover(ctx, env)
		case <-ctx.Done():
		}
	})
}

// env is what a command gets to run in.
func (s *server) env(c client) *commands.Env {
	env := &commands.Env{
		Settings: c.settings, Folders: c.folders, Locale: c.locale, Getenv: s.opt.Getenv, Self: s.opt.Self, Log: s.log,
		Memory: &s.memory, Notify: s.notify, Background: s.background,
	}
	if c.workDoneProgress { // else nobody could cancel it
		env.Task = s.task
	}
	return env
}

// paths gives the folders that are on this machine, each once.
func paths(folders []folder) (list []string) {
	for _, f := range folders {
		if p, ok := pathOf(f.URI); ok && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// pathOf gives the path of a file URI. VS Code writes a Windows drive as c%3A; unsaved and remote folders have none.
func pathOf(uri string) (string, bool) {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return "", false
	}
	path := u.Path
	if runtime.GOOS == "windows" {
		if u.Host != "" && u.Host != "localhost" {
			path = "//" + u.Host + path
		} else {
			path = strings.TrimPrefix(path, "/")
		}
	} else if u.Host != "" && u.Host != "localhost" {
		return "", false
	}
	path = filepath.Clean(filepath.FromSlash(path))
	return path, filepath.IsAbs(path)
}

// sameMachine says whether the client's process id can be one of this machine. Over ssh it is the number of a process on
// the user's own machine, unless that process is one of those that started us.
func (s *server) sameMachine(pid int) bool {
	if s.opt.Getenv("SSH_CONNECTION") == "" || isAncestor(pid) {
		return true
	}
	s.file.Info("the editor's process is not watched: it is on another machine", zap.Int("pid", pid))
	return false
}

// watchEditor ends the server when the process has ended. One that cannot be found is not watched: the end of the input
// tells as well.
func (s *server) watchEditor(pid int) func(ctx context.Context) {
	return func(ctx context.Context) {
		err := waitForEnd(ctx, pid)
		switch {
		case err == nil:
			s.stop(errEditorGone)
		case errors.Is(err, context.Canceled):
		default:
			s.file.Info("the editor's process cannot be watched", zap.Int("pid", pid), zap.Error(err))
		}
	}
}
