package commands

import (
	"time"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/sessions/agent"
)

// The shapes of docs/contract.md, "Shapes": what is said on the wire and printed by --json. Fields may be added, none
// renamed or dropped.

// Workspace is a worktree as an editor shows it.
type Workspace struct {
	Path       string   `json:"path"`
	Name       string   `json:"name"`
	Branch     string   `json:"branch"`
	Head       string   `json:"head"`
	Parent     *string  `json:"parent"`
	Depth      int      `json:"depth"`
	Main       bool     `json:"main"`
	Detached   bool     `json:"detached"`
	Locked     bool     `json:"locked"`
	Archived   bool     `json:"archived"`
	Missing    bool     `json:"missing"`
	AgentsLive int      `json:"agentsLive"`
	Fork       Forkable `json:"fork"`
}

// Forkable says whether a workspace's entry is shown, enabled, and why not.
type Forkable struct {
	Allowed bool    `json:"allowed"`
	Hidden  bool    `json:"hidden"`
	Reason  *Reason `json:"reason,omitempty"`
}

// Repository is one repository with its workspaces in tree order.
type Repository struct {
	Root          string      `json:"root"`
	GitDir        string      `json:"gitDir"`
	DefaultBranch string      `json:"defaultBranch"`
	Workspaces    []Workspace `json:"workspaces"`
}

// Session is one conversation of an agent.
type Session struct {
	Agent        string      `json:"agent"`
	ID           string      `json:"id"`
	Title        string      `json:"title"`
	FirstPrompt  string      `json:"firstPrompt"`
	Cwd          string      `json:"cwd"`
	Workspace    *string     `json:"workspace"`
	Branch       string      `json:"branch"`
	StartedAt    *time.Time  `json:"startedAt"`
	LastActivity *time.Time  `json:"lastActivity"`
	State        agent.State `json:"state"`
	Status       string      `json:"status,omitempty"`
	PID          int         `json:"pid,omitempty"`
	Source       string      `json:"source"`
	Home         string      `json:"home,omitempty"`
	Parent       *agent.ID   `json:"parent,omitempty"`
	Fork         SessionFork `json:"fork"`

	Forecast *agent.Forecast `json:"forecast,omitempty"` // what a fork sends again
}

// Turn is what began a turn of a session, and all up to the next. A fork at it knows nothing that was said later.
type Turn struct {
	ID       string          `json:"id"`
	At       *time.Time      `json:"at"`
	Role     string          `json:"role"` // user, compaction
	Text     string          `json:"text"` // the first words
	Forecast *agent.Forecast `json:"forecast,omitempty"`
	Reason   *Reason         `json:"reason,omitempty"` // why no fork can begin there
}

// TurnsResult are the turns of a session, oldest first.
type TurnsResult struct {
	Turns []Turn `json:"turns"`
}

// SessionFork says how a session can be forked in the workspace that was asked about.
type SessionFork struct {
	Kind   string  `json:"kind"` // native, transcript, none
	Reason *Reason `json:"reason,omitempty"`
}

// Changes count a workspace's uncommitted work, each path once.
type Changes struct {
	Modified   int          `json:"modified"`
	New        int          `json:"new"`
	Staged     int          `json:"staged"`
	Conflicted int          `json:"conflicted"`
	Bytes      int64        `json:"bytes"`
	Left       []carry.Left `json:"left"`
}

// Inspection is all that a dialog needs, read in one round trip.
type Inspection struct {
	Workspace     Workspace `json:"workspace"`
	SuggestedName string    `json:"suggestedName"`
	Sessions      []Session `json:"sessions"`
	Preselected   *agent.ID `json:"preselected,omitempty"`
	Changes       Changes   `json:"changes"`
	Carry         struct {
		Available bool    `json:"available"`
		Reason    *Reason `json:"reason,omitempty"`
	} `json:"carry"`
	Base struct {
		Head              string `json:"head"`
		Branch            string `json:"branch"`
		RepositoryDefault string `json:"repositoryDefault"`
	} `json:"base"`
	Setup        *SetupInfo `json:"setup"`
	SetupProblem *Reason    `json:"setupProblem,omitempty"` // why what there is cannot be read as one
}

