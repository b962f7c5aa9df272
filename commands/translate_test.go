package commands

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/sidefork/sidefork/commands/locales"
)

// TestAnAnswerIsSaidInAnotherLanguage: its reasons and warnings, wherever they stand, and nothing else of it.
func TestAnAnswerIsSaidInAnotherLanguage(t *testing.T) {
	taken := refuse("nameTaken", "name", "fuß\x1b[2J", "suggestion", "{name}-2")
	answer := map[string]any{
		"status": "completed", "path": "/src/missing", "bytes": json.Number("12345678901234567890"), "code": "missing",
		"copies":   []any{map[string]any{"error": taken}},
		"warnings": []Warning{warning("cancelTooLate", "The fork was complete when it was cancelled.")},
		"title":    map[string]any{"code": "nothing of ours", "message": "The fork was complete when it was cancelled."},
	}
	raw, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	if got := Translated(raw, locales.Language{}); string(got) != string(raw) {
		t.Errorf("English is not as it was: %s", got)
	}
	french := Translated(raw, locales.Of("fr"))
	var got, want map[string]any
	for text, into := range map[string]*map[string]any{string(french): &got, string(raw): &want} {
		if err := json.Unmarshal([]byte(text), into); err != nil {
			t.Fatal(err)
		}
	}
	reason := want["copies"].([]any)[0].(map[string]any)["error"].(map[string]any)["reason"].(map[string]any)
	reason["message"], reason["remedy"] = "La branche fuß[2J existe déjà.", "Choisissez un autre nom, par exemple {name}-2."
	late := want["warnings"].([]any)[0].(map[string]any)
	late["message"], late["remedy"] = "Le fork était complet quand il a été annulé.", "Supprimez l'espace de travail si vous n'en voulez pas."
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !strings.Contains(string(french), "12345678901234567890") {
		t.Errorf("a number is not as it was: %s", french)
	}
	if again := Translated(french, locales.Of("fr")); string(again) != string(french) {
		t.Errorf("said twice it is not the same: %s", again)
	}
	if said := taken.In(locales.Of("fr")); said.Reason.Message != reason["message"] || taken.Reason.Message != "The branch fuß[2J exists already." {
		t.Errorf("%q, and the failure itself is %q", said.Reason.Message, taken.Reason.Message)
	}
}

func TestAReasonKeepsWhatWasNotSaidByItsCode(t *testing.T) {
	in := locales.Of("es")
	r := refuse("invalidArgument", "what", "x").Reason
	r.Remedy = "Try: sidefork fork --help"
	if r = r.In(in); r.Remedy != "Try: sidefork fork --help" || r.Message != "El argumento es incorrecto: x." {
		t.Errorf("%+v", r)
	}
	newer := Reason{Code: "ofANewerSidefork", Message: "It says something."}
	if got := newer.In(in); !cmp.Equal(got, newer) {
		t.Errorf("%+v", got)
	}
	if got := refuse("setupBroken", "file", "orca.yaml", "what", "it is not a file").Reason.In(in).Message; got != "No se puede leer el setup de orca.yaml: no es un archivo." {
		t.Error(got)
	}
}

// TestTheFormIsInTheLanguageOfTheSettings, else of the client; values stay what they are.
func TestTheFormIsInTheLanguageOfTheSettings(t *testing.T) {
	for want, env := range map[string]*Env{
		"What is staged: stays staged":    nil,
		"Ce qui est indexé: reste indexé": {Locale: "fr-FR"},
		"ステージ済みのもの: ステージのまま":              {Settings: Settings{Language: "ja"}, Locale: "fr-FR"},
		"What is staged: stays staged ":   {Settings: Settings{Language: "en"}, Locale: "fr-FR"},
	} {
		f := (&form{env: env, look: newFormLook()}).staged()
		if got := f.Description + ": " + f.Type.Entries[0].Description; got != strings.TrimSpace(want) || f.Type.Entries[0].Value != "keep" {
			t.Errorf("%s, not %s", got, want)
		}
	}
	if got := (&form{env: &Env{Locale: "zh-CN"}}).inCounts(Changes{Modified: 2, Conflicted: 1}); got != "2 个已修改, 1 个冲突" {
		t.Error(got)
	}
}
