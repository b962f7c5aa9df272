package commands

import (
	"bytes"
	"encoding/json"
	"strings"

	"github.com/sidefork/sidefork/commands/locales"
)

// A reason is made in English, deep inside, by who knows no client. It keeps what fills its sentences (Args), and is said in
// the client's language where it leaves: by In, and of a whole answer by Translated.

// Language is what the client is told in: that of the settings, else what the client or the environment asks for.
func (e *Env) Language() locales.Language {
	if e == nil {
		return locales.Language{}
	}
	return locales.Of(e.Settings.Language, e.Locale)
}

// In is the reason in a language. What was not said by its code (a remedy of the command line's own) stays.
func (r Reason) In(in locales.Language) Reason {
	if in.IsEnglish() {
		return r
	}
	text, known := reasonTexts[r.Code]
	if !known {
		return r
	}
	english, there := filling(r.Args, locales.Language{}), filling(r.Args, in)
	if r.Message == english.Replace(text.message) {
		r.Message = there.Replace(in.Text(text.message))
	}
	if r.Remedy == english.Replace(text.remedy) && r.Remedy != "" {
		r.Remedy = there.Replace(in.Text(text.remedy))
	}
	return r
}

// filling puts a reason's arguments into its sentences. A `what` is a phrase of ours where the catalogue knows it.
func filling(args map[string]string, in locales.Language) *strings.Replacer {
	pairs := make([]string, 0, 2*len(args))
	for name, value := range args {
		if name == "what" {
			value = in.Text(value)
		}
		pairs = append(pairs, "{"+name+"}", value)
	}
	return strings.NewReplacer(pairs...)
}

// In is the warning in a language.
func (w Warning) In(in locales.Language) Warning {
	r := Reason{w.Code, w.Message, w.Remedy, w.Args}.In(in)
	w.Message, w.Remedy = r.Message, r.Remedy
	return w
}

// In is the failure in a language.
func (f *Failure) In(in locales.Language) *Failure {
	if f == nil || in.IsEnglish() {
		return f
	}
	said := *f
	said.Reason = f.Reason.In(in)
	said.Reasons = nil
	for _, r := range f.Reasons {
		said.Reasons = append(said.Reasons, r.In(in))
	}
	return &said
}

// Translated is an answer, a notification's or an error's data with every reason and warning in it said in a language.
func Translated(raw json.RawMessage, in locales.Language) json.RawMessage {
	if in.IsEnglish() || !bytes.Contains(raw, []byte(`"message":`)) {
		return raw
	}
	var value any
	read := json.NewDecoder(bytes.NewReader(raw))
	read.UseNumber()
	if read.Decode(&value) != nil {
		return raw
	}
	translate(value, in)
	said, err := json.Marshal(value)
	if err != nil {
		return raw
	}
	return said
}

func translate(value any, in locales.Language) {
	switch v := value.(type) {
	case []any:
		for _, one := range v {
			translate(one, in)
		}
	case map[string]any:
		for _, one := range v {
			translate(one, in)
		}
		if _, reason := v["code"].(string); !reason {
			return
		}
		var r Reason
		if raw, err := json.Marshal(v); err != nil || json.Unmarshal(raw, &r) != nil || r.Message == "" {
			return
		}
		if r = r.In(in); r.Remedy != "" {
			v["remedy"] = r.Remedy
		}
		v["message"] = r.Message
	}
}
