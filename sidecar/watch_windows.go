package sidecar

import (
	"context"
	"os"

	"golang.org/x/sys/windows"
)

func waitForEnd(ctx context.Context, pid int) error {
	process, err := windows.OpenProcess(windows.SYNCHRONIZE, false, uint32(pid))
	if err != nil {
		return err
	}
	defer func() { _ = windows.CloseHandle(process) }()
	for ctx.Err() == nil {
		event, err := windows.WaitForSingleObject(process, 500)
		if err != nil {
			return err
		}
		if event == windows.WAIT_OBJECT_0 {
			return nil
		}
	}
	return ctx.Err()
}

func isAncestor(pid int) bool { return os.Getppid() == pid }
