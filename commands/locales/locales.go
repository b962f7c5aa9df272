// Package locales has sidefork's sentences in other languages than English.
//
// A sentence stands in English where it is said, in Go, and that text is its name here: LANGUAGE.json, one file a language,
// maps it to what that language says. So English needs no catalogue, and a sentence that is changed in Go has no
// translation any more until somebody has looked at it. What is not there is said in English. TestEveryLanguageSaysEverySentence
// prints what is missing.
//
// {name} in a reason or the form, and %s, %d in the command line's sentences, are filled in by who says them. Codes, ids,
// paths and the names of JSON are no words, and are never translated. docs/languages.md says how to add a sentence or a language.
package locales

import (
	"embed"
	"strings"
	"sync"

	"github.com/nicksnyder/go-i18n/v2/i18n"
	"github.com/nicksnyder/go-i18n/v2/i18n/template"
	"golang.org/x/text/language"
)

//go:embed *.json
var files embed.FS

// Names are the languages, as a setting names them, English first.
func Names() []string { return []string{"en", "es", "zh-Hans", "ja", "ko", "fr"} }

// Language is one of them. The zero value is English.
type Language struct{ name string }

// Of is the language that the first of these wishes that is one asks for: "pt-BR", "zh_CN.UTF-8", "C", "". What sidefork does
// not speak is English, and so is Chinese in the traditional script.
func Of(wishes ...string) Language {
	for _, wish := range wishes {
		wish, _, _ = strings.Cut(wish, ".")
		wish, _, _ = strings.Cut(wish, "@")
		if wish == "" {
			continue
		}
		tag, err := language.Parse(wish) // POSIX's zh_CN too
		if err != nil {
			return Language{}
		}
		base, _ := tag.Base()
		script, _ := tag.Script()
		for _, name := range Names()[1:] {
			if name == base.String() || name == base.String()+"-"+script.String() {
				return Language{name}
			}
		}
		return Language{}
	}
	return Language{}
}

// OfEnvironment is what LC_ALL, LC_MESSAGES or LANG asks for: the first that is set.
func OfEnvironment(getenv func(string) string) string {
	for _, name := range []string{"LC_ALL", "LC_MESSAGES", "LANG"} {
		if wish := getenv(name); wish != "" {
			return wish
		}
	}
	return ""
}

// Name is the language as a setting names it.
func (l Language) Name() string {
	if l.name == "" {
		return "en"
	}
	return l.name
}

// IsEnglish says that there is nothing to translate.
func (l Language) IsEnglish() bool { return l.name == "" }

// Word marks a sentence that is said elsewhere, by Text, so that the test of the catalogues finds it.
func Word(english string) string { return english }

// Text is a sentence in this language.
func (l Language) Text(english string) string {
	if l.IsEnglish() {
		return english
	}
	return l.say(&i18n.LocalizeConfig{MessageID: english}, english)
}

// Count is the sentence for n things, in the form that the language has for that number (CLDR): English has one and other.
func (l Language) Count(n int, one, other string) string {
	if l.IsEnglish() && n == 1 {
		return one
	}
	if l.IsEnglish() {
		return other
	}
	return l.say(&i18n.LocalizeConfig{MessageID: other, PluralCount: n}, other)
}

func (l Language) say(what *i18n.LocalizeConfig, english string) string {
	what.TemplateParser = template.IdentityParser{}
	said, err := speakers[l.name]().Localize(what)
	if err != nil {
		return english
	}
	return said
}

// speakers read their catalogue when something is first said in their language.
var speakers = func() map[string]func() *i18n.Localizer {
	all := map[string]func() *i18n.Localizer{}
	for _, name := range Names()[1:] {
		all[name] = sync.OnceValue(func() *i18n.Localizer { return read(name) })
	}
	return all
}()

// read reads a catalogue. One that cannot be read, which a test rules out, says nothing.
func read(name string) *i18n.Localizer {
	bundle := i18n.NewBundle(language.Make(name))
	if text, err := files.ReadFile(name + ".json"); err == nil {
		_, _ = bundle.ParseMessageFileBytes(text, name+".json")
	}
	return i18n.NewLocalizer(bundle, name)
}
