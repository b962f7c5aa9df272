// Package pi knows the store of sessions of pi (@earendil-works/pi-coding-agent): which there are, and how one is forked.
//
// A session is the file <home>/sessions/--<folder, with dashes>--/<ISO time>_<session id>.jsonl, where home is
// $PI_CODING_AGENT_DIR or ~/.pi/agent. A folder for sessions that the user chose ($PI_CODING_AGENT_SESSION_DIR, or
// sessionDir in <home>/settings.json) holds such files without folders between. They are read and never written. A fork's
// file is a whole copy. pi keeps no file of what runs, so that of a session whose agent may run nothing is claimed. All
// that is said here about files and flags was seen with pi 0.74.2.
package pi

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

const (
	name        = "pi"
	homeVar     = "PI_CODING_AGENT_DIR"
	sessionsVar = "PI_CODING_AGENT_SESSION_DIR"
)

// Agent is pi's line in the table of agents.
func Agent() agent.Agent {
	return agent.Agent{
		Name: name, Program: "pi", Package: "@earendil-works/pi-coding-agent", Variable: "PI_CODING_AGENT_DIR", Resumes: resumes, Resume: resume, Oldest: agent.Version{0, 74, 2},
		Valid: agent.IsUUID, Homes: homes, List: list, Find: find, Fork: fork, AwaitStart: awaitStart,
	}
}

// homes are the account folders, and the sessions' own folder where the environment names one: that is a home of which
// only the sessions are known.
func homes(env func(string) string, configured []string) agent.Homes {
	expand := func(name string) string {
		path := env(name)
		if rest, ok := strings.CutPrefix(path, "~/"); ok || path == "~" { // pi takes it, a shell need not have
			path = filepath.Join(env("HOME"), rest)
		}
		return path
	}
	if flat := expand(sessionsVar); flat != "" {
		configured = append([]string{flat}, configured...)
	}
	return agent.FindHomes(expand, homeVar, filepath.Join(".pi", "agent"), configured)
}

// settingsLimit bounds a settings file, in bytes.
const settingsLimit = 1 << 20

// chosenFolder is the sessions' folder that a home's settings name, "" for none. A relative one is another in each
// folder that pi is started in; it is passed over.
func chosenFolder(home string) string {
	text, err := jsonl.Small(filepath.Join(home, "settings.json"), settingsLimit)
	if err != nil {
		return ""
	}
	var settings struct {
		SessionDir string `json:"sessionDir"`
	}
	if json.Unmarshal(text, &settings) != nil {
		return ""
	}
	path := settings.SessionDir
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		user, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		path = filepath.Join(user, rest)
	}
	if !filepath.IsAbs(path) {
		return ""
	}
	return filepath.Clean(path)
}

// folderName is the name of the folder for the sessions of cwd. It cannot be turned back, and different paths share a
// name: only line 1 of a session says where it belongs.
func folderName(cwd string) string { return "--" + dashes(cwd) + "--" }

func dashes(path string) string {
	path = strings.TrimLeft(path[:min(len(path), 1)], `/\`) + path[min(len(path), 1):]
	return strings.NewReplacer("/", "-", `\`, "-", ":", "-").Replace(path)
}

// mayHold says whether a folder can hold sessions that were started in top or below it.
func mayHold(folder, top string) bool {
	top = filepath.Clean(top)
	below := dashes(strings.TrimSuffix(top, string(filepath.Separator)) + string(filepath.Separator))
	return folder == folderName(top) || strings.HasPrefix(folder, "--"+below)
}

// idOf is the id in the name of a session's file, "" for the name of anything else.
func idOf(path string) string {
	base, ok := strings.CutSuffix(filepath.Base(path), ".jsonl")
	_, id, found := strings.Cut(base, "_")
	if !ok || !found || !agent.IsUUID(id) {
		return ""
	}
	return id
}
