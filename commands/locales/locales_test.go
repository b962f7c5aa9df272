package locales

import (
	"encoding/json"
	"testing"

	"github.com/nicksnyder/go-i18n/v2/i18n"
)

func TestALanguageIsThatOfTheFirstWish(t *testing.T) {
	for _, c := range []struct {
		want   string
		wishes []string
	}{
		{"en", nil},
		{"en", []string{"", ""}},
		{"fr", []string{"fr"}},
		{"fr", []string{"", "fr_CA.UTF-8"}},
		{"es", []string{"es-419", "fr"}},
		{"en", []string{"pt-BR", "fr"}},
		{"en", []string{"C", "fr"}},
		{"en", []string{"C.UTF-8"}},
		{"en", []string{"POSIX"}},
		{"en", []string{"en_GB.UTF-8"}},
		{"zh-Hans", []string{"zh"}},
		{"zh-Hans", []string{"zh-cn"}},
		{"zh-Hans", []string{"zh_CN.GB18030"}},
		{"zh-Hans", []string{"zh-Hans"}},
		{"zh-Hans", []string{"zh_SG.UTF-8"}},
		{"en", []string{"zh-tw"}},
		{"en", []string{"zh_HK.UTF-8"}},
		{"ja", []string{"ja_JP.eucJP"}},
		{"ko", []string{"ko_KR@cjknarrow"}},
		{"en", []string{"/nonsense\x1b[2J", "fr"}},
	} {
		if got := Of(c.wishes...).Name(); got != c.want {
			t.Errorf("%q: %s, want %s", c.wishes, got, c.want)
		}
	}
}

func TestTheEnvironmentAsksByItsFirstVariable(t *testing.T) {
	for want, set := range map[string]map[string]string{
		"":      {},
		"fr_FR": {"LANG": "fr_FR"},
		"ja_JP": {"LANG": "fr_FR", "LC_MESSAGES": "ja_JP"},
		"C":     {"LANG": "fr_FR", "LC_MESSAGES": "ja_JP", "LC_ALL": "C"},
	} {
		if got := OfEnvironment(func(name string) string { return set[name] }); got != want {
			t.Errorf("%v: %q", set, got)
		}
	}
}

// TestANumberHasTheFormOfItsLanguage: by CLDR, where French counts nothing as one, and a million takes a "de".
func TestANumberHasTheFormOfItsLanguage(t *testing.T) {
	for _, c := range []struct {
		language string
		n        int
		want     string
	}{
		{"en", 0, "%d files"},
		{"en", 1, "%d file"},
		{"en", 2, "%d files"},
		{"fr", 0, "%d fichier"},
		{"fr", 1, "%d fichier"},
		{"fr", 2, "%d fichiers"},
		{"fr", 1000000, "%d de fichiers"},
		{"es", 0, "%d archivos"},
		{"es", 1, "%d archivo"},
		{"es", 2000000, "%d de archivos"},
		{"zh-Hans", 1, "%d 个文件"},
		{"ja", 1, "%d ファイル"},
		{"ko", 1, "파일 %d개"},
		{"ko", 7, "파일 %d개"},
	} {
		if got := Of(c.language).Count(c.n, "%d file", "%d files"); got != c.want {
			t.Errorf("%s, %d: %q", c.language, c.n, got)
		}
	}
}

func TestWhatALanguageDoesNotSayIsEnglish(t *testing.T) {
	for _, name := range Names() {
		if got := Of(name).Text("Nobody has ever said this {name}."); got != "Nobody has ever said this {name}." {
			t.Errorf("%s: %q", name, got)
		}
		if got := Of(name).Count(1, "one of them", "%d of them"); got == "" {
			t.Errorf("%s: nothing", name)
		}
	}
}

// TestEveryCatalogueIsReadWhole: a sentence that the library takes for one of its fields would silence a language.
func TestEveryCatalogueIsReadWhole(t *testing.T) {
	for _, name := range Names()[1:] {
		text, err := files.ReadFile(name + ".json")
		if err != nil {
			t.Fatal(err)
		}
		var all map[string]any
		if err := json.Unmarshal(text, &all); err != nil {
			t.Fatal(err)
		}
		read, err := i18n.ParseMessageFileBytes(text, name+".json", nil)
		if err != nil || len(read.Messages) != len(all) || read.Tag.String() != name {
			t.Errorf("%s: %.200v", name, err)
		}
	}
}
