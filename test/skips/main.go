// Command skips runs go test and remembers which tests were skipped, so that `make test` can end with one list of them:
//
//	skips test ARGS…   go test ARGS: its output, its exit status
//	skips list         what was skipped since the last list, each with its reason
//
// A skip hides nothing: one without a reason fails the list, and so does, where CI is "true", one for want of a tool of
// CI_TOOLS, which .ci/run has made sure of.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// memory is where skips are remembered between two runs, in the folder that make is run in.
const memory = "bin/skipped"

func main() {
	status, err := 2, errors.New("skips test ARGS… | skips list")
	switch {
	case len(os.Args) > 2 && os.Args[1] == "test":
		status, err = test(os.Args[2:])
	case len(os.Args) == 2 && os.Args[1] == "list":
		status, err = list(os.Stdout, memory, os.Getenv)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "skips:", err)
		status = max(status, 1)
	}
	os.Exit(status)
}

// skip is a test that was skipped.
type skip struct{ Package, Test, Reason string }

func test(args []string) (status int, err error) {
	cmd := exec.Command("go", append([]string{"test", "-json"}, args...)...)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return 1, err
	}
	if err := cmd.Start(); err != nil {
		return 1, err
	}
	skipped, err := follow(out, os.Stdout, slices.Contains(args, "-v"))
	if err != nil {
		_, _ = io.Copy(io.Discard, out) // or go test would wait for its reader
	}
	err = errors.Join(err, remember(memory, skipped))
	if cmd.Wait() != nil {
		return max(cmd.ProcessState.ExitCode(), 1), err
	}
	return 0, err
}

// event is a line of `go test -json` (go doc test2json).
type event struct{ Action, Package, Test, Output string }

// follow shows to people what go test would have said without -json: of a test that passes nothing, unless verbose.
func follow(in io.Reader, out io.Writer, verbose bool) (skipped []skip, err error) {
	said := map[[2]string]*strings.Builder{} // by each test that runs
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if errors.Is(err, io.EOF) && len(line) == 0 {
			return skipped, nil
		}
		var e event
		if json.Unmarshal(line, &e) != nil {
			_, err = out.Write(line) // what go itself says, or a test binary that died
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return skipped, err
		}
		key := [2]string{e.Package, e.Test}
		switch e.Action {
		case "build-output":
			fmt.Fprint(out, e.Output)
		case "output":
			if verbose {
				fmt.Fprint(out, e.Output)
			}
			if said[key] == nil {
				said[key] = new(strings.Builder)
			}
			if !strings.HasPrefix(e.Output, "=== ") {
				said[key].WriteString(e.Output)
			}
		case "pass", "fail", "skip":
			text := ""
			if b := said[key]; b != nil {
				text = b.String()
			}
			delete(said, key)
			if e.Action == "skip" && e.Test != "" {
				skipped = append(skipped, skip{e.Package, e.Test, reason(text)})
			}
			if !verbose {
				fmt.Fprint(out, shown(e, text))
			}
			if e.Action == "fail" && e.Test == "" && !verbose { // tests that the end of their process cut off
				for other, b := range said {
					if other[0] == e.Package {
						fmt.Fprint(out, b.String())
						delete(said, other)
					}
				}
			}
		}
	}
}

// shown is the part of what a test or a package said that people are to see.
func shown(e event, text string) string {
	switch {
	case e.Action == "fail":
		return text
	case e.Test != "":
		return ""
	}
	var kept strings.Builder
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "ok  ") || strings.HasPrefix(line, "?   ") {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

var place = regexp.MustCompile(`^\s*\S+\.go:\d+: ?`)

// reason is the last thing that a skipped test said, without the place where it did.
func reason(text string) string {
	var words []string
	for line := range strings.Lines(text) {
		if at := place.FindString(line); at != "" {
			words, line = nil, line[len(at):]
		}
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "--- SKIP") {
			words = append(words, line)
		}
	}
	return strings.Join(words, " ")
}

func remember(file string, skipped []skip) error {
	if len(skipped) == 0 {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	for _, s := range skipped {
		line, _ := json.Marshal(s)
		if _, e := f.Write(append(line, '\n')); e != nil {
			err = e
		}
	}
	return errors.Join(err, f.Close())
}

// list prints what is remembered, and forgets it. The status is 1 where a skip is not allowed.
func list(out io.Writer, file string, getenv func(string) string) (status int, err error) {
	text, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return 1, err
	}
	_ = os.Remove(file)
	var lines, wrong []string
	for line := range strings.Lines(string(text)) {
		var s skip
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			return 1, fmt.Errorf("%s: %w", file, err)
		}
		short := strings.TrimPrefix(s.Package, "github.com/sidefork/sidefork/")
		lines = append(lines, fmt.Sprintf("  %s %s: %s", short, s.Test, s.Reason))
		if s.Reason == "" {
			wrong = append(wrong, fmt.Sprintf("%s %s was skipped without a reason", short, s.Test))
		}
		if tool := missing(s.Reason, strings.Fields(getenv("CI_TOOLS"))); tool != "" && getenv("CI") == "true" {
			wrong = append(wrong, fmt.Sprintf("%s %s was skipped for want of %s, which CI has to have", short, s.Test, tool))
		}
	}
	slices.Sort(lines)
	lines = slices.Compact(lines)
	if len(lines) == 0 {
		fmt.Fprintln(out, "No test was skipped.")
	} else {
		fmt.Fprintf(out, "Skipped, each for its reason (%d):\n%s\n", len(lines), strings.Join(lines, "\n"))
	}
	for _, w := range wrong {
		fmt.Fprintln(out, "FAIL:", w)
	}
	return min(len(wrong), 1), nil
}

// missing is the tool that a reason says is not there; "" where it says nothing of the kind.
func missing(reason string, tools []string) string {
	for _, tool := range tools {
		name := `\b` + regexp.QuoteMeta(tool) + `\b["']?`
		if regexp.MustCompile(`(?i)\b(no|needs|wants|missing|without):? ["']?` + name + `|` + name + `:? (is )?(executable file )?(not|missing)`).MatchString(reason) {
			return tool
		}
	}
	return ""
}
