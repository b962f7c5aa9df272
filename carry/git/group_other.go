//go:build !unix

package git

import (
	"os"
	"os/exec"
)

func ownGroup(*exec.Cmd) {}

func endGroup(cmd *exec.Cmd, _ bool) error {
	if cmd.Process == nil {
		return os.ErrProcessDone
	}
	return cmd.Process.Kill()
}
