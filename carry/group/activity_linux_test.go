package group

import (
	"os/exec"
	"testing"
)

func TestActivityIsThatOfTheWholeGroup(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sh", "-c", "sleep 1000 & cat; wait")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	Own(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = End(cmd, true); _ = cmd.Wait() }()
	echo := func() uint64 {
		buffer := make([]byte, 1)
		if _, err := in.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := out.Read(buffer); err != nil {
			t.Fatal(err)
		}
		sum, known := Activity(cmd)
		if !known || sum == 0 {
			t.Fatalf("%d, %v", sum, known)
		}
		return sum
	}
	if before := echo(); echo() == before {
		t.Error("it has read and written, and that was not seen")
	}
}
