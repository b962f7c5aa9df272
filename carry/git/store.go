package git

import (
	"context"
	"strings"
)

// Setting is one value of a configuration file. Key has section and name in lower case, a subsection as it is.
type Setting struct{ Key, Value string }

// Settings lists a configuration file as it is written, in its order, without what it includes. dir is where git runs;
// it matters to nothing. A key without "=" has the value "true".
func Settings(ctx context.Context, dir, file string) ([]Setting, error) {
	out, err := Command{Dir: dir, Args: []string{"config", "--file", file, "--no-includes", "-z", "--list"}}.Output(ctx)
	if err != nil {
		return nil, err
	}
	var list []Setting
	for record := range strings.SplitSeq(text(out), "\x00") {
		if record == "" {
			continue
		}
		key, value, given := strings.Cut(record, "\n")
		if !given {
			value = "true"
		}
		list = append(list, Setting{key, value})
	}
	return list, nil
}

// SetArgs set one key of a configuration file.
func SetArgs(file, key, value string) []string {
	return []string{"config", "--file", file, key, value}
}

// CheckOutArgs fill an empty index and worktree with HEAD, as `worktree add` does, and leave no trace in a reflog.
func CheckOutArgs() []string {
	return []string{"read-tree", "-m", "-u", "--no-recurse-submodules", "HEAD"}
}

// NoTransport keeps git from going anywhere for an object, whatever a remote is called and whatever the user allows.
func NoTransport() []string { return []string{"protocol.allow=never"} }

// Lacking gives those of some objects that a repository does not have. It goes nowhere for one.
func Lacking(ctx context.Context, dir string, objects []string) (lacking []string, err error) {
	if len(objects) == 0 {
		return nil, nil
	}
	c := Command{
		Dir: dir, Args: []string{"cat-file", "--batch-check=%(objectname)"}, Config: NoTransport(),
		Stdin: strings.NewReader(strings.Join(objects, "\n") + "\n"),
	}
	out, err := c.Output(ctx)
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(text(out)) {
		if object, lacks := strings.CutSuffix(line, " missing\n"); lacks {
			lacking = append(lacking, object)
		}
	}
	return lacking, nil
}
