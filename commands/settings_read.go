package commands

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/sidefork/sidefork/sessions"
)

// Setting is one of the settings as it holds now. Origin says where it comes from: a file's path, initializationOptions,
// didChangeConfiguration, an environment variable, --set; "" is its default.
type Setting struct {
	Name    string `json:"name"`
	Value   any    `json:"value"`
	Default any    `json:"default,omitempty"`
	Origin  string `json:"origin,omitempty"`
}

// SettingsResult is all settings, in the order of docs/settings.md.
type SettingsResult struct {
	Settings []Setting `json:"settings"`
}

func listSettings(_ context.Context, env *Env, argument json.RawMessage, _ Progress) (any, error) {
	if err := decode(argument, &struct{}{}); err != nil {
		return nil, err
	}
	return SettingsResult{env.Settings.List()}, nil
}

// leaf is a single setting: its field, and its place in Settings.
type leaf struct {
	name  string // "carry.maxFiles", "agents.claude.program"
	field reflect.StructField
	value reflect.Value
}

// leaves are the settings of s, each with its value. Every agent has its own.
func (s Settings) leaves() []leaf {
	agents := map[string]AgentSettings{}
	for _, a := range sessions.Agents() {
		agents[a.Name] = AgentSettings{}
	}
	maps.Copy(agents, s.Agents)
	s.Agents = agents
	return leavesOf(reflect.ValueOf(s), "")
}

func leavesOf(v reflect.Value, prefix string) (list []leaf) {
	if v.Kind() == reflect.Map {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			list = append(list, leavesOf(v.MapIndex(key), prefix+key.String()+".")...)
		}
		return list
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch name := prefix + jsonName(field); {
		case !field.IsExported():
		case isSection(field.Type):
			list = append(list, leavesOf(v.Field(i), name+".")...)
		default:
			list = append(list, leaf{name, field, v.Field(i)})
		}
	}
	return list
}

func isSection(t reflect.Type) bool { return t.Kind() == reflect.Struct || t.Kind() == reflect.Map }

// isSwitch says whether a setting is true or false. It is a pointer: unset is neither.
func isSwitch(t reflect.Type) bool { return t == reflect.TypeFor[*bool]() }

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func settingNames() (names []string) {
	for _, l := range (Settings{}).leaves() {
		names = append(names, l.name)
	}
	return names
}

// settingVariable is the environment variable of a setting: SIDEFORK_CARRY_MAX_FILES.
func settingVariable(name string) string {
	var out strings.Builder
	out.WriteString("SIDEFORK_")
	small := false // a large letter after a small one begins a word
	for _, r := range name {
		if small && unicode.IsUpper(r) {
			out.WriteByte('_')
		}
		small = unicode.IsLower(r)
		out.WriteRune(unicode.ToUpper(r))
	}
	return strings.ReplaceAll(out.String(), ".", "_")
}

// List gives all settings as they hold.
func (s Settings) List() (list []Setting) {
	for _, l := range s.leaves() {
		one := Setting{Name: l.name, Value: l.value.Interface(), Origin: s.origins[l.name]}
		if standard := l.field.Tag.Get("default"); standard != "" {
			one.Default = standard
			switch {
			case l.value.CanInt():
				one.Default = json.Number(standard)
			case isSwitch(l.field.Type):
				one.Default = standard == "true"
			}
		}
		if isSwitch(l.field.Type) && !l.value.IsZero() {
			one.Value = l.value.Elem().Bool()
		}
		if l.value.IsZero() {
			if one.Value = one.Default; one.Value == nil {
				one.Value = reflect.Zero(l.value.Type()).Interface()
				if l.value.Kind() == reflect.Slice {
					one.Value = []string{}
				}
			}
		}
		list = append(list, one)
	}
	return list
}

// Merge lays the settings that raw names over s. Those of its names that are not known come as warnings: an old sidecar must
// live with a newer editor's settings. Those whose values make no sense are an error that names each, and s stays as it is.
// raw may be null, [] (an empty Lua table) or absent.
func (s Settings) Merge(origin string, raw json.RawMessage) (Settings, []Warning, error) {
	if raw = bytes.TrimSpace(raw); empty(raw) {
		return s, nil, nil
	}
	merged := s
	merged.origins = maps.Clone(s.origins)
	if merged.origins == nil {
		merged.origins = map[string]string{}
	}
	r := reading{origin: origin, origins: merged.origins}
	r.section(raw, reflect.ValueOf(&merged).Elem(), "")
	if len(r.wrong) > 0 {
		slices.Sort(r.wrong)
		return s, nil, refuse("invalidArgument", "what", "settings: "+strings.Join(r.wrong, "; "))
	}
	slices.Sort(r.unknown)
	var warnings []Warning
	for _, name := range r.unknown {
		warnings = append(warnings, warning("settingIgnored", "", "name", name))
	}
	return merged, warnings, nil
}

// empty says whether a value says nothing: Lua has no empty object.
func empty(raw json.RawMessage) bool {
	return len(raw) == 0 || bytes.Equal(raw, []byte("null")) || bytes.Equal(raw, []byte("[]"))
}

