// Package agent has the shapes that every agent's folder under sessions/ answers with: a session, a launch, a refusal.
// It knows no agent.
package agent

import (
	"context"
	"io"
	"time"

	"github.com/sidefork/sidefork/sessions/process"
	"github.com/sidefork/sidefork/sessions/seen"
)

// ID names one conversation: the agent and the agent's own id.
type ID struct {
	Agent string `json:"agent"`
	ID    string `json:"id"`
}

// State says whether a session runs. Unknown is a state of its own and never shown as Ended.
type State string

// The states of a session.
const (
	Live    State = "live"
	Ended   State = "ended"
	Unknown State = "unknown"
)

// What a live session does: it waits for its person's next word, or works. (Claude Code also says "waiting", for leave.)
const (
	Idle = "idle"
	Busy = "busy"
)

// Session is one conversation as its store tells it. Text fields are as stored: whoever prints them strips control
// characters.
type Session struct {
	ID           ID
	Title        string
	FirstPrompt  string
	Cwd          string // the folder it was started in, as recorded
	Branch       string
	StartedAt    time.Time
	LastActivity time.Time
	State        State
	Status       string    // idle, busy, waiting; "" where the agent does not say
	PID          int       // of the live process; 0 where there is none or it cannot be known
	Source       string    // the transcript's absolute path
	Home         string    // the agent's account folder that holds it
	DefaultHome  bool      // Home is where the agent looks with no variable set
	Parent       *ID       // the session it was forked from, where the store tells
	Forecast     *Forecast // nil where it is not known
	NotForkable  *Refusal  // why it cannot be forked natively; nil where it can
	// Recorded says that this is what the terminal of an agent showed (sessions/terminal): a fork is given that as a draft.
	Recorded bool
}

// Problem is a file or folder of a store that could not be read; never fatal to a list.
type Problem struct {
	Source  string `json:"source"`
	Message string `json:"message"`
}

// Homes are an agent's account folders to look in, each once. Default is the one that the agent uses with no variable
// set; "" where that cannot be told, or where a variable names it expressly.
type Homes struct {
	Default string
	Others  []string
}

// Launch is how a fork's agent is started: no shell in between.
type Launch struct {
	Argv []string
	Cwd  string
	// Env holds only differences to whatever environment the agent is started in: a value to set, nil to remove.
	Env map[string]*string
	// Session is the child's id where it can be known beforehand; ID.ID is "" where it cannot.
	Session ID
	Parent  ID
	// Prepared is when the launch was made: an agent that AwaitStart sees is younger.
	Prepared time.Time
	// Forecast is what the fork sends again; nil where it is not known. PrepareLaunch fills it in for a fork of all.
	Forecast *Forecast
	// Trust says whether the agent will ask whether it may work in the child; "" where that is not known, or it never asks.
	Trust Trust
	// Import has to be done before Argv is started; nil where the agent makes the fork as it starts.
	Import *Import
	// Draft is a text for the agent's prompt that is not to be sent: all that a fresh agent gets of its parent.
	Draft string
}

// Trust is what an agent that asks whether a folder is to be trusted makes of a child.
type Trust string

// What an agent makes of a child. sidefork never writes into an agent's settings, and gives no more than the parent has.
const (
	Inherited Trust = "inherited" // the agent trusts the whole repository, or the child's own folder already
	Given     Trust = "given"     // it trusts the parent, and is told by its own argument to trust the child for this start
	Asks      Trust = "asks"      // it will ask the person
)

// Repository is how agents know one that they trust.
type Repository struct {
	Path string // the main checkout's physical top level, or the bare repository itself; "" where that is not known
	Bare bool
	// Parent is the physical top level of the workspace that is forked.
	Parent string
}

// Import is what has to be done for a fork before its agent starts: one of a conversation that the agent's program is to
// store (Content), of words with the program (Talk), of a file to be written (Copy).
type Import struct {
	Argv []string // the program; of Content with the path of a file behind it that holds it; nil for Copy
	Env  map[string]*string

	Content []byte
	// Stored says whether the agent's store has all of the fork of that id; nil for Copy.
	Stored func(ctx context.Context, id string) error

	// Talk speaks to the program over its pipes, and gives the id of the fork that it has made. It stands in the launch's
	// argv for Pending.
	Talk func(to io.Writer, from io.Reader) (id string, err error)

	Copy *Copy
}

// Pending stands in an argv for an id that is known only when the fork is made.
const Pending = "NEW"

// Copy is the start of a transcript, for the agent to fork in place of the whole.
type Copy struct {
	From string
	Size int64  // bytes of From, which end at the end of a line
	To   string // in a folder of sidefork's own
}

// Turn is what began a turn of a conversation, and all up to the next.
type Turn struct {
	ID   string    // what ForkRequest.At takes
	At   time.Time // when it began; zero where that is not known
	Role string    // "user", or "compaction" where what was said before was summed up
	Text string    // its first words
	// Tokens is how large the conversation was with it, by the agent's own record; 0 where that is not known.
	Tokens int64
	// NotForkable is why no fork can begin behind it; nil where one can.
	NotForkable *Refusal
}

// TurnText bounds Turn.Text, in bytes.
const TurnText = 200

