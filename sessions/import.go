package sessions

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// importLimit bounds how long an agent may take to store a conversation.
const importLimit = 2 * time.Minute

// Import has the agent of a launch store the child's conversation, where it needs that before it starts, and proves that it
// is stored; for any other launch it does nothing. The child's folder must exist. It is the one thing here that makes an
// agent write. An error means that the conversation is not there, or not all of it: what of it is there belongs to no
// other session, and l cannot be started.
func Import(ctx context.Context, c Config, l Launch) error {
	if l.Import == nil {
		return nil
	}
	ctx, stop := context.WithTimeout(ctx, importLimit)
	defer stop()
	file, err := conversationFile(l.Import.Content)
	if err != nil {
		return fmt.Errorf("sessions: hand over %s: %w", l.Session.ID, err)
	}
	defer os.Remove(file)
	argv := append(append([]string{}, l.Import.Argv...), file)
	said, err := c.run(ctx, l.Cwd, l.Import.Env, argv[0], argv[1:]...)
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if err == nil {
		err = l.Import.Stored(ctx)
	}
	if err != nil {
		return errors.Join(err, errors.New(strings.TrimSpace(said)))
	}
	return nil
}

// conversationFile is a file with a conversation, for this user alone. It is to be removed.
func conversationFile(content []byte) (path string, err error) {
	file, err := os.CreateTemp("", "sidefork-*.json") // 0600
	if err != nil {
		return "", err
	}
	_, err = file.Write(content)
	if err = errors.Join(err, file.Close()); err != nil {
		os.Remove(file.Name())
		return "", err
	}
	return file.Name(), nil
}
