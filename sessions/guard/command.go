package guard

import (
	"github.com/sidefork/sidefork/sessions/agent"
)

// command judges one simple command, which stands at an offset of the line.
func (r *reader) command(words []agent.Word, offset int) {
	if len(words) == 0 {
		return
	}
	r.commands++
	for range nesting {
		if len(words) == 0 {
			return
		}
		name := words[0]
		if !name.Known {
			r.unclear("a command whose name is not written out")
			return
		}
		base := r.fold(baseName(name.Text))
		if a := r.agent(name.Text); a != nil {
			r.start(a, words[1:])
			return
		}
		wrapper, known := r.wrappers[base]
		switch {
		case known:
			words = r.unwrap(wrapper, words[1:], offset)
			continue
		case r.inert[base]:
			return
		case r.opaque[base], r.defining[base] && len(words) > 1:
			r.unclear(name.Text + ", which runs what it is given")
			return
		}
		if a := r.packaged(name.Text); a != nil {
			r.start(a, words[1:])
			return
		}
		for _, word := range words {
			if !word.Known || !r.plain(word.Text) {
				r.unclear("what " + name.Text + " is given")
				return
			}
		}
		r.other(offset)
		return
	}
	r.unclear("too many programs that start another")
}

func (r *reader) start(a *Agent, arguments []agent.Word) {
	targets, clear := a.Resumes(arguments)
	for _, id := range targets {
		r.target(a.Name, id)
	}
	if !clear {
		r.unclear("an argument of " + a.Name + " that is not written out")
	}
}