// Forecast is how much of a conversation a fork sends again.
type Forecast struct {
	Tokens int64  `json:"tokens"`
	Source string `json:"source"` // "lastAnswer": the usage that the agent has recorded for the last answer; "turn": for that of a turn
}

// ForkRequest asks for the launch of a fork of Parent in Child.
type ForkRequest struct {
	Parent  Session
	Child   string // absolute path of the child's top level
	Where   Repository
	Name    string  // what the child session is to be called
	Prompt  string  // first message in the fork; "" for none
	At      string  // the last turn that the fork is to know; "" for all
	State   string  // an absolute folder of sidefork's own, for what a fork needs until it has started; "" for none
	Program string  // absolute path of the agent's program
	Version Version // what the program said of itself
	// Arguments are the user's own, from the user's settings; they come between the program and the fork.
	Arguments []string
}

// LookAgain is how often AwaitStart looks at the agent's store.
const LookAgain = 200 * time.Millisecond

// Started is an agent that was seen to be up.
type Started struct {
	Session ID
	PID     int // 0 where it cannot be known
}

// Forecast is that of a fork at the turn; nil where it is not known.
func (t Turn) Forecast() *Forecast {
	if t.Tokens == 0 {
		return nil
	}
	return &Forecast{Tokens: t.Tokens, Source: "turn"}
}

// LastAnswer is the forecast by an agent's record of its last answer; nil for none.
func LastAnswer(tokens int64) *Forecast {
	if tokens == 0 {
		return nil
	}
	return &Forecast{Tokens: tokens, Source: "lastAnswer"}
}

// Agent is what an agent's folder offers. Functions read heads and tails of files, never whole stores, and write nothing.
type Agent struct {
	// Name is the word on the wire and Program the command a user types.
	Name, Program string
	// Oldest is the oldest version of the program that was seen to fork.
	Oldest Version
	// Valid says whether id has the shape of this agent's ids. No other id ever enters an argv.
	Valid func(id string) bool
	// Homes gives the account folders: the default one, the one that env names, and those the user configured.
	Homes func(env func(string) string, configured []string) Homes
	// List gives the sessions whose recorded folder lies in one of tops (absolute, physical), all of them for nil.
	// Subagents are left out. m remembers what was read before; nil: nothing.
	List func(ctx context.Context, m *seen.Memory, homes Homes, tops []string) ([]Session, []Problem)
	// Find gives the sessions of that id, at most one of each home, also what List leaves out.
	Find func(ctx context.Context, homes Homes, id string) ([]Session, []Problem)
	// Turns gives the turns of a session, oldest first; nil for an agent that cannot be forked at one. It is the one
	// function that reads a transcript whole.
	Turns func(ctx context.Context, s Session) ([]Turn, error)
	// Fork gives the launch of a fork of a session that can be forked. It needs nothing outside r but the session's store.
	Fork func(r ForkRequest) (Launch, error)
	// AwaitStart waits until the agent of a launch is seen to be up, or ctx ends.
	AwaitStart func(ctx context.Context, s Session, l Launch) (Started, error)
	// At says which of these processes, none of which has ended, have a session of homes open; several of one process are
	// several seats.
	At func(homes Homes, running []process.Process) []Seat
	// Variable names the account folder in the environment. Inherited are the variables that an agent gives to what it
	// starts and that one started from there must not have.
	Variable  string
	Inherited []string
	// Package is the program's package on npm: npx and its like start it by that name.
	Package string
	// Resumes says which sessions the program would write into with these arguments: their ids, "" for one that is not
	// named (the newest, one that is picked, one by its title). A fork is none of them. clear is false where words that
	// are not known may make it others.
	Resumes func(arguments []Word) (targets []string, clear bool)
	// Resume gives the arguments that take up a session in its own folder, and what is different in the environment.
	Resume func(s Session) (arguments []string, env map[string]*string)
}

// Seat is a process at a session.
type Seat struct {
	Process process.Process
	ID      string // the agent's own id of the session
	Home    string
	Certain bool // not only what stands nearby speaks for it
}

// Word is one word of a command line. One that is not Known may be any words or none.
type Word struct {
	Text  string
	Known bool
}

// Words are words that are known.
func Words(texts ...string) []Word {
	words := make([]Word, len(texts))
	for i, text := range texts {
		words[i] = Word{Text: text, Known: true}
	}
	return words
}

// Refusal is a session that cannot be forked, or an agent that cannot be used: Code and Args as in commands/reasons.go.
type Refusal struct {
	Code   string
	Args   map[string]string
	Detail string
}

func (r *Refusal) Error() string { return r.Code }

// ReasonCode, ReasonArgs and ReasonDetail are how commands reads any refusal, whoever refused.
func (r *Refusal) ReasonCode() string            { return r.Code }
func (r *Refusal) ReasonArgs() map[string]string { return r.Args }
func (r *Refusal) ReasonDetail() string          { return r.Detail }

// Refuse makes a Refusal from a code and name, value, name, value….
func Refuse(code string, args ...string) *Refusal {
	r := &Refusal{Code: code, Args: map[string]string{}}
	for i := 0; i+1 < len(args); i += 2 {
		r.Args[args[i]] = args[i+1]
	}
	return r
}
