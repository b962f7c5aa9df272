package carry

import (
	"path"
	"slices"
)

// leftNotChosen is why a change stays that is not among Options.Paths.
const leftNotChosen = "notChosen"

// choice is what of the changes is to come, and what of that there was. nil: everything.
type choice map[string]bool

func (p *Plan) choose() choice {
	if p.opts.Paths == nil {
		return nil
	}
	c := choice{}
	for _, name := range p.opts.Paths {
		c[path.Clean(name)] = false
	}
	return c
}

// takes says whether a path is to come: it is chosen, or a folder above it is.
func (c choice) takes(name string) bool {
	if c == nil {
		return true
	}
	for at := name; ; at = path.Dir(at) {
		if _, chosen := c[at]; chosen {
			c[at] = true
			return true
		}
		if at == "." || at == "/" {
			return false
		}
	}
}

// unused is a path that was chosen and holds no change; "" for none.
func (c choice) unused() string {
	var names []string
	for name, used := range c {
		if !used {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return ""
	}
	return slices.Min(names)
}
