package setup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
)

// Suggested is what a repository suggests for its forks beside a setup, in .sidefork.json. None of it runs anything.
type Suggested struct {
	Include []string // patterns of ignored files that come along, each a line of a .gitignore
	Name    string   // what a fork is called: a pattern with {workspace} and {branch}
}

// Suggests reads it. A file that is none, or cannot be read as one, suggests nothing: Find says that it is broken.
func Suggests(ctx context.Context, v View) (Suggested, error) {
	kinds, err := v.kinds(ctx, []string{ownFile})
	if err != nil || kinds[ownFile] != file {
		return Suggested{}, err
	}
	text, err := v.read(ctx, ownFile, maxFile)
	if errors.Is(err, errTooBig) {
		return Suggested{}, nil
	}
	if err != nil {
		return Suggested{}, err
	}
	said, err := ours(text)
	if err != nil {
		return Suggested{}, nil
	}
	return said.suggested, nil
}

var inBraces = regexp.MustCompile(`\{[^{}]*\}`)

func (s Suggested) check() error {
	for _, pattern := range s.Include {
		if strings.TrimSpace(pattern) == "" || strings.ContainsAny(pattern, "\r\n") || !shown(pattern) {
			return errors.New("include has a pattern that is not one line of plain text")
		}
	}
	for _, part := range inBraces.FindAllString(s.Name, -1) {
		if part != "{workspace}" && part != "{branch}" {
			return fmt.Errorf("name has %q, and may have {workspace} and {branch}", part)
		}
	}
	return nil
}
