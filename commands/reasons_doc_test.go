package commands

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"testing"
)

// TestTheDocumentOfReasonsIsWhatTheListSays: the tables of docs/troubleshooting.md are made of reasonTexts, a heading for
// each of its comments.
func TestTheDocumentOfReasonsIsWhatTheListSays(t *testing.T) {
	isMadeOf(t, "../docs/troubleshooting.md", reasonTables(t))
}

func reasonTables(t *testing.T) string {
	set := token.NewFileSet()
	parsed, err := parser.ParseFile(set, "reasons.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	var list *ast.CompositeLit
	ast.Inspect(parsed, func(n ast.Node) bool {
		if spec, is := n.(*ast.ValueSpec); is && spec.Names[0].Name == "reasonTexts" {
			list = spec.Values[0].(*ast.CompositeLit)
		}
		return list == nil
	})
	headings := map[int]string{}
	for _, group := range parsed.Comments {
		if group.Pos() > list.Lbrace && group.End() < list.Rbrace {
			headings[set.Position(group.End()).Line] = strings.TrimSuffix(strings.TrimSpace(group.Text()), ".")
		}
	}
	var tables strings.Builder
	written := 0
	for _, element := range list.Elts {
		line := set.Position(element.Pos()).Line
		if heading := headings[line-1]; heading != "" {
			fmt.Fprintf(&tables, "\n### %s\n\n| code | what it says | what to do |\n|---|---|---|\n", heading)
		}
		code, err := strconv.Unquote(element.(*ast.KeyValueExpr).Key.(*ast.BasicLit).Value)
		if err != nil {
			t.Fatal(err)
		}
		text := reasonTexts[code]
		if code == "internal" {
			fmt.Fprintf(&tables, "\n### A mistake of sidefork's\n\n| code | what it says | what to do |\n|---|---|---|\n")
		}
		fmt.Fprintf(&tables, "| `%s` | %s | %s |\n", code, cell(text.message), cell(text.remedy))
		written++
	}
	if written != len(reasonTexts) {
		t.Errorf("%d reasons of %d are in the document", written, len(reasonTexts))
	}
	return tables.String() + "\n"
}

// cell is a text as it looks in a table: what is filled in stands as a word in italics.
func cell(text string) string {
	return strings.NewReplacer("|", "\\|", "<", "&lt;", "{", "*", "}", "*").Replace(text)
}
