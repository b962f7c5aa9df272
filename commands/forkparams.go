package commands

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/uuid"
)

// Where is "new", "same" or {"existing": path}.
type Where struct {
	Kind     string
	Existing string
}

// UnmarshalJSON reads the three forms.
func (w *Where) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(bytes.TrimSpace(b), []byte("{")) {
		var place struct {
			Existing string `json:"existing"`
		}
		if err := decode(b, &place); err != nil {
			return err
		}
		*w = Where{Kind: "existing", Existing: place.Existing}
		return nil
	}
	return json.Unmarshal(b, &w.Kind)
}

// MarshalJSON writes the three forms.
func (w Where) MarshalJSON() ([]byte, error) {
	if w.Kind == "existing" {
		return json.Marshal(map[string]string{"existing": w.Existing})
	}
	return json.Marshal(w.Kind)
}

// decodeFork reads a fork's argument and fills its defaults.
func decodeFork(argument json.RawMessage, env *Env) (ForkParams, error) {
	var p ForkParams
	if err := decode(argument, &p); err != nil {
		return p, err
	}
	if p.Workspace == "" && len(env.Folders) == 1 {
		p.Workspace = env.Folders[0]
	}
	fill(&p.OnCarryFailure, "rollback")
	fill(&p.Staged, "keep")
	fill(&p.Launch, "client")
	fill(&p.OnDisconnect, "rollback")
	if p.OperationID == "" {
		p.OperationID = uuid.NewString()
	}
	if p.Copies == 0 {
		p.Copies = 1
	}
	if p.Base == nil {
		p.Base = &Base{Kind: "parentCommit"}
	}
	if p.Worktree == nil {
		p.Worktree = &Where{Kind: "new"}
	}
	return p, p.check()
}

func (p ForkParams) check() error {
	checks := []error{
		required("workspace", p.Workspace),
		absolute("workspace", p.Workspace), absolute("dir", p.Dir),
		checkOperationID(p.OperationID), checkPatterns(p.Include),
		oneOf("onCarryFailure", p.OnCarryFailure, "rollback", "keep"),
		oneOf("staged", p.Staged, "keep", "unstage"),
		oneOf("launch", p.Launch, "client", "tmux", "none"),
		oneOf("onDisconnect", p.OnDisconnect, "rollback", "finish"),
		oneOf("worktree", p.Worktree.Kind, "new", "same", "existing"),
		oneOf("base.kind", p.Base.Kind, "parentCommit", "ref", "repositoryDefault"),
	}
	if p.Copies < 1 || p.Copies > maxCopies {
		checks = append(checks, refuse("invalidArgument", "what", "copies is not 1 to 16"))
	}
	if (p.Base.Kind == "ref") != (p.Base.Ref != "") {
		checks = append(checks, refuse("invalidArgument", "what", `base.ref belongs to base.kind "ref"`))
	}
	if len(p.Include) > 0 && p.Carry != nil && !*p.Carry {
		checks = append(checks, refuse("invalidArgument", "what", "include needs the changes, and carry is false"))
	}
	if p.Setup != nil {
		checks = append(checks, oneOf("setup.decision", p.Setup.Decision, "run", "skip"))
		if p.Setup.Decision == "skip" && p.Setup.Hash != "" {
			checks = append(checks, refuse("invalidArgument", "what", `setup.hash belongs to setup.decision "run"`))
		}
	}
	if p.At != "" && p.Session == nil {
		checks = append(checks, refuse("invalidArgument", "what", "at is a turn of a session, and there is none"))
	}
	if p.Session != nil {
		checks = append(checks, required("session.agent", p.Session.Agent, "session.id", p.Session.ID))
	}
	if p.Transcript != nil {
		checks = append(checks, required("transcript.agent", p.Transcript.Agent, "transcript.text", strings.TrimSpace(p.Transcript.Text)))
		if p.Session != nil {
			checks = append(checks, refuse("invalidArgument", "what", "session and transcript exclude each other"))
		}
	}
	for _, err := range checks {
		if err != nil {
			return err
		}
	}
	return p.checkWhere()
}

func fill(field *string, standard string) {
	if *field == "" {
		*field = standard
	}
}

// absolute refuses a relative path: a sidecar's working folder is nobody's business.
func absolute(field, path string) error {
	if path != "" && !filepath.IsAbs(path) || strings.ContainsRune(path, 0) {
		return refuse("invalidArgument", "what", field+" is not an absolute path: "+path)
	}
	return nil
}

// checkPatterns refuses what is not one line of a .gitignore.
func checkPatterns(patterns []string) error {
	for _, pattern := range patterns {
		if strings.TrimSpace(pattern) == "" || strings.ContainsAny(pattern, "\x00\r\n") {
			return refuse("invalidArgument", "what", "include has a pattern that is not one line of text: "+strconv.Quote(pattern))
		}
	}
	return nil
}

func checkOperationID(id string) error {
	if _, err := uuid.Parse(id); err != nil || len(id) != 36 {
		return refuse("invalidArgument", "what", "operationId is not a UUID: "+id)
	}
	return nil
}
