package commands

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/settings.md and docs/troubleshooting.md anew")

// TestTheDocumentOfSettingsIsWhatTheStructSays: the table of docs/settings.md is made of Settings, its comments and its tags.
func TestTheDocumentOfSettingsIsWhatTheStructSays(t *testing.T) {
	isMadeOf(t, "../docs/settings.md", settingsTable(t))
}

// isMadeOf demands that a document has this between its two marks, or with -update puts it there.
func isMadeOf(t *testing.T, path, made string) {
	t.Helper()
	const begin, end = "<!-- made by go generate ./commands -->\n", "<!-- end -->\n"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, found := strings.Cut(string(text), begin)
	_, after, ended := strings.Cut(rest, end)
	if !found || !ended {
		t.Fatalf("%s has no place for what is made", path)
	}
	want := before + begin + made + end + after
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if want != string(text) {
		t.Errorf("%s is stale: go generate ./commands", path)
	}
}

func settingsTable(t *testing.T) string {
	said := fieldComments(t)
	var table strings.Builder
	table.WriteString("| setting | default | variable | what it is |\n|---|---|---|---|\n")
	var rows func(of reflect.Type, prefix string)
	rows = func(of reflect.Type, prefix string) {
		for field := range of.Fields() {
			name := prefix + jsonName(field)
			switch {
			case !field.IsExported():
			case field.Type.Kind() == reflect.Map:
				rows(field.Type.Elem(), name+".NAME.")
			case field.Type.Kind() == reflect.Struct:
				rows(field.Type, name+".")
			default:
				standard, about := field.Tag.Get("default"), said[of.Name()+"."+field.Name]
				if standard != "" {
					standard = "`" + standard + "`"
				}
				if about == "" {
					t.Errorf("%s says nothing of itself", name)
				}
				if among := field.Tag.Get("among"); among != "" && !strings.Contains(about, "`") {
					about = strings.TrimSuffix(about, ".") + ": `" + strings.ReplaceAll(among, ",", "`, `") + "`."
				}
				fmt.Fprintf(&table, "| `%s` | %s | `%s` | %s |\n", name, standard, settingVariable(name), about)
			}
		}
	}
	rows(reflect.TypeFor[Settings](), "")
	return table.String()
}

// fieldComments are the comments of settings.go's fields, in one line each, by TYPE.FIELD.
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	parsed, err := parser.ParseFile(token.NewFileSet(), "settings.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	said := map[string]string{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		spec, isType := n.(*ast.TypeSpec)
		if !isType {
			return true
		}
		if of, isStruct := spec.Type.(*ast.StructType); isStruct {
			for _, field := range of.Fields.List {
				for _, name := range field.Names {
					said[spec.Name.Name+"."+name.Name] = strings.Join(strings.Fields(field.Doc.Text()), " ")
				}
			}
		}
		return false
	})
	return said
}
