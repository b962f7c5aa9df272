package main

import (
	"strings"
	"testing"
)

func TestDemoNamesTheProgramThatIsThere(t *testing.T) {
	text := yours("/src/sidefork/bin/sidefork", "claude")
	for _, line := range []string{"\n  /src/sidefork/bin/sidefork sessions\n", "\n  /src/sidefork/bin/sidefork fork --name try-something\n"} {
		if !strings.Contains(text, line) {
			t.Errorf("it does not say %q:\n%s", line, text)
		}
	}
}