// set lays one setting over s: text is its value, of a list JSON or its one element.
func (s Settings) set(origin, name, text string) (Settings, error) {
	i := slices.IndexFunc(s.leaves(), func(l leaf) bool { return l.name == name })
	if i < 0 {
		return s, refuse("invalidArgument", "what", "settings: there is no setting "+name)
	}
	raw, err := json.Marshal(text)
	switch l := s.leaves()[i]; {
	case err != nil:
		return s, err
	case (l.value.CanInt() || isSwitch(l.field.Type)) && json.Valid([]byte(text)):
		raw = []byte(text)
	case l.value.Kind() == reflect.Slice && strings.HasPrefix(text, "[") && json.Valid([]byte(text)):
		raw = []byte(text)
	case l.value.Kind() == reflect.Slice:
		raw = append(append([]byte("["), raw...), ']')
	}
	parts := strings.Split(name, ".")
	for _, part := range slices.Backward(parts) {
		raw = fmt.Appendf(nil, "{%q:%s}", part, raw)
	}
	merged, _, err := s.Merge(origin, raw)
	return merged, err
}

// reading lays JSON over settings, name by name.
type reading struct {
	origin         string
	origins        map[string]string
	unknown, wrong []string
}

// section lays an object over a struct, or over a map of structs. Nothing that another copy of the settings holds is written
// into.
func (r *reading) section(raw json.RawMessage, into reflect.Value, prefix string) {
	var named map[string]json.RawMessage
	if empty(bytes.TrimSpace(raw)) {
		return
	}
	if err := json.Unmarshal(raw, &named); err != nil {
		r.wrong = append(r.wrong, strings.TrimSuffix(strings.TrimSuffix(prefix, "."), " ")+" is not an object")
		if prefix == "" {
			r.wrong[len(r.wrong)-1] = "they are no JSON object"
		}
		return
	}
	if into.Kind() == reflect.Map {
		r.entries(named, into, prefix)
		return
	}
	for name, raw := range named {
		i := slices.IndexFunc(reflect.VisibleFields(into.Type()), func(f reflect.StructField) bool {
			return f.IsExported() && strings.EqualFold(jsonName(f), name)
		})
		switch {
		case i < 0 && prefix == "" && (name == "path" || name == "trace"): // an editor's own
		case i < 0:
			r.unknown = append(r.unknown, prefix+name)
		case isSection(into.Field(i).Type()):
			r.section(raw, into.Field(i), prefix+jsonName(into.Type().Field(i))+".")
		default:
			r.leaf(raw, into.Type().Field(i), into.Field(i), prefix+jsonName(into.Type().Field(i)))
		}
	}
}

// entries lays objects over the entries of a map: of the agents.
func (r *reading) entries(named map[string]json.RawMessage, into reflect.Value, prefix string) {
	all := reflect.MakeMap(into.Type())
	for _, key := range into.MapKeys() {
		all.SetMapIndex(key, into.MapIndex(key))
	}
	for name, raw := range named {
		if !slices.Contains(agentNames(), name) {
			r.unknown = append(r.unknown, prefix+name)
		}
		entry := reflect.New(into.Type().Elem()).Elem()
		if had := all.MapIndex(reflect.ValueOf(name)); had.IsValid() {
			entry.Set(had)
		}
		r.section(raw, entry, prefix+name+".")
		all.SetMapIndex(reflect.ValueOf(name), entry)
	}
	into.Set(all)
}

func agentNames() (names []string) {
	for _, a := range sessions.Agents() {
		names = append(names, a.Name)
	}
	return names
}

var inBraces = regexp.MustCompile(`\{([^{}]*)\}`)

// leaf reads one setting.
func (r *reading) leaf(raw json.RawMessage, field reflect.StructField, into reflect.Value, name string) {
	if bytes.Equal(bytes.TrimSpace(raw), []byte("null")) {
		return
	}
	value := reflect.New(field.Type)
	wrong := func(what string) { r.wrong = append(r.wrong, name+" is "+what) }
	if json.Unmarshal(raw, value.Interface()) != nil {
		kinds := map[reflect.Kind]string{reflect.String: "no text", reflect.Slice: "no list of texts", reflect.Pointer: "neither true nor false"}
		what, known := kinds[field.Type.Kind()]
		if !known {
			what = "no whole number"
		}
		wrong(what)
		return
	}
	v := value.Elem()
	if v.CanInt() && v.Int() < 0 {
		wrong("negative")
		return
	}
	if v.Kind() == reflect.String && v.String() != "" {
		if among := field.Tag.Get("among"); among != "" && !slices.Contains(strings.Split(among, ","), v.String()) {
			wrong("none of " + strings.ReplaceAll(among, ",", ", "))
			return
		}
		for _, part := range inBraces.FindAllStringSubmatch(v.String(), -1) {
			if fills := field.Tag.Get("fills"); fills != "" && !slices.Contains(strings.Split(fills, ","), part[1]) {
				wrong("a pattern with {" + part[1] + "}, which is none of " + strings.ReplaceAll(fills, ",", ", "))
				return
			}
		}
	}
	into.Set(v)
	r.origins[name] = r.origin
}
