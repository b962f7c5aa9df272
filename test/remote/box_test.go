//go:build linux

package remote

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// box is the other machine: an sshd on loopback that lets one user in.
type box struct {
	root string // a folder of its own, which that user can read
	home string // the user's
	lies string // where ssh comes to: the same, but for a user of this machine
	user string
	uid  uint32 // 0: the user who runs the tests
	port int
	cmd  *exec.Cmd
	log  *lines
	made string // a folder of the machine that was made for sshd
}

const ordinaryUser = 65533

// passphrase opens the user's other key, "locked".
const passphrase = "open sesame"

// started is the one machine of a test run, once it is up.
var started *box

var start = sync.OnceValues(func() (*box, error) {
	b, err := newBox()
	started = b
	return b, err
})

// theBox is the other machine. A test without an sshd is skipped.
func theBox(t *testing.T) *box {
	t.Helper()
	for _, tool := range []string{"sshd", "ssh", "ssh-keygen"} {
		if program(tool) == "" {
			t.Skipf("%s is not installed", tool)
		}
	}
	b, err := start()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("sshd said:\n%s", b.log.text())
		}
	})
	return b
}

// program finds a program, also where only root has it on PATH. sshd wants to be started by its whole path.
func program(name string) string {
	if path, err := exec.LookPath(name); err == nil {
		return path
	}
	if path := "/usr/sbin/" + name; exec.Command("test", "-x", path).Run() == nil {
		return path
	}
	return ""
}

func newBox() (b *box, err error) {
	root, err := os.MkdirTemp("", "sidefork-box-")
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	b = &box{root: root, home: filepath.Join(root, "home"), log: &lines{}}
	defer func() {
		if err != nil {
			b.end()
		}
	}()
	me, err := user.Current()
	if err != nil {
		return b, err
	}
	b.user, b.lies = me.Username, me.HomeDir
	if os.Getuid() == 0 && canMount() {
		b.user, b.uid, b.lies = "boxuser", ordinaryUser, b.home
	}
	if err := os.Chmod(root, 0o755); err != nil {
		return b, err
	}
	bin := filepath.Join(b.home, ".local", "bin")
	if err := os.MkdirAll(bin, 0o755); err != nil {
		return b, err
	}
	self, err := os.ReadFile(os.Args[0])
	if err != nil {
		return b, err
	}
	if err := os.WriteFile(filepath.Join(bin, "sidefork"), self, 0o755); err != nil {
		return b, err
	}
	for key, phrase := range map[string]string{"host": "", "user": "", "locked": passphrase} {
		if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", phrase, "-C", "test", "-f", filepath.Join(root, key)).CombinedOutput(); err != nil {
			return b, fmt.Errorf("ssh-keygen: %w\n%s", err, out)
		}
	}
	if b.uid != 0 {
		if out, err := exec.Command("chown", "-R", fmt.Sprintf("%d:%d", b.uid, b.uid), b.home).CombinedOutput(); err != nil {
			return b, fmt.Errorf("chown: %w\n%s", err, out)
		}
	}
	return b, b.serve()
}

// canMount says whether a process of ours may have mounts of its own: a user then needs no entry in this machine's files.
func canMount() bool {
	cmd := exec.Command("true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	return cmd.Run() == nil
}

// serve starts sshd and waits until it listens.
func (b *box) serve() error {
	listener, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		return err
	}
	b.port = listener.Addr().(*net.TCPAddr).Port
	listener.Close()
	config := fmt.Sprintf(`
Port %d
ListenAddress 127.0.0.1
HostKey %s/host
PidFile none
UsePAM no
UseDNS no
StrictModes no
PermitRootLogin yes
PasswordAuthentication no
KbdInteractiveAuthentication no
AuthorizedKeysFile %s/user.pub %s/locked.pub
PrintMotd no
MaxStartups 100:30:200
MaxSessions 100
SetEnv HOME=%s GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null LC_ALL=C GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.com GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.com
`, b.port, b.root, b.root, b.root, b.home)
	if err := os.WriteFile(filepath.Join(b.root, "sshd_config"), []byte(config), 0o600); err != nil {
		return err
	}
	arguments := []string{program("sshd"), "-D", "-e", "-f", filepath.Join(b.root, "sshd_config")}
	b.cmd = exec.Command(arguments[0], arguments[1:]...)
	if b.uid == 0 && os.Getuid() == 0 { // what Debian's own start of sshd makes
		if err := os.Mkdir("/run/sshd", 0o755); err == nil {
			b.made = "/run/sshd"
		}
	}
	if b.uid != 0 {
		entry := fmt.Sprintf("%s:*:%d:%d::%s:/bin/sh\n", b.user, b.uid, b.uid, b.home)
		known, err := os.ReadFile("/etc/passwd")
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(b.root, "passwd"), append(known, entry...), 0o644); err != nil {
			return err
		}
		b.cmd = exec.Command(os.Args[0], append([]string{filepath.Join(b.root, "passwd")}, arguments...)...)
		b.cmd.Env = append(os.Environ(), role+"=sshd")
		b.cmd.SysProcAttr = &syscall.SysProcAttr{Unshareflags: unix.CLONE_NEWNS}
	}
	if b.cmd.SysProcAttr == nil {
		b.cmd.SysProcAttr = new(syscall.SysProcAttr)
	}
	b.cmd.SysProcAttr.Pdeathsig = syscall.SIGTERM // a test run that is killed leaves none
	b.cmd.Stderr = b.log
	if err := b.cmd.Start(); err != nil {
		return err
	}
	for range 200 {
		c, err := net.Dial("tcp", b.addr())
		if err == nil {
			c.Close()
			return nil
		}
		time.Sleep(10 * time.Millisecond) // it tells nobody that it listens
	}
	return fmt.Errorf("sshd does not listen:\n%s", b.log.text())
}

