package remote

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/sidefork/sidefork/commands"
	"github.com/sidefork/sidefork/sidecar/client"
	"github.com/sidefork/sidefork/sidecar/frame"
)

// hostPattern is what may stand behind ssh's "--": a name, an address or an alias of the ssh configuration, with a user in
// front of it, or all that as ssh://. Nothing of it is an option, and nothing means anything to a shell.
var hostPattern = regexp.MustCompile(`^(?:ssh://)?(?:[A-Za-z0-9_][A-Za-z0-9_.+\\-]*@)?(?:[A-Za-z0-9_][A-Za-z0-9_.:%-]*|\[[0-9A-Fa-f:.%A-Za-z0-9_-]+\](?::[0-9]+)?)$`)

// CheckName refuses what is no host, before it enters an argv.
func CheckName(host string) *commands.Failure {
	if len(host) > 255 || !hostPattern.MatchString(host) {
		return commands.Refuse("hostInvalid", "host", host)
	}
	return nil
}

// Quote makes one word that sh, bash, zsh, ksh and fish all read back as it is: what ssh is given becomes a line for the login
// shell of that host's user.
func Quote(word string) string {
	return "'" + strings.NewReplacer(`'`, `'\''`, `\`, `'\\'`).Replace(word) + "'"
}

// inShell is a script of sh as a line for the host's login shell, whichever that is. The folder that sidefork is installed
// into comes first on PATH: a shell that is no login shell often lacks it.
func inShell(script string) string {
	return "exec sh -c " + Quote(`PATH="$HOME/.local/bin:$PATH"; export PATH; `+script)
}

// Sidefork is the script that runs sidefork there, as its last act.
func Sidefork(arguments ...string) string {
	return "exec " + commands.POSIXLine(append([]string{"sidefork"}, arguments...))
}

// Argv is ssh's command line for a script of sh there. With a terminal, the script has this one's.
func (h *Host) Argv(terminal bool, script string) []string {
	argv := []string{h.opt.SSH}
	if terminal {
		argv = append(argv, "-t")
	} else { // what the user's configuration has for a person at a shell
		argv = append(argv, "-T", "-o", "ClearAllForwardings=yes", "-o", "PermitLocalCommand=no")
	}
	return append(argv, "-o", "RemoteCommand=none", "--", h.opt.Name, inShell(script))
}

// process is a running ssh, in a process group of its own: a Ctrl-C is ours to tell the sidecar, and ends no connection.
type process struct {
	cmd  *exec.Cmd
	in   *os.File // what it reads
	out  *os.File // what it writes
	said *said
	done chan struct{} // it has ended
}

// start starts ssh. While it may ask the person at the terminal for something, it has the terminal; settled ends that.
func (h *Host) start(argv []string) (p *process, settled func(), failed *commands.Failure) {
	p = &process{cmd: exec.Command(argv[0], argv[1:]...), said: &said{hears: h.opt.Hears}, done: make(chan struct{})}
	if p.cmd.Err != nil {
		return nil, nil, commands.Refuse("sshMissing", "program", argv[0])
	}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, nil, h.unreachable(err.Error())
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		theirIn.Close()
		in.Close()
		return nil, nil, h.unreachable(err.Error())
	}
	p.in, p.out = in, out
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = theirIn, theirOut, p.said
	p.cmd.WaitDelay = time.Second // a master connection that stays may keep stderr open
	settled = apart(p.cmd)
	err = p.cmd.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		settled()
		p.in.Close()
		p.out.Close()
		return nil, nil, commands.Refuse("sshMissing", "program", argv[0])
	}
	go func() {
		defer close(p.done)
		_ = p.cmd.Wait() // how it ended is in its state
		p.said.flush()
	}()
	return p, settled, nil
}

// end closes both pipes and waits until ssh has ended, by itself within a moment or by force.
func (p *process) end(grace time.Duration) {
	p.in.Close()
	select {
	case <-p.done:
	case <-time.After(grace):
		endGroup(p.cmd)
		<-p.done
	}
	p.out.Close()
}

// interrupted says whether Ctrl-C ended it: while it had the terminal, to ask for a password.
func (p *process) interrupted() bool {
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGINT
}

// said is what ssh and the host have written to stderr: line by line for whoever hears it, and the last of it kept.
type said struct {
	hears func(line string)

	mu   sync.Mutex
	line []byte
	last []string
}

const (
	longestLine = 4 << 10
	lastLines   = 12
)

func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for part := range bytes.SplitAfterSeq(b, []byte("\n")) {
		s.line = append(s.line, part...)
		if len(s.line) > longestLine || bytes.HasSuffix(s.line, []byte("\n")) {
			s.tell()
		}
	}
	return len(b), nil
}

func (s *said) flush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.tell()
}

func (s *said) tell() {
	text := commands.Printable(strings.TrimRight(string(s.line[:min(len(s.line), longestLine)]), "\r\n"))
	s.line = s.line[:0]
	if text == "" {
		return
	}
	s.last = append(s.last[max(0, len(s.last)-lastLines+1):], text)
	if s.hears != nil {
		s.hears(text)
	}
}

// text is what has to be told still: nothing where each line was heard.
func (s *said) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.hears != nil {
		return ""
	}
	return strings.Join(s.last, "\n")
}

// connection is a sidecar there, and the ssh that leads to it.
type connection struct {
	*client.Client
	ssh *process
}

// errInterrupted is the end of a connection that a person did not want any more.
var errInterrupted = errors.New("interrupted")

// connect starts a sidecar there. The error is a *commands.Failure or errInterrupted.
func (h *Host) connect(ctx context.Context) (*connection, error) {
	if err := ctx.Err(); err != nil {
		return nil, errInterrupted
	}
	arguments := []string{"serve"}
	for _, setting := range h.opt.Set {
		arguments = append(arguments, "--set="+setting)
	}
	p, settled, failed := h.start(h.Argv(false, Sidefork(arguments...)))
	if failed != nil {
		return nil, failed
	}
	defer settled()
	c, err := client.Dial(ctx, p.out, p.in, client.Options{Name: "sidefork", Version: h.opt.Version, Locale: h.opt.Locale, Notify: h.notified, Silence: h.opt.Silence})
	if err == nil {
		if failed := h.understands(c.Server); failed != nil {
			p.end(0)
			return nil, failed
		}
		return &connection{c, p}, nil
	}
	if ctx.Err() != nil {
		p.end(0)
		return nil, errInterrupted
	}
	p.end(graceful)
	if p.interrupted() {
		return nil, errInterrupted
	}
	return nil, h.whyNot(p, err)
}

// graceful is how long an ssh whose output has ended may take to end itself, with the status that says why.
const graceful = 2 * time.Second

// understands refuses a sidecar that speaks another contract.
func (h *Host) understands(s client.Server) *commands.Failure {
	switch {
	case s.Contract == 0:
		return commands.Refuse("hostNotUnderstood", "host", h.opt.Name, "what", "it answers, and not as a sidefork does")
	case s.Contract > 1:
		return commands.Refuse("hostTooNew", "host", h.opt.Name, "version", s.Version)
	}
	return nil
}

// whyNot says why no sidecar has answered, by how ssh ended: ssh itself fails with 255, a shell without the program with 127.
func (h *Host) whyNot(p *process, err error) *commands.Failure {
	var f *commands.Failure
	broken, talks := errors.AsType[frame.Broken](err)
	switch status := p.cmd.ProcessState.ExitCode(); {
	case status == 127 || status == 126:
		f = commands.Refuse("hostWithoutSidefork", "host", h.opt.Name)
	case talks:
		f = commands.Refuse("hostNotUnderstood", "host", h.opt.Name, "what", string(broken))
	case status == 255 || status < 0:
		return h.unreachable(p.said.text())
	default:
		f = commands.Refuse("hostNotUnderstood", "host", h.opt.Name, "what", "sidefork there has ended: "+p.cmd.ProcessState.String())
	}
	f.Detail = p.said.text()
	return f
}

func (h *Host) unreachable(detail string) *commands.Failure {
	f := commands.Refuse("hostUnreachable", "host", h.opt.Name)
	f.Detail = detail
	return f
}

// mostOutput bounds what one command there may print.
const mostOutput = 64 << 20

// Output runs sidefork there with these arguments and without input, and gives what it printed and its exit status. A failure
// is that it did not run.
func (h *Host) Output(ctx context.Context, arguments ...string) (out string, status int, failed *commands.Failure) {
	return h.output(ctx, Sidefork(arguments...), nil)
}

// output runs a script of sh there. in is what it reads; nil: nothing.
func (h *Host) output(ctx context.Context, script string, in io.Reader) (out string, status int, failed *commands.Failure) {
	p, settled, failed := h.start(h.Argv(false, script))
	if failed != nil {
		return "", 0, failed
	}
	defer settled()
	defer context.AfterFunc(ctx, func() { endGroup(p.cmd) })()
	go func() {
		if in != nil {
			_, _ = io.Copy(p.in, in) // who does not read it all says so by its status
		}
		p.in.Close()
	}()
	printed, _ := io.ReadAll(io.LimitReader(p.out, mostOutput))
	p.out.Close()
	<-p.done
	switch status = p.cmd.ProcessState.ExitCode(); {
	case ctx.Err() != nil || p.interrupted():
		return "", 0, commands.Refuse("interrupted")
	case status == 127 || status == 126:
		failed = commands.Refuse("hostWithoutSidefork", "host", h.opt.Name)
		failed.Detail = p.said.text()
		return "", 0, failed
	case status == 255 || status < 0:
		return "", 0, h.unreachable(p.said.text())
	}
	return string(printed), status, nil
}

// hangUp takes leave of the sidecar and lets ssh end.
func (c *connection) hangUp() {
	select {
	case <-c.Ended():
	default:
		c.Close()
	}
	c.ssh.end(5 * time.Second)
}
