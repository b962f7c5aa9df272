package git

import (
	"bytes"
	"context"
	"fmt"
	"strings"
)

// Matched calls each for one path after the other that git does not track and that the patterns in a file match, which
// has the syntax of a .gitignore. Paths are files and links; a nested repository is one path with a slash at its end.
// Nothing else counts: no ignore rule of the repository or the user. A folder that may not be listed is left out, in
// silence.
func Matched(ctx context.Context, c Command, patterns string, each func(path string)) error {
	return matched(ctx, c, each, "--exclude-from="+patterns)
}

// MatchedFolders is Matched for whole folders, also those that may not be listed: those that a pattern matches, and
// those of which patterns match all that git sees in them.
func MatchedFolders(ctx context.Context, c Command, patterns string, each func(path string)) error {
	return matched(ctx, c, func(path string) {
		if folder, ok := strings.CutSuffix(path, "/"); ok {
			each(folder)
		}
	}, "--directory", "--exclude-from="+patterns)
}

func matched(ctx context.Context, c Command, each func(path string), args ...string) error {
	c.Args = append([]string{"ls-files", "-z", "--others", "--ignored"}, args...)
	paths := splitter{each: each}
	if err := c.run(ctx, &paths); err != nil {
		return err
	}
	if len(paths.begun) > 0 {
		return fmt.Errorf("git: ls-files: %q is not terminated", short(string(paths.begun)))
	}
	return nil
}

// splitter cuts what is written to it at each NUL, so that a long answer need not be held whole.
type splitter struct {
	each  func(record string)
	begun []byte
}

func (s *splitter) Write(p []byte) (int, error) {
	n := len(p)
	for {
		record, rest, whole := bytes.Cut(p, []byte{0})
		s.begun = append(s.begun, record...)
		if !whole {
			return n, nil
		}
		s.each(string(s.begun))
		s.begun, p = s.begun[:0], rest
	}
}
