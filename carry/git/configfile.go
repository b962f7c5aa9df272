package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// `git config` sets one key a process, and one that is killed in it leaves its lock behind for good. A section of ours is
// written and taken out here instead, whole, under git's own lock (config.lock, then a rename).

// configPatience is how long another program may hold the configuration: git itself does for a few milliseconds.
const configPatience = 2 * time.Second

// ErrConfigBusy says that another program holds the configuration's lock.
var ErrConfigBusy = errors.New("git: the configuration is locked")

// ConfigSection is a section of a configuration file with single-valued keys, as git writes it; "" where the names cannot
// stand in one. pairs are keys and values in turn. The last value of a key is the one that holds, as with --replace-all.
func ConfigSection(section, subsection string, pairs ...string) string {
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	b := new(strings.Builder)
	fmt.Fprintf(b, "[%s \"%s\"]\n", section, quote.Replace(subsection))
	for i := 0; i+1 < len(pairs); i += 2 {
		fmt.Fprintf(b, "\t%s = \"%s\"\n", pairs[i], quote.Replace(pairs[i+1]))
	}
	if text := b.String(); strings.Count(text, "\n") == 1+len(pairs)/2 && !strings.ContainsAny(text, "\x00\r") {
		return text
	}
	return ""
}

// AppendConfig puts text at the end of a configuration file. next is a path of the caller's, on the same disk, for the file
// that takes the old one's place; ReleaseConfig with the same one clears up after a process that was killed here. The file
// stays as it is where text would not begin a line there.
func AppendConfig(ctx context.Context, file, next, text string) error {
	return changeConfig(ctx, file, next, func(old string) string {
		if body := strings.TrimSuffix(old, "\n"); strings.HasSuffix(body, `\`) || (len(body) == len(old) && old != "") != strings.HasPrefix(text, "\n") {
			return old
		}
		return old + text
	})
}

// CutConfig takes out what AppendConfig has put in; whole is false where somebody has set more in the section, which then
// stays with it. What is not there any more needs no taking out.
func CutConfig(ctx context.Context, file, next, text string) (whole bool, err error) {
	ReleaseConfig(file, next)
	whole = true
	err = changeConfig(ctx, file, next, func(old string) string {
		at := strings.LastIndex(old, text)
		if at < 0 || at > 0 && text[0] != '\n' && old[at-1] != '\n' {
			return old
		}
		rest := old[at+len(text):]
		if whole = rest == "" || strings.ContainsRune("[#;\n", rune(rest[0])); !whole {
			return old
		}
		if rest != "" && text[0] == '\n' { // nor may the next section end up behind a line that was the last
			return old[:at] + "\n" + rest
		}
		return old[:at] + rest
	})
	return whole, err
}

// ReleaseConfig removes a lock on a configuration file that was taken with next, and next.
func ReleaseConfig(file, next string) {
	mine, err := os.Lstat(next)
	if err != nil {
		return
	}
	if lock, err := os.Lstat(lockOf(file)); err == nil && os.SameFile(lock, mine) {
		os.Remove(lockOf(file))
	}
	os.Remove(next)
}

// lockOf is git's lock of a configuration file, which is beside what a link leads to.
func lockOf(file string) string {
	if at, err := filepath.EvalSymlinks(file); err == nil {
		file = at
	}
	return file + ".lock"
}

// changeConfig gives a configuration file another text. The lock is a second name of the new file, so that it can be told
// whose it is.
func changeConfig(ctx context.Context, file, next string, change func(old string) string) error {
	at, err := filepath.EvalSymlinks(file)
	if err != nil {
		return err
	}
	defer ReleaseConfig(file, next)
	for deadline := time.Now().Add(configPatience); ; {
		text, err := os.ReadFile(at)
		if err != nil {
			return err
		}
		changed := change(string(text))
		if changed == string(text) {
			return nil
		}
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if err := writeLasting(next, changed, info.Mode().Perm()); err != nil {
			return err
		}
		err = os.Link(next, lockOf(file))
		if err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
		if err == nil {
			if now, err := os.ReadFile(at); err != nil || string(now) == string(text) { // else somebody came before us
				return errors.Join(err, rename(err == nil, lockOf(file), at))
			}
			ReleaseConfig(file, next)
		}
		if time.Now().After(deadline) {
			return ErrConfigBusy
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func rename(do bool, from, to string) error {
	if !do {
		return nil
	}
	return os.Rename(from, to)
}

func writeLasting(path, text string, mode fs.FileMode) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, mode)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Chmod(mode), f.Sync(), f.Close())
}
