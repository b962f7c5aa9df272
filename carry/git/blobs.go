package git

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"
)

// Blobs gives the bytes of some objects to take, one after the other and in their order, from one process. It goes nowhere
// for one. take need not read to the end.
func (c Command) Blobs(ctx context.Context, objects []string, take func(i int, content io.Reader, size int64) error) error {
	if len(objects) == 0 {
		return nil
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	c.Config = append(append([]string{}, c.Config...), NoTransport()...)
	c.Args, c.Stdin = []string{"cat-file", "--batch"}, strings.NewReader(strings.Join(objects, "\n")+"\n")
	from, to := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		err := c.run(ctx, to)
		to.CloseWithError(err)
		ended <- err
	}()
	err := takeBlobs(bufio.NewReaderSize(from, 128<<10), objects, take)
	from.CloseWithError(err)
	if err != nil {
		stop()
		if failed := <-ended; ExitStatus(failed) > 0 { // what git says is the cause
			return failed
		}
		return err
	}
	return <-ended
}

func takeBlobs(out *bufio.Reader, objects []string, take func(i int, content io.Reader, size int64) error) error {
	for i, object := range objects {
		line, err := out.ReadString('\n')
		if err != nil {
			return err
		}
		var id, kind string
		var size int64
		if n, _ := fmt.Sscanf(line, "%s %s %d", &id, &kind, &size); n != 3 || id != object || kind != "blob" {
			return fmt.Errorf("git: the object %s is %s", object, strings.TrimSpace(line))
		}
		content := io.LimitReader(out, size)
		if err := take(i, content, size); err != nil {
			return err
		}
		if _, err := io.Copy(io.Discard, content); err != nil {
			return err
		}
		if end, err := out.ReadByte(); err != nil || end != '\n' {
			return fmt.Errorf("git: the object %s does not end", object)
		}
	}
	return nil
}
