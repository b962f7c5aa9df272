package doctor

import (
	"context"
	"os"
	"path/filepath"

	"github.com/sidefork/sidefork/carry"
	"github.com/sidefork/sidefork/carry/worktree"
	"github.com/sidefork/sidefork/commands"
)

// repository looks at the repository here: whether it can be forked, what is pending, who is at work, what is trusted.
func (m Machine) repository(ctx context.Context, e *Examination) {
	w, err := worktree.Open(ctx, m.Here)
	if no, refused := err.(*worktree.Refusal); refused {
		switch no.Code {
		case "notARepository":
			e.say(Check{About: "repository", State: OK, Message: m.speaker().say("none here: in one, doctor says more")})
		case "gitMissing", "gitTooOld": // it was said
		default:
			e.say(m.whyRefused("repository", Error, no))
		}
		return
	}
	if err != nil {
		e.say(Check{About: "repository", State: Error, Message: err.Error(), Remedy: m.speaker().say("Mend its cause, then try again.")})
		return
	}
	if no := w.Eligible(); no != nil {
		e.say(m.whyRefused("repository", Warning, no))
	} else {
		e.say(Check{About: "repository", State: OK, Message: m.speaker().say("%s on %s can be forked", w.Path, w.Branch)})
	}
	m.pending(w, e)
	if _, err := os.Lstat(filepath.Join(w.GitDir, "index.lock")); err == nil {
		e.say(m.speaker().because("locks", Warning, commands.Refuse("indexLocked", "path", w.Path).Reason))
	} else {
		e.say(Check{About: "locks", State: OK, Message: m.speaker().say("no git is at work here")})
	}
	m.trust(ctx, w, e)
}

// whyRefused is a check that says why a worktree is refused.
func (m Machine) whyRefused(about string, state State, no *worktree.Refusal) Check {
	var pairs []string
	for name, value := range no.Args {
		pairs = append(pairs, name, value)
	}
	return m.speaker().because(about, state, commands.Refuse(no.Code, pairs...).Reason)
}

func (m Machine) pending(w worktree.Worktree, e *Examination) {
	list, err := carry.LookForPending(w.CommonDir)
	if err != nil {
		e.say(Check{About: "journal", State: Error, Message: err.Error(), Remedy: m.speaker().say("Make it readable: what was interrupted cannot be taken back until then.")})
		return
	}
	c := Check{About: "journal", State: OK, Message: m.speaker().say("nothing is pending")}
	running, stuck := 0, 0
	for _, p := range list {
		switch p.State {
		case "running":
			running++
		default:
			stuck++
		}
		text := m.speaker().say("%s: operation %s", p.State, p.Operation)
		if p.Workspace != "" {
			text += ", " + p.Workspace
		}
		c.More = append(c.More, text)
	}
	if running > 0 {
		c.Message = m.speaker().counted(running, "%d operation running", "%d operations running")
	}
	if stuck > 0 {
		c.State, c.Message = Warning, m.speaker().counted(stuck, "%d operation interrupted", "%d operations interrupted")
		c.Remedy = m.speaker().say("sidefork recover takes back what is left, and destroys nothing else.")
	}
	e.say(c)
}

func (m Machine) trust(ctx context.Context, w worktree.Worktree, e *Examination) {
	if w.Bare {
		return
	}
	found, failed := commands.SetupHere(ctx, m.Env, w.Path)
	switch {
	case failed != nil:
		e.say(m.speaker().because("trust", Warning, failed.Reason))
	case found == nil:
		e.say(Check{About: "trust", State: OK, Message: m.speaker().say("the repository has no setup")})
	case !found.Trusted:
		e.say(m.speaker().because("trust", Warning, commands.Refuse("setupNotTrusted", "file", found.Source, "hash", found.Hash).Reason))
	default:
		e.say(Check{About: "trust", State: OK, Message: m.speaker().say("the setup in %s is approved; policy: %s", found.Source, found.Policy)})
	}
}
