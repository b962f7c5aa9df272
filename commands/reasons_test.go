package commands

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// use is one place in the tree where a reason code is written, with the names of its arguments where they are literal.
type use struct {
	at    string
	names []string
	known bool // the names are all literal
}

// uses finds every Refuse("code", "name", …), refuse("code", …) and warning("code", detail, "name", …).
func uses(t *testing.T) map[string][]use {
	t.Helper()
	found := map[string][]use{}
	walk(t, func(set *token.FileSet, n ast.Node) {
		switch n := n.(type) {
		case *ast.CallExpr:
			addCall(found, set, n)
		case *ast.CompositeLit:
			addLiteral(found, set, n)
		}
	})
	return found
}

// walk visits every node of the sources of the rooms that refuse, but for the list of texts itself.
func walk(t *testing.T, visit func(*token.FileSet, ast.Node)) {
	t.Helper()
	for _, room := range []string{".", "../carry", "../sessions", "../cmd", "../sidecar"} {
		err := filepath.WalkDir(room, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
				return err
			}
			set := token.NewFileSet()
			file, err := parser.ParseFile(set, path, nil, 0)
			if err != nil {
				return err
			}
			ast.Inspect(file, func(n ast.Node) bool {
				if v, ok := n.(*ast.ValueSpec); ok && v.Names[0].Name == "reasonTexts" {
					return false
				}
				visit(set, n)
				return true
			})
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

func addCall(found map[string][]use, set *token.FileSet, call *ast.CallExpr) {
	name := ""
	switch f := call.Fun.(type) {
	case *ast.Ident:
		name = f.Name
	case *ast.SelectorExpr:
		name = f.Sel.Name
	}
	skip := map[string]int{"Refuse": 1, "refuse": 1, "reason": 1, "warning": 2}[name]
	if skip == 0 || len(call.Args) < 1 {
		return
	}
	code, ok := literal(call.Args[0])
	if !ok {
		return
	}
	u := use{at: set.Position(call.Pos()).String(), known: name != "reason" && !call.Ellipsis.IsValid()}
	for i := skip; i < len(call.Args); i += 2 {
		word, ok := literal(call.Args[i])
		u.known = u.known && ok
		u.names = append(u.names, word)
	}
	found[code] = append(found[code], u)
}

func addLiteral(found map[string][]use, set *token.FileSet, lit *ast.CompositeLit) {
	for _, e := range lit.Elts {
		if kv, ok := e.(*ast.KeyValueExpr); ok {
			if key, ok := kv.Key.(*ast.Ident); ok && key.Name == "Code" {
				if code, ok := literal(kv.Value); ok {
					found[code] = append(found[code], use{at: set.Position(lit.Pos()).String()})
				}
			}
		}
	}
}

func literal(e ast.Expr) (string, bool) {
	l, ok := e.(*ast.BasicLit)
	if !ok || l.Kind != token.STRING {
		return "", false
	}
	s, err := strconv.Unquote(l.Value)
	return s, err == nil
}

var placeholder = regexp.MustCompile(`\{(\w+)\}`)

func TestEveryReasonCodeThatIsUsedHasAText(t *testing.T) {
	for code, places := range uses(t) {
		text, ok := reasonTexts[code]
		if !ok {
			t.Errorf("%s: code %q is not in reasons.go", places[0].at, code)
			continue
		}
		var wanted []string
		for _, m := range placeholder.FindAllStringSubmatch(text.message+text.remedy, -1) {
			wanted = append(wanted, m[1])
		}
		for _, u := range places {
			for _, name := range wanted {
				if u.known && !slices.Contains(u.names, name) {
					t.Errorf("%s: %q does not say {%s}", u.at, code, name)
				}
			}
			for _, name := range u.names {
				if u.known && !slices.Contains(wanted, name) {
					t.Errorf("%s: the text of %q has no place for %q", u.at, code, name)
				}
			}
		}
	}
}

func TestEveryReasonCodeOfTheListIsUsed(t *testing.T) {
	words := map[string]bool{}
	walk(t, func(_ *token.FileSet, n ast.Node) {
		if e, ok := n.(*ast.BasicLit); ok {
			if word, ok := literal(e); ok {
				words[word] = true
			}
		}
	})
	for _, code := range slices.Sorted(maps.Keys(reasonTexts)) {
		if !words[code] {
			t.Errorf("nothing says %q", code)
		}
	}
}

func TestReasonFillsItsPlacesWithPrintableWordsOnly(t *testing.T) {
	r := reason("nameTaken", map[string]string{"name": "a\x1b[31mb\n\u202ec", "suggestion": "x"})
	if want := "The branch a[31mb c exists already."; r.Message != want {
		t.Errorf("message %q, want %q", r.Message, want)
	}
}

func TestEveryReasonSaysASentenceAndARemedy(t *testing.T) {
	for code, text := range reasonTexts {
		if !strings.HasSuffix(text.message, ".") || text.message[0] < 'A' || text.message[0] > '{' {
			t.Errorf("%s: %q is no sentence", code, text.message)
		}
		if text.remedy != "" && !strings.HasSuffix(text.remedy, ".") {
			t.Errorf("%s: %q is no sentence", code, text.remedy)
		}
	}
}