// SetupInfo is a repository's setup, as the dialog shows it before anything runs.
type SetupInfo struct {
	Source   string   `json:"source"`
	Commands []string `json:"commands"`
	Hash     string   `json:"hash"`
	Trusted  bool     `json:"trusted"`
	Policy   string   `json:"policy"`             // run, ask, skip
	Teardown []string `json:"teardown,omitempty"` // those of the commands that run before a workspace's folder goes
	// Difference is a unified diff of what the hash covers, from what was approved last in this repository; "" where this
	// setup is trusted, or none was before.
	Difference string `json:"difference,omitempty"`
}

// Base says which commit a child starts from.
type Base struct {
	Kind string `json:"kind"` // parentCommit, ref, repositoryDefault
	Ref  string `json:"ref,omitempty"`
}

// SetupChoice is the user's word on the repository's setup.
type SetupChoice struct {
	Decision string `json:"decision"` // run, skip
	Hash     string `json:"hash,omitempty"`
}

// Transcript is what a terminal showed, for an agent without a fork of its own.
type Transcript struct {
	Agent string `json:"agent"`
	Text  string `json:"text"`
}

// ForkParams ask for a fork. decodeFork gives the defaults.
type ForkParams struct {
	OperationID    string       `json:"operationId"`
	Workspace      string       `json:"workspace"`
	Name           string       `json:"name"`
	Dir            string       `json:"dir,omitempty"`
	Session        *agent.ID    `json:"session"`
	Child          *bool        `json:"child,omitempty"`
	Carry          *bool        `json:"carry,omitempty"`
	OnCarryFailure string       `json:"onCarryFailure,omitempty"`
	Staged         string       `json:"staged,omitempty"`
	Include        []string     `json:"include,omitempty"`
	Base           *Base        `json:"base,omitempty"`
	Setup          *SetupChoice `json:"setup,omitempty"`
	Prompt         string       `json:"prompt,omitempty"`
	At             string       `json:"at,omitempty"`
	Launch         string       `json:"launch,omitempty"`
	Copies         int          `json:"copies,omitempty"`
	Worktree       *Where       `json:"worktree,omitempty"`
	OnDisconnect   string       `json:"onDisconnect,omitempty"`
	Transcript     *Transcript  `json:"transcript,omitempty"`
}

// ForkResult is what a fork has made.
type ForkResult struct {
	Status    string       `json:"status"` // completed, cancelled
	Workspace *Workspace   `json:"workspace,omitempty"`
	Session   *ForkSession `json:"session,omitempty"`
	Launch    *Launch      `json:"launch,omitempty"`
	Draft     string       `json:"draft,omitempty"`
	Carried   *CarryResult `json:"carried,omitempty"`
	Setup     *SetupResult `json:"setup,omitempty"`
	Terminals []Terminal   `json:"terminals,omitempty"`
	Copies    []ForkCopy   `json:"copies,omitempty"` // of a fork that asked for several, which has none of the above
	Warnings  []Warning    `json:"warnings"`
}

// ForkCopy is one of several children: what a fork alone would answer, or why it was not made.
type ForkCopy struct {
	*ForkResult
	Name  string   `json:"name"` // the branch
	Error *Failure `json:"error,omitempty"`
}

// ForkSession is the child's conversation. ID is absent only while it cannot be known.
type ForkSession struct {
	Agent  string   `json:"agent"`
	ID     string   `json:"id,omitempty"`
	Parent agent.ID `json:"parent,omitzero"` // absent where the child was given a text of the client's
}

// Launch is how the child's agent is started, or with Tmux alone, where it has been.
type Launch struct {
	Argv        []string           `json:"argv,omitempty"`
	Cwd         string             `json:"cwd,omitempty"`
	Env         map[string]*string `json:"env,omitzero"`
	Unset       []string           `json:"unset,omitempty"` // the names that Env takes away, for clients whose JSON loses a null
	Trust       agent.Trust        `json:"trust,omitempty"` // inherited, given, asks; "" where that is not known
	CommandLine CommandLine        `json:"commandLine,omitzero"`
	Tmux        string             `json:"tmux,omitempty"` // the session's name in our server: sidefork attach NAME
}

// CommandLine is the launch's argv quoted for a shell, folder and environment included.
type CommandLine struct {
	POSIX      string `json:"posix"`
	PowerShell string `json:"powershell"`
	Cmd        string `json:"cmd"`
}

