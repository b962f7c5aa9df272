package sidecar

import (
	"encoding/json"
	"os"
	"runtime"
	"slices"
	"strings"

	"go.lsp.dev/protocol"
	"go.uber.org/zap"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/commands/locales"
)

// client is what the client told of itself. Copies share no memory that is written to.
type client struct {
	workDoneProgress bool // it lets us make progress tokens
	folders          []string
	locale           string
	initOptions      json.RawMessage
	settings         commands.Settings
	processID        int
	info             json.RawMessage // its name and version
}

// initialize reads what is used of the client's words and gives the answer. Every field is read by itself and ignored
// where it is not what LSP says: clients send an empty Lua table as [] and numbers as 123.0, and a field that nobody
// needs must not keep an editor out.
func (s *server) initialize(params json.RawMessage) any {
	var c client
	_ = json.Unmarshal(at(params, "capabilities", "window", "workDoneProgress"), &c.workDoneProgress)
	_ = json.Unmarshal(at(params, "processId"), &c.processID)
	_ = json.Unmarshal(at(params, "locale"), &c.locale)
	if c.locale == "" { // Neovim sends none
		c.locale = locales.OfEnvironment(s.opt.Getenv)
	}
	var trace protocol.TraceValue
	_ = json.Unmarshal(at(params, "trace"), &trace)
	c.initOptions = at(params, "initializationOptions")
	c.folders = foldersAtStart(params)
	c.settings = s.opt.Over(s.opt.Settings)

	c.info = at(params, "clientInfo")

	s.mu.Lock()
	s.client, s.state = c, running
	s.mu.Unlock()
	s.setTrace(trace)
	return s.capabilities()
}

// initialized goes on after the answer was sent, and before the next message is read, with whatever the client need not
// wait for: signals are caught before a command can run, and from now on the client may hear of what is wrong with its
// settings.
func (s *server) initialized() {
	stopOnSignals(s.served, s.kill, s.stop)
	s.openToClient()
	c := s.client
	s.file.Info("initialize", zap.Strings("folders", c.folders), zap.Int("processId", c.processID),
		zap.ByteString("client", c.info), zap.String("version", s.opt.Version))
	merged, err := s.mergeSettings(s.opt.Settings, "initializationOptions", c.initOptions)
	if err != nil {
		s.log.Warn("initializationOptions were ignored", zap.Error(err))
	}
	s.useSettings(merged)
	s.recover(c.folders)
	if pid := c.processID; pid > 0 && s.sameMachine(pid) {
		s.background(s.watchEditor(pid))
	}
}

type capabilities struct {
	ServerInfo   protocol.ServerInfo `json:"serverInfo"`
	Capabilities struct {
		ExecuteCommand struct {
			Commands         []string `json:"commands"`
			WorkDoneProgress bool     `json:"workDoneProgress"`
		} `json:"executeCommandProvider"`
		Workspace    protocol.ServerCapabilitiesWorkspace `json:"workspace"`
		Experimental struct {
			InteractiveResolve struct {
				Kinds []string `json:"kinds"`
			} `json:"interactiveResolveProvider"`
			Sidefork contract `json:"sidefork"`
		} `json:"experimental"`
	} `json:"capabilities"`
}

// contract is the sidefork part of the answer: a client offers only what Features names.
type contract struct {
	Contract int                  `json:"contract"`
	Platform string               `json:"platform"`
	Cwd      string               `json:"cwd,omitempty"` // where it was started: a client on another machine means its paths from there
	Features []string             `json:"features"`
	Agents   map[string]agentFork `json:"agents"`
}

type agentFork struct {
	Fork string `json:"fork"` // native, transcript
}

func (s *server) capabilities() any {
	var a capabilities
	a.ServerInfo = protocol.ServerInfo{Name: "sidefork", Version: s.opt.Version}
	for _, c := range s.opt.Commands {
		a.Capabilities.ExecuteCommand.Commands = append(a.Capabilities.ExecuteCommand.Commands, c.Name)
	}
	a.Capabilities.ExecuteCommand.WorkDoneProgress = true
	a.Capabilities.Workspace.WorkspaceFolders = &protocol.ServerCapabilitiesWorkspaceFolders{Supported: true, ChangeNotifications: true}
	own := contract{Contract: 1, Platform: runtime.GOOS, Features: s.features(), Agents: map[string]agentFork{}}
	own.Cwd, _ = os.Getwd() // one that is gone is not told
	if s.opt.Agents != nil {
		for name, kind := range s.opt.Agents() {
			own.Agents[name] = agentFork{kind}
		}
	}
	a.Capabilities.Experimental.InteractiveResolve.Kinds = []string{"command"}
	a.Capabilities.Experimental.Sidefork = own
	return a
}

// features names what this sidecar can do: each command of the table, and the options' own.
func (s *server) features() []string {
	features := []string{}
	for _, c := range s.opt.Commands {
		if name, ok := strings.CutPrefix(c.Name, "sidefork."); ok {
			features = append(features, name)
		}
	}
	for _, name := range s.opt.Features {
		if !slices.Contains(features, name) {
			features = append(features, name)
		}
	}
	return features
}

// at digs a value out of nested objects; nil where there is none, or something on the way is no object.
func at(raw json.RawMessage, path ...string) json.RawMessage {
	for _, name := range path {
		var object map[string]json.RawMessage
		if json.Unmarshal(raw, &object) != nil {
			return nil
		}
		raw = object[name]
	}
	return raw
}

// setTrace sets which log lines the client sees. The library spells "messages" wrong.
func (s *server) setTrace(value protocol.TraceValue) {
	switch {
	case value == protocol.TraceVerbose:
		s.clientLevel(zap.DebugLevel)
	case strings.HasPrefix(string(value), string(protocol.TraceMessage)):
		s.clientLevel(zap.InfoLevel)
	default:
		s.clientLevel(zap.WarnLevel)
	}
}
