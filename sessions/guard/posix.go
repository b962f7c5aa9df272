package guard

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/sidefork/sidefork/sessions/agent"
)

// posix reads the line with the grammar of bash, which holds that of the others; what they read otherwise is unclear.
// Every command in it is judged, also one in a substitution, in a function, or behind a condition.
func (r *reader) posix() {
	for line := range strings.SplitSeq(r.source, "\n") {
		if strings.HasPrefix(line, "^") {
			r.unclear("a substitution in the shell's history")
		}
	}
	if strings.HasSuffix(r.source, `\`) {
		r.unclear("a line that goes on")
	}
	r.commented = map[int]bool{}
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true)).Parse(strings.NewReader(r.source), "")
	if err != nil {
		r.unclear("what a shell could not read")
		return
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		r.node(n)
		return true
	})
}

// node judges one node of the tree by itself; all there are come by.
func (r *reader) node(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Stmt:
		for _, c := range n.Comments {
			r.comment(c)
		}
		if n.Coprocess || n.Disown {
			r.unclear("a process that runs beside the shell")
		}
	case *syntax.Comment:
		r.comment(*n)
	case *syntax.CallExpr:
		r.assigned(n.Assigns)
		words := make([]agent.Word, 0, len(n.Args))
		for _, w := range n.Args {
			words = append(words, r.word(w))
		}
		r.command(words, offset(n))
	case *syntax.DeclClause:
		r.declared(n)
	case *syntax.BinaryCmd:
		if n.Op == syntax.Pipe || n.Op == syntax.PipeAll {
			r.feed(offset(n.Y))
		}
	case *syntax.Redirect:
		r.redirect(n)
	case *syntax.Lit:
		r.history(n)
	case *syntax.WordIter:
		for _, w := range n.Items {
			r.variable(n.Name.Value, r.word(w))
		}
	case *syntax.ArrayElem:
		if n.Index != nil {
			r.unclear("an index")
		}
		if n.Value != nil {
			r.variable("_", r.word(n.Value))
		}
	case *syntax.ParamExp:
		r.parameter(n)
	case *syntax.TestClause:
		r.condition(n.X)
	case *syntax.CmdSubst:
		if n.TempFile || n.ReplyVar {
			r.unclear("a substitution that not every shell knows")
		}
	case *syntax.ArithmExp:
		r.number(n.X)
	case *syntax.ArithmCmd:
		r.number(n.X)
	case *syntax.LetClause, *syntax.CStyleLoop:
		r.unclear("arithmetic, which may run what a variable holds")
	case *syntax.ExtGlob, *syntax.CoprocClause, *syntax.TestDecl:
		r.unclear("what not every shell knows")
	}
}

func offset(n syntax.Node) int { return int(n.Pos().Offset()) }

func (r *reader) feed(from int) {
	if r.fed < 0 || from < r.fed {
		r.fed = from
	}
}

// comment reads a comment as commands too: zsh takes none at a terminal, unless it was told to.
func (r *reader) comment(c syntax.Comment) {
	at := int(c.Hash.Offset())
	if !r.commented[at] && strings.Trim(c.Text, " #") != "" { // a comment comes by twice, with its command and by itself
		r.commented[at] = true
		r.within(": "+c.Text, at) // as more words, of a command that does nothing
	}
}

// history looks for an exclamation mark that a shell at a terminal replaces by an earlier line.
func (r *reader) history(l *syntax.Lit) {
	for i := range len(l.Value) {
		if l.Value[i] != '!' || i > 0 && l.Value[i-1] == '\\' {
			continue
		}
		rest := l.Value[i+1:]
		if end := int(l.ValueEnd.Offset()); rest == "" && end < len(r.source) {
			rest = r.source[end:]
		}
		if rest != "" && !strings.ContainsRune(" \n=(\"", rune(rest[0])) {
			r.unclear("an earlier line of the shell")
		}
	}
}

func (r *reader) redirect(n *syntax.Redirect) {
	if n.N != nil && strings.HasPrefix(n.N.Value, "{") {
		r.unclear("a variable for an open file")
	}
	switch n.Op {
	case syntax.Hdoc, syntax.DashHdoc, syntax.WordHdoc:
		r.feed(0)
	case syntax.RdrIn, syntax.DplIn:
	default:
		to := r.word(n.Word)
		number := to.Known && strings.Trim(to.Text, "0123456789-") == ""
		if !(n.Op == syntax.DplOut && number) && (!to.Known || to.Text != "/dev/null") {
			r.writes = true
		}
	}
}

// assigned judges the assignments of a command.
func (r *reader) assigned(all []*syntax.Assign) {
	for _, a := range all {
		if a.Index != nil {
			r.unclear("an index, which may run what a variable holds")
		}
		value := agent.Word{Known: true}
		if a.Value != nil {
			value = r.word(a.Value)
		}
		if value.Known && strings.ContainsAny(value.Text, "$`") {
			r.unclear("a variable that holds a substitution")
		}
		r.variable(a.Name.Value, value)
	}
}

// declared judges export and its like. Options give a variable properties by which an assignment runs what it is given.
func (r *reader) declared(n *syntax.DeclClause) {
	for _, a := range n.Args {
		switch {
		case a.Name == nil:
			if w := r.word(a.Value); !w.Known || n.Variant.Value != "export" && n.Variant.Value != "readonly" || w.Text != "-p" {
				r.unclear("a declaration with options")
			}
		case a.Naked:
		default:
			r.assigned([]*syntax.Assign{a})
		}
	}
}

// parameter judges a variable where it is used: what it holds is not known, but the plain ways of using it run nothing.
func (r *reader) parameter(n *syntax.ParamExp) {
	if n.Flags != nil || n.Excl || n.NestedParam != nil || n.Index != nil || n.Slice != nil || n.Param == nil || n.Names != 0 {
		r.unclear("a variable that is used in an unusual way")
		return
	}
	if n.Exp == nil {
		return
	}
	switch n.Exp.Op {
	case syntax.AlternateUnset, syntax.AlternateUnsetOrNull, syntax.DefaultUnset, syntax.DefaultUnsetOrNull,
		syntax.ErrorUnset, syntax.ErrorUnsetOrNull, syntax.RemSmallPrefix, syntax.RemLargePrefix, syntax.RemSmallSuffix, syntax.RemLargeSuffix:
	default:
		r.unclear("a variable that is used in an unusual way")
	}
}

// number takes an arithmetic word that is a number; any name in it may be a variable that holds a substitution.
func (r *reader) number(x syntax.ArithmExpr) {
	if w, ok := x.(*syntax.Word); ok && strings.Trim(w.Lit(), "0123456789") == "" && w.Lit() != "" {
		return
	}
	r.unclear("arithmetic, which may run what a variable holds")
}

// condition takes [[ ]] with one test in it of words and files.
func (r *reader) condition(x syntax.TestExpr) {
	switch x := x.(type) {
	case *syntax.Word:
		return
	case *syntax.UnaryTest:
		if _, word := x.X.(*syntax.Word); word && x.Op != syntax.TsVarSet && x.Op != syntax.TsRefVar && x.Op != syntax.TsNot {
			return
		}
	case *syntax.BinaryTest:
		switch x.Op {
		case syntax.TsMatch, syntax.TsMatchShort, syntax.TsNoMatch, syntax.TsReMatch, syntax.TsNewer, syntax.TsOlder:
			return
		}
	}
	r.unclear("a condition that not every shell reads alike")
}
