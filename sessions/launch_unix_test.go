//go:build unix

package sessions

import (
	"bufio"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/sidefork/sidefork/sessions/agent"
)

func TestAProgramThatHangsIsEndedWithWhatItStarted(t *testing.T) {
	p := newPlace(t)
	s := p.parent()
	sleep, err := exec.LookPath("sleep") // the script's PATH has no such thing
	if err != nil {
		t.Fatal(err)
	}
	path := script(t, p, "claude", `exec 3>"$0.pipe"; `+sleep+` 1000 & echo started >&3; wait`)
	if err := syscall.Mkfifo(path+".pipe", 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error)
	go func() {
		_, err := PrepareLaunch(ctx, p.config(), s, agent.ForkRequest{Child: p.in("child")})
		done <- err
	}()
	pipe, err := os.Open(path + ".pipe")
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	said := bufio.NewReader(pipe)
	if line, err := said.ReadString('\n'); err != nil || line != "started\n" {
		t.Fatalf("got %q, %v", line, err)
	}
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	if _, err := io.ReadAll(said); err != nil { // it ends when no process holds the pipe any more
		t.Error(err)
	}
}
