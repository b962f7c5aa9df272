package sessions

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/sidefork/sidefork/sessions/agent"
	"github.com/sidefork/sidefork/sessions/jsonl"
)

const (
	// importLimit bounds how long an agent may take to store a conversation.
	importLimit = 2 * time.Minute
	// copyKept is how long the copied start of a transcript is kept: its fork may be started late, and again.
	copyKept = 7 * 24 * time.Hour
)

// Import does what has to be done for a fork before its agent is started, and proves that it is done: an agent's program
// stores the child's conversation, or makes the fork; the start of a transcript is copied. For any other launch it does
// nothing. The child's folder must exist. It is the one thing here that makes an agent write. It gives the launch with the
// id that is known from then on. An error means that the conversation is not there, or not all of it: what of it is there
// belongs to no other session, and l cannot be started.
func Import(ctx context.Context, c Config, l Launch) (Launch, error) {
	if l.Import == nil {
		return l, nil
	}
	ctx, stop := context.WithTimeout(ctx, importLimit)
	defer stop()
	switch i := l.Import; {
	case i.Copy != nil:
		return l, copyStart(ctx, *i.Copy)
	case i.Talk != nil:
		return c.fork(ctx, l)
	default:
		return l, c.store(ctx, l)
	}
}

// store has a program store a conversation that is given to it as a file.
func (c Config) store(ctx context.Context, l Launch) error {
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
		err = l.Import.Stored(ctx, l.Session.ID)
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

// fork has a program make the fork as it is told over its pipes, and puts the fork's id where it is awaited.
func (c Config) fork(ctx context.Context, l Launch) (Launch, error) {
	agents, err := chosen([]string{l.Parent.Agent})
	if err != nil {
		return l, err
	}
	id, err := c.talk(ctx, l)
	switch {
	case ctx.Err() != nil:
		err = ctx.Err()
	case err == nil && (!agents[0].Valid(id) || id == l.Parent.ID):
		err = fmt.Errorf("sessions: the fork of %s has the id %q", l.Parent.ID, id)
	case err == nil:
		err = l.Import.Stored(ctx, id)
	}
	if err != nil {
		return l, err
	}
	l.Session.ID, l.Argv = id, slices.Clone(l.Argv)
	for i, word := range l.Argv {
		if word == agent.Pending {
			l.Argv[i] = id
			break // a prompt behind it may be the same word
		}
	}
	return l, nil
}

// leaveWithin is how long a program may go on once its input has ended.
const leaveWithin = 5 * time.Second

func (c Config) talk(ctx context.Context, l Launch) (id string, err error) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	cmd := c.command(ctx, l.Cwd, l.Import.Env, l.Import.Argv[0], l.Import.Argv[1:]...)
	complaints := &clipped{left: saidLimit}
	cmd.Stderr = complaints
	to, err := cmd.StdinPipe()
	if err != nil {
		return "", err
	}
	from, err := cmd.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := cmd.Start(); err != nil {
		return "", err
	}
	id, err = l.Import.Talk(to, from)
	to.Close()
	defer time.AfterFunc(leaveWithin, stop).Stop()
	_, _ = io.Copy(io.Discard, from) // so that it can end
	if ended := cmd.Wait(); err == nil && id == "" {
		err = errors.Join(errors.New("it said nothing"), ended)
	}
	if err != nil {
		return "", errors.Join(err, errors.New(strings.TrimSpace(complaints.String())))
	}
	return id, nil
}

// copyStart copies the start of a transcript into a new file for this user alone, and removes copies that are old.
func copyStart(ctx context.Context, c agent.Copy) error {
	folder := filepath.Dir(c.To)
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return err
	}
	removeOld(folder)
	from, info, err := jsonl.Open(c.From)
	if err != nil {
		return err
	}
	defer from.Close()
	if info.Size() < c.Size {
		return fmt.Errorf("sessions: %s was shortened", c.From)
	}
	to, err := os.OpenFile(c.To, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = io.CopyN(to, from, c.Size)
	if err = errors.Join(err, to.Close(), ctx.Err()); err != nil {
		os.Remove(c.To)
	}
	return err
}

// removeOld removes copies that nobody has started in time. One that stays is looked at again the next time.
func removeOld(folder string) {
	entries, _ := os.ReadDir(folder)
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && info.Mode().IsRegular() && filepath.Ext(entry.Name()) == ".jsonl" && time.Since(info.ModTime()) > copyKept {
			os.Remove(filepath.Join(folder, entry.Name()))
		}
	}
}