// SetupResult is what became of the setup. Tail is the end of what it printed, where it failed.
type SetupResult struct {
	Ran      bool   `json:"ran"`
	Running  bool   `json:"running,omitempty"` // beside the agent: its end is told by sidefork/setup
	ExitCode *int   `json:"exitCode,omitempty"`
	Log      string `json:"log,omitempty"`
	Tail     string `json:"tail,omitempty"`
}

// Terminal is one of the repository's default terminals, for the client to open. CommandLine is as the repository has it,
// for the user's shell; "" where it was not approved.
type Terminal struct {
	Title       string `json:"title"`
	Cwd         string `json:"cwd"`
	CommandLine string `json:"commandLine,omitempty"`
}

// Warning is something to know about a fork that stands.
type Warning struct {
	Code    string            `json:"code"`
	Message string            `json:"message"`
	Remedy  string            `json:"remedy,omitempty"`
	Detail  string            `json:"detail,omitempty"`
	Args    map[string]string `json:"args,omitempty"` // as in Reason
}

// CarryParams ask for a carry between two existing workspaces.
type CarryParams struct {
	OperationID string   `json:"operationId"`
	From        string   `json:"from"`
	To          string   `json:"to"`
	Staged      string   `json:"staged,omitempty"`
	Include     []string `json:"include,omitempty"`
	Paths       []string `json:"paths,omitempty"`
	IntoParent  bool     `json:"intoParent,omitempty"` // to is the workspace that from was forked from, and that is meant
	DryRun      bool     `json:"dryRun,omitempty"`     // answer with a Plan, and write nothing
}

// CarryResult is said only after both sides were proved equal or, with Merged, what came was proved to be there.
type CarryResult struct {
	Status string `json:"status"` // carried, cancelled
	carry.Numbers
	Left     []carry.Left `json:"left"`
	Verified bool         `json:"verified"`
	Merged   bool         `json:"merged,omitempty"`   // into a target at another commit
	Warnings []Warning    `json:"warnings,omitempty"` // of a carry; those of a fork are the fork's
}

// Plan is what a fork, or a carry with dryRun, would do. What a refusal leaves open is absent: the numbers too, where nobody
// has counted.
type Plan struct {
	*carry.Numbers
	Files     []carry.File  `json:"files"`
	Left      []carry.Left  `json:"left"`
	Refusals  []Reason      `json:"refusals"`
	Commands  [][]string    `json:"commands"` // git's, then the agent's
	Workspace string        `json:"workspace,omitempty"`
	Name      string        `json:"name,omitempty"`   // the child's branch
	Dir       string        `json:"dir,omitempty"`    // the child's folder, or the target's
	Copies    []PlannedCopy `json:"copies,omitempty"` // of a fork that asks for several; name, dir, launch and the commands after git's are the first one's
	Base      string        `json:"base,omitempty"`   // the object id that it starts from, or is at
	Session   *Session      `json:"session,omitempty"`
	Launch    *Launch       `json:"launch,omitempty"`

	Forecast *agent.Forecast `json:"forecast,omitempty"` // what the fork sends again, as far as that is recorded

	Setup    *SetupInfo `json:"setup,omitempty"` // of a fork: what its decision is to be about
	Warnings []Warning  `json:"warnings"`
}

// PlannedCopy is one of several children.
type PlannedCopy struct {
	Name string `json:"name"`
	Dir  string `json:"dir"`
}

// SetupParams are those of the notification sidefork/setup: the setup that ran beside a fork's agent has ended.
type SetupParams struct {
	OperationID string      `json:"operationId"`
	Workspace   string      `json:"workspace"` // the child, of which a call may have made several
	Setup       SetupResult `json:"setup"`
	Warning     *Warning    `json:"warning,omitempty"` // why it did not end as it should
}

// StartedParams are those of the notification sidefork/started: the fork's agent was seen to be up, or (with Warning) it
// was not within its time, has failed, waits for an answer, or did not get its draft, which is then here.
type StartedParams struct {
	OperationID string    `json:"operationId"`
	Workspace   string    `json:"workspace"` // the child, of which a call may have made several
	Session     *agent.ID `json:"session,omitempty"`
	PID         int       `json:"pid,omitempty"`
	Warning     *Warning  `json:"warning,omitempty"`
	Draft       string    `json:"draft,omitempty"`
}
