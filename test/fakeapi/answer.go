package fakeapi

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// answer is what the model is to have said.
type answer struct {
	text    string
	command string // a shell command that it wants to run; "" for none
	asks    bool   // for more than the agent allows without asking
	hold    string
	wait    time.Duration
}

// conversation is what decides an answer, whatever the API.
type conversation struct {
	all        string // every text in it
	lastUser   string // the newest text that a user typed
	afterATool bool   // a tool's result came after it
}

var (
	codeword = regexp.MustCompile(`CODEWORD-[A-Z0-9]+`)
	run      = regexp.MustCompile(`(RUN|ASK)\[([^\]]*)\]`)
	hold     = regexp.MustCompile(`HOLD\[([^\]]*)\]`)
	slow     = regexp.MustCompile(`SLOW\[(\d{1,5})\]`)
)

func (c conversation) answer() answer {
	var a answer
	if m := hold.FindStringSubmatch(c.lastUser); m != nil {
		a.hold = m[1]
	}
	if m := slow.FindStringSubmatch(c.lastUser); m != nil {
		ms, _ := strconv.Atoi(m[1]) // five digits
		a.wait = time.Duration(ms) * time.Millisecond
	}
	if m := run.FindStringSubmatch(c.lastUser); m != nil && !c.afterATool {
		a.command, a.asks = m[2], m[1] == "ASK"
	}
	var words []string
	for _, word := range codeword.FindAllString(c.all, -1) {
		if !slices.Contains(words, word) {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		words = []string{"none"}
	}
	a.text = "RECALL " + strings.Join(words, " ")
	return a
}
