package agent

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/sidefork/sidefork/sessions/seen"
)

// Within says whether the folder cwd is top or lies below it. Both are absolute paths, compared as they are written:
// agents record the physical one.
func Within(top, cwd string) bool {
	if !filepath.IsAbs(cwd) || !filepath.IsAbs(top) {
		return false
	}
	top, cwd = filepath.Clean(top), filepath.Clean(cwd)
	if !strings.HasSuffix(top, string(filepath.Separator)) { // as "/" has
		top += string(filepath.Separator)
	}
	return strings.HasPrefix(cwd+string(filepath.Separator), top)
}

// WithinAny says whether cwd lies in one of tops; for nil tops every cwd does, also one that is not known.
func WithinAny(tops []string, cwd string) bool {
	return tops == nil || slices.ContainsFunc(tops, func(top string) bool { return Within(top, cwd) })
}

// FindHomes gives an agent's account folders: folder below the user's home, what the variable names, and what the user
// configured ("~/…" is below the user's home; a relative path names nothing). Two paths of one physical folder are one
// home, under the path that comes first in the order variable, default, configured.
func FindHomes(env func(string) string, variable, folder string, configured []string) Homes {
	user := env("HOME")
	if runtime.GOOS == "windows" {
		user = env("USERPROFILE")
	}
	var homes Homes
	var seen []string
	add := func(path string) (string, bool) {
		if rest, ok := strings.CutPrefix(path, "~/"); ok && user != "" {
			path = filepath.Join(user, rest)
		}
		if !filepath.IsAbs(path) {
			return "", false
		}
		path = filepath.Clean(path)
		physical, err := filepath.EvalSymlinks(path)
		if err != nil {
			physical = path
		}
		if slices.Contains(seen, physical) {
			return "", false
		}
		seen = append(seen, physical)
		return path, true
	}
	if path, ok := add(env(variable)); ok {
		homes.Others = append(homes.Others, path)
	}
	if user != "" {
		if path, ok := add(filepath.Join(user, folder)); ok {
			homes.Default = path
		}
	}
	for _, path := range configured {
		if path, ok := add(path); ok {
			homes.Others = append(homes.Others, path)
		}
	}
	return homes
}

// All gives every home, the default one first.
func (h Homes) All() []string {
	if h.Default == "" {
		return h.Others
	}
	return append([]string{h.Default}, h.Others...)
}

// Pin is the difference of environment that makes an agent use home: the variable set, or removed where home is the
// default (an agent may look elsewhere for its settings when the variable names the default folder).
func Pin(s Session) *string {
	if s.DefaultHome {
		return nil
	}
	home := s.Home
	return &home
}

// IsUUID says whether id is a whole UUID in lower case, as agents write it.
func IsUUID(id string) bool {
	const shape = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx"
	if len(id) != len(shape) {
		return false
	}
	for i := range len(id) {
		c := id[i]
		if hex := '0' <= c && c <= '9' || 'a' <= c && c <= 'f'; shape[i] == 'x' && !hex || shape[i] == '-' && c != '-' {
			return false
		}
	}
	return true
}

// Problems are files that could not be read, as a list names them.
func Problems(failed []seen.Failure) (problems []Problem) {
	for _, f := range failed {
		problems = append(problems, Problem{Source: f.Path, Message: f.Err.Error()})
	}
	return problems
}

// IsFolder says whether a folder is there.
func IsFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}