func (b *box) addr() string { return net.JoinHostPort("127.0.0.1", strconv.Itoa(b.port)) }

// end ends sshd and removes all that was made for it.
func (b *box) end() {
	if b.cmd != nil && b.cmd.Process != nil {
		_ = b.cmd.Process.Signal(syscall.SIGTERM)
		_ = b.cmd.Wait()
	}
	if b.made != "" {
		_ = os.Remove(b.made)
	}
	_ = os.RemoveAll(b.root)
}

// asOtherUser is sshd's start in a mount namespace in which one more user is known.
func asOtherUser() int {
	passwd, argv := os.Args[1], os.Args[2:]
	for _, err := range []error{
		unix.Mount(passwd, "/etc/passwd", "", unix.MS_BIND, ""),
		unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=755"),
		os.Mkdir("/run/sshd", 0o755),
		unix.Exec(argv[0], argv, os.Environ()),
	} {
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	return 0
}

// as runs a program as the user there.
func (b *box) as(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	out, diagnostics, status := b.output(cmd)
	if status != 0 {
		t.Fatalf("%v: exit status %d\n%s%s", argv, status, out, diagnostics)
	}
	return out
}

// output runs a program as the user there, in the environment that sshd gives, from their home if nothing else is said.
func (b *box) output(cmd *exec.Cmd) (stdout, stderr string, status int) {
	if cmd.Dir == "" {
		cmd.Dir = b.home
	}
	cmd.Env = append(cmd.Env, "HOME="+b.home, "PATH="+b.home+"/.local/bin:"+os.Getenv("PATH"), "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null", "LC_ALL=C",
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com")
	if b.uid != 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: b.uid, Gid: b.uid}}
	}
	var out, err bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run() // its status says it
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// ssh is a program for `--host box` that goes by way of a port of loopback, and knows nothing of this machine's ssh
// configuration. filter runs in front of it: what a shell needs to start something else.
func (b *box) ssh(t *testing.T, port int, filter string) string {
	t.Helper()
	return b.sshWith(t, port, filter, "user", "BatchMode yes")
}

// sshWith is ssh with one of the user's keys and more of a configuration.
func (b *box) sshWith(t *testing.T, port int, filter, key, more string) string {
	t.Helper()
	dir := t.TempDir()
	config := fmt.Sprintf(`
Host box
  HostName 127.0.0.1
  Port %d
  User %s
  IdentityFile %s/%s
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
  %s
`, port, b.user, b.root, key, more)
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	script := filepath.Join(dir, "ssh")
	if err := os.WriteFile(script, []byte(fmt.Sprintf("#!/bin/sh\nexec %s ssh -F %s \"$@\"\n", filter, path)), 0o755); err != nil {
		t.Fatal(err)
	}
	return script
}

// lines keeps what a program says.
type lines struct {
	mu   sync.Mutex
	said bytes.Buffer
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.said.Write(b)
}

func (l *lines) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := strings.Split(strings.TrimSpace(l.said.String()), "\n")
	return strings.Join(all[max(0, len(all)-40):], "\n")
}

var _ io.Writer = (*lines)(nil)

func ownerOf(info os.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }
