package test

import (
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/charmbracelet/x/ansi"

	"github.com/sidefork/sidefork/commands/locales"
)

// sentence is one that people are told: where it stands, and in English its two forms where it counts something.
type sentence struct {
	at    string
	fact  bool   // it names a line of a summary
	one   string // "" where it counts nothing
	words string
}

// says is which arguments of a function are sentences. Of counted and Count they are the two forms of one.
var says = map[string][]int{
	"say": {0}, "print": {1}, "note": {0}, "fact": {0}, "headings": {0, 1, 2, 3, 4, 5, 6, 7}, "Text": {0}, "Word": {0}, "counted": {1, 2}, "Count": {1, 2},
}

// sentences are all that the product says to people, by what they say: of reasons.go and form_words.go, and what is handed to the
// functions above.
func sentences(t *testing.T) map[string]sentence {
	t.Helper()
	all := map[string]sentence{}
	for _, folder := range []string{"commands", "sidecar", "cmd/sidefork/cli", "cmd/sidefork/dialog", "cmd/sidefork/remote", "cmd/sidefork/doctor"} {
		files := token.NewFileSet()
		paths, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if strings.HasSuffix(path, "_test.go") {
				continue
			}
			parsed, err := parser.ParseFile(files, path, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			add := func(node ast.Node, fact bool, one, words string) {
				if words != "" && words != "ID" { // go-i18n takes that for a field; it is the same in all of them
					all[words] = sentence{strings.TrimPrefix(files.Position(node.Pos()).String(), "../"), fact || all[words].fact, one, words}
				}
			}
			ast.Inspect(parsed, func(node ast.Node) bool {
				switch n := node.(type) {
				case *ast.ValueSpec:
					if len(n.Names) == 1 && slices.Contains([]string{"reasonTexts", "formWords"}, n.Names[0].Name) {
						for _, element := range n.Values[0].(*ast.CompositeLit).Elts {
							for _, text := range texts(element.(*ast.KeyValueExpr).Value) {
								add(element, false, "", text)
							}
						}
					}
				case *ast.CallExpr:
					name := ""
					switch f := n.Fun.(type) {
					case *ast.SelectorExpr:
						name = f.Sel.Name
					case *ast.Ident:
						name = f.Name
					}
					var found []string
					for _, i := range says[name] {
						if i < len(n.Args) {
							found = append(found, texts(n.Args[i])...)
						}
					}
					switch {
					case name != "counted" && name != "Count":
						for _, text := range found {
							add(n, name == "fact", "", text)
						}
					case len(found) == 2:
						add(n, false, found[0], found[1])
					}
				}
				return true
			})
		}
	}
	return all
}

// texts are the literals that an expression is: one, or those of a composite of them.
func texts(e ast.Expr) (list []string) {
	switch e := e.(type) {
	case *ast.BasicLit:
		if text, err := strconv.Unquote(e.Value); e.Kind == token.STRING && err == nil {
			list = append(list, text)
		}
	case *ast.CompositeLit:
		for _, element := range e.Elts {
			list = append(list, texts(element)...)
		}
	}
	return list
}

// forms are those that a language has for numbers, by CLDR.
var forms = map[string][]string{"es": {"one", "many", "other"}, "fr": {"one", "many", "other"}, "zh-Hans": {"other"}, "ja": {"other"}, "ko": {"other"}}

// catalogue reads what a language says: a text for a sentence, or its forms.
func catalogue(t *testing.T, name string) map[string]any {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "commands", "locales", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var all map[string]any
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return all
}

// TestEveryLanguageSaysEverySentence prints what is missing as lines for the catalogue, to be translated in place.
func TestEveryLanguageSaysEverySentence(t *testing.T) {
	all := sentences(t)
	if len(all) < 300 {
		t.Fatalf("only %d sentences were found", len(all))
	}
	for _, name := range locales.Names()[1:] {
		said := catalogue(t, name)
		var missing, gone []string
		for _, words := range slices.Sorted(maps.Keys(all)) {
			s := all[words]
			told, there := said[words]
			switch {
			case !there && s.one == "":
				missing = append(missing, fmt.Sprintf("  %s: %s,", quoted(words), quoted(words)))
			case !there:
				var parts []string
				for _, form := range forms[name] {
					text := words
					if form == "one" {
						text = s.one
					}
					parts = append(parts, quoted(form)+": "+quoted(text))
				}
				missing = append(missing, fmt.Sprintf("  %s: {%s},", quoted(words), strings.Join(parts, ", ")))
			case s.one == "":
				if _, text := told.(string); !text {
					t.Errorf("%s: %q counts nothing", name, words)
				}
			default:
				has, _ := told.(map[string]any)
				if got, want := slices.Sorted(maps.Keys(has)), slices.Sorted(slices.Values(forms[name])); !slices.Equal(got, want) {
					t.Errorf("%s: %q has the forms %v, and the language %v", name, words, got, want)
				}
			}
		}
		for words := range said {
			if _, there := all[words]; !there && !phrases[words] {
				gone = append(gone, "  "+quoted(words))
			}
		}
		slices.Sort(gone)
		if len(missing) > 0 {
			t.Errorf("commands/locales/%s.json does not say these. Add them, and translate what is behind the colon:\n%s", name, strings.Join(missing, "\n"))
		}
		if len(gone) > 0 {
			t.Errorf("commands/locales/%s.json says what nobody says any more. Take it out:\n%s", name, strings.Join(gone, "\n"))
		}
	}
}

func quoted(text string) string {
	var out strings.Builder
	encode := json.NewEncoder(&out)
	encode.SetEscapeHTML(false)
	_ = encode.Encode(text)
	return strings.TrimSpace(out.String())
}

// phrases are a reason's {what} where users see it. They stand where they are found, in other rooms.
var phrases = map[string]bool{
	"it is not a file": true, "it is larger than 1 MiB": true, "a command holds characters that cannot be shown": true,
	"a command names a link that leads on and on": true, "it lies inside the workspace": true, "it lies inside the repository": true,
	"there is no state folder (HOME or XDG_STATE_HOME)": true, "a folder": true, "a link": true, "The input": true, "The output": true,
}

// TestThePhrasesStandInTheSource: a phrase that was changed there is no phrase any more.
func TestThePhrasesStandInTheSource(t *testing.T) {
	all := ""
	for path, text := range sources(t) {
		if !strings.HasSuffix(path, "_test.go") {
			all += text
		}
	}
	for phrase := range phrases {
		if !strings.Contains(all, `"`+phrase+`"`) {
			t.Errorf("nobody says %q", phrase)
		}
	}
}

var filled = regexp.MustCompile(`\{\w+\}|%(\[\d\])?[sdv]`)

// places are what is filled into a sentence: {name} sorted, and verbs by their argument's number.
func places(text string) []string {
	var list []string
	next := 1
	for _, at := range filled.FindAllString(text, -1) {
		if number, verb, indexed := strings.Cut(strings.TrimPrefix(at, "%["), "]"); indexed {
			list = append(list, number+verb)
			next = int(number[0]-'0') + 1
		} else if strings.HasPrefix(at, "%") {
			list = append(list, strconv.Itoa(next)+at[1:])
			next++
		} else {
			list = append(list, at)
		}
	}
	slices.Sort(list)
	return list
}

// TestEveryTranslationFillsInTheSame: each place once, nothing that could move a terminal's cursor, no English by accident.
func TestEveryTranslationFillsInTheSame(t *testing.T) {
	all := sentences(t)
	for _, name := range locales.Names()[1:] {
		for words, told := range catalogue(t, name) {
			texts := map[string]string{}
			switch told := told.(type) {
			case string:
				texts["other"] = told
			case map[string]any:
				for form, text := range told {
					texts[form], _ = text.(string)
				}
			}
			for form, text := range texts {
				english := words
				if one := all[words].one; form == "one" && one != "" {
					english = one
				}
				if want, got := places(english), places(text); !slices.Equal(want, got) {
					t.Errorf("%s, %s: %q is to fill in %v, and %q fills in %v", name, form, english, want, text, got)
				}
				if strings.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Cc, unicode.Cf) }) || text == "" {
					t.Errorf("%s: %q", name, text)
				}
				if strings.Count(text, "%") != strings.Count(english, "%") || strings.Count(text, "{") != strings.Count(english, "{") || strings.HasPrefix(english, " ") != strings.HasPrefix(text, " ") {
					t.Errorf("%s: %q is not filled as %q", name, text, english)
				}
				for _, word := range typed.FindAllString(english, -1) {
					if !strings.Contains(text, strings.Trim(word, "()")) {
						t.Errorf("%s: %q lacks %s, which is typed as it stands", name, text, word)
					}
				}
				if text == english && strings.ContainsFunc(filled.ReplaceAllString(text, ""), unicode.IsLetter) && !slices.Contains(alike[name], text) {
					t.Errorf("%s: %q is English: translate it, or add it to what is alike", name, text)
				}
				if wide := name != "es" && name != "fr"; wide && form == "other" && !written[name](text) && text != english && strings.ContainsFunc(filled.ReplaceAllString(text, ""), unicode.IsLetter) {
					t.Errorf("%s: %q holds nothing that is written in this language", name, text)
				}
			}
		}
	}
}

// written says whether a text holds a character of a language's own script.
var written = map[string]func(string) bool{
	"zh-Hans": func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) })
	},
	"ja": func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) })
	},
	"ko": func(s string) bool {
		return strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Hangul, r) })
	},
}

// alike is what a language says as English does.
var alike = map[string][]string{
	"es":      {"FORK", "base", "commit", "fork", "error", "hash %s", "no", "setup", "sha256", "terminal", "%d commit", "%d commits"},
	"fr":      {"FORK", "AGENT", "agent", "base", "commit", "fork", "parent", "session", "setup", "sha256", "terminal", "version", "%d commit", "%d commits"},
	"zh-Hans": {"sha256"},
	"ja":      {"sha256"},
	"ko":      {"sha256"},
}

// typed is what people type, or look for, as it stands: it is no word.
var typed = regexp.MustCompile(`--[a-z][a-z-]*|git (switch -c|worktree unlock|worktree repair|init|config|add -N)|sidefork (run|trust|recover|sessions|attach|adopt)|[A-Z]+_[A-Z_]+|TMPDIR|` +
	`\.(gitignore|worktreeinclude)|(carry|setup)\.[a-z][A-Za-z]+|\((uncommitted|onlyHere|agentLive|agentMaybeLive|locked|submoduleUnknown|intoParent|with)\)|codex unarchive`)

// TestTheNamesOfFactsFit: those of a summary stand in a column.
func TestTheNamesOfFactsFit(t *testing.T) {
	facts := 0
	for _, s := range sentences(t) {
		if !s.fact {
			continue
		}
		facts++
		for _, name := range locales.Names()[1:] {
			if text, _ := catalogue(t, name)[s.words].(string); ansi.StringWidth(text) > 14 {
				t.Errorf("%s: %q for %q takes more than 14 columns", name, text, s.words)
			}
		}
	}
	if facts < 20 {
		t.Errorf("only %d were found", facts)
	}
}

// TestTheCommandLineSaysNothingInEnglishAlone: what it prints goes through say, print, note, fact, counted or headings.
func TestTheCommandLineSaysNothingInEnglishAlone(t *testing.T) {
	words := regexp.MustCompile(`[A-Za-z]{2,} [A-Za-z]{2,}|[A-Z][a-z]{2,}`)
	for path, text := range sources(t) {
		if !strings.HasPrefix(path, "cmd/sidefork/") || strings.HasSuffix(path, "_test.go") {
			continue
		}
		files := token.NewFileSet()
		parsed, err := parser.ParseFile(files, path, text, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(node ast.Node) bool {
			call, is := node.(*ast.CallExpr)
			if !is {
				return true
			}
			f, is := call.Fun.(*ast.SelectorExpr)
			if !is || !strings.HasPrefix(f.Sel.Name, "Fprint") {
				return true
			}
			for _, argument := range call.Args[1:] {
				for _, said := range texts(argument) {
					if words.MatchString(said) && !strings.Contains(said, "sidefork attach") {
						t.Errorf("%s prints %q in English alone: say it by l.print (a line) or l.say, and translate it in commands/locales", files.Position(call.Pos()), said)
					}
				}
			}
			return true
		})
	}
}
